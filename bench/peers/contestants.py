"""attn.h and its peers: each is prepared for one case and then called as often as a measurement wants."""

import ctypes
import os
import sys
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Callable

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/examples"))
import attn_numpy  # noqa: E402

INSTALL = 'run "make deps-peers"'
BLOCK_ROWS = (64, 128, 192)  # of the OpenBLAS peer: the fastest for the case is the one that counts
DTYPES = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": np.dtype(np.uint16)}
BF16 = DTYPES["bf16"]  # NumPy has none: the upper half of a float32


class Unavailable(Exception):
    """A contestant that cannot run this; the message is one line for the user."""


@dataclass
class Prepared:
    """A contestant with the inputs of one case."""
    calls: list  # each one attention, over one of the caches
    output: Callable[[], np.ndarray]  # of the last call, [batch, heads, len, head_size]
    context: Callable = nullcontext  # what calls run in
    note: str = ""
    kept: tuple = ()  # what a call has only pointers to


# ---- Inputs

def narrow(x, dtype):
    """float32 in another type; to bf16 by dropping bits."""
    return (x.view(np.uint32) >> 16).astype(BF16) if dtype == BF16 else x.astype(dtype)


def widen(x):
    return (x.astype(np.uint32) << 16).view(np.float32) if x.dtype == BF16 else x.astype(np.float32)


def fold(q, caches):
    """The query heads of a group as rows of its key/value head: without a mask the same attention."""
    return q.reshape(q.shape[0], caches[0][0].shape[1], -1, q.shape[3])


# ---- attn.h

def load(path, remedy):
    """A library that finds its own dependencies first: the process has other copies of BLAS."""
    if not path.exists():
        raise Unavailable(f"{path.relative_to(ROOT)} is not built: {remedy}")
    try:
        return ctypes.CDLL(str(path), mode=os.RTLD_LOCAL | getattr(os, "RTLD_DEEPBIND", 0))
    except OSError as error:
        raise Unavailable(f"{path.name}: {error}") from error


def attn_library(threads):
    """That of `make shared`, which has no threads of its own; with OpenMP for more than one."""
    path = ROOT / "build" / ("libattn.so" if threads == 1 else "libattn_openmp.so")
    library = load(path, 'run "make bench-peers"')
    forward = library[f"attn_forward_v{attn_numpy.INTERFACE}"]
    forward.argtypes = [ctypes.POINTER(attn_numpy.Params), ctypes.c_void_p, ctypes.c_size_t]
    size = library[f"attn_workspace_size_v{attn_numpy.INTERFACE}"]
    size.argtypes = [ctypes.POINTER(attn_numpy.Params), ctypes.POINTER(ctypes.c_size_t)]
    return forward, size


def attn_tensor(x):
    tensor = attn_numpy.tensor(x.view(np.float16) if x.dtype == BF16 else x)
    tensor.type = list(DTYPES.values()).index(x.dtype)
    return tensor


def attn(q, caches, causal, threads):
    """q and the output are f32 whatever the caches are."""
    forward, workspace_size = attn_library(threads)
    batch, heads, length, d = q.shape
    o = np.full_like(q, np.nan)
    cases = [attn_numpy.Params(
        **{name: attn_tensor(x) for name, x in (("q", q), ("k", k), ("v", v), ("o", o))},
        batch=batch, heads_q=heads, heads_kv=k.shape[1], len_q=length, len_kv=k.shape[2], head_size=d, causal=causal,
        threads=threads) for k, v in caches]
    size = ctypes.c_size_t()
    if workspace_size(ctypes.byref(cases[0]), ctypes.byref(size)) != 0:
        raise Unavailable("it does not take this case")
    workspace = np.zeros(size.value, np.uint8)
    calls = [partial(forward, ctypes.byref(params), workspace.ctypes.data, size.value) for params in cases]
    return Prepared(calls, lambda: o, kept=(q, caches, workspace))


# ---- OpenBLAS

def openblas_library():
    library = load(ROOT / "build/openblas_attn.so", INSTALL)
    library.openblas_attn_version.restype = ctypes.c_char_p
    library.openblas_attn_scratch.restype = ctypes.c_size_t
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    library.openblas_attn.argtypes = [pointer] * 5 + [integer] * 7
    library.openblas_attn.restype = None
    return library


def best_of_three(calls):
    turns = cycle(calls)
    next(turns)()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        next(turns)()
        times.append(time.perf_counter() - start)
    return min(times)


def openblas(q, caches, causal, threads):
    if caches[0][0].dtype != np.float32:
        return None
    library = openblas_library()
    heads, queries, d = fold(q, caches).shape[1:]
    length = caches[0][0].shape[2]
    blocks = [rows for rows in BLOCK_ROWS if rows <= queries] or [queries]
    o = np.full_like(q, np.nan)
    scratch = np.zeros(threads * library.openblas_attn_scratch(length, max(blocks)), np.float32)
    ways = {rows: [partial(library.openblas_attn, *(x.ctypes.data for x in (q, k, v, o, scratch)),
                           heads, queries, length, d, causal, threads, rows) for k, v in caches] for rows in blocks}
    rows = min(blocks, key=lambda rows: best_of_three(ways[rows]))
    o[:] = np.nan
    return Prepared(ways[rows], lambda: o, note=f"blocks of {rows} rows", kept=(q, caches, scratch))


def openblas_version():
    return openblas_library().openblas_attn_version().decode().replace("OpenBLAS", "").strip()


# ---- PyTorch

def import_or_say(name):
    try:
        return import_module(name)
    except ImportError as error:
        raise Unavailable(f"{name} is not installed: {INSTALL}") from error


@contextmanager
def refusals(package, version):
    """What a package says of an operator or type that it does not have. Such exceptions have no common base."""
    try:
        yield
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise Unavailable(f"not available in {package} {version()}: {reason}") from error


def torch_tensor(x):
    torch = import_or_say("torch")
    return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.dtype == BF16 else torch.from_numpy(x)


def torch_sdpa(q, caches, causal, threads):
    """With fewer key/value heads the faster of two ways. All of a type: q and the output are as the caches."""
    torch = import_or_say("torch")
    torch.set_num_threads(threads)
    attention = torch.nn.functional.scaled_dot_product_attention
    results = [None]

    def call(*tensors, **options):
        results[0] = attention(*tensors, **options)

    def calls_of(q, **options):
        q = torch_tensor(narrow(q, caches[0][0].dtype))
        return [partial(call, q, torch_tensor(k), torch_tensor(v), is_causal=causal, **options) for k, v in caches]

    rows = fold(q, caches)
    ways = {"": calls_of(rows)}
    if rows.shape != q.shape:
        ways = {"heads of a group as rows": ways[""], "enable_gqa": calls_of(q, enable_gqa=True)}
    with refusals("PyTorch", torch_version), torch.inference_mode():
        way = min(ways, key=lambda way: best_of_three(ways[way]))
    return Prepared(ways[way], lambda: results[0].float().numpy().reshape(q.shape), torch.inference_mode, way)


def torch_version():
    return import_or_say("torch").__version__


# ---- onnxruntime

def flatten(x):
    """[batch, heads, len, d] to [batch, len, heads x d], what Microsoft's operators take."""
    batch, heads, length, d = x.shape
    return np.ascontiguousarray(x.swapaxes(1, 2)).reshape(batch, length, heads * d)


def unflatten(x, heads):
    batch, length, size = x.shape
    return x.reshape(batch, length, heads, size // heads).swapaxes(1, 2)


def model_of(node, inputs, outputs, opset):
    """A model of one node; tensors are (name, array)."""
    onnx = import_or_say("onnx")

    def describe(tensors):
        return [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
                for name, x in tensors.items()]

    graph = onnx.helper.make_graph([node], "attention", describe(inputs), describe(outputs))
    opsets = [onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def session_of(model, threads):
    """Threads that do not spin after their work: they would take the next contestant's time."""
    onnxruntime = import_or_say("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def bind(session, inputs, outputs):
    """Inputs and outputs in memory that stays: a call copies nothing of them."""
    onnxruntime = import_or_say("onnxruntime")
    binding = session.io_binding()
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(x) for name, x in {**inputs, **outputs}.items()}
    for name in inputs:
        binding.bind_ortvalue_input(name, values[name])
    for name in outputs:
        binding.bind_ortvalue_output(name, values[name])
    return binding


def run_node(node, cases, output, threads, opset=21):
    """cases: the inputs and outputs for each cache, by name; output: what reads that of the attention."""
    model = model_of(node, *cases[0], opset)
    import_or_say("onnxruntime")
    with refusals("onnxruntime", onnxruntime_version):
        session = session_of(model, threads)
        calls = [partial(session.run_with_iobinding, bind(session, *case)) for case in cases]
        calls[0]()
    return Prepared(calls, output, kept=cases)


def group_query_attention(q, caches, causal, threads):
    """Causal by construction. In a prefill it copies k and v into a cache, in each call. In a decode the cache is
    there, and the new row of k and v, which it writes, is the one that the cache ends with."""
    heads, length = q.shape[1], q.shape[2]
    heads_kv, total = caches[0][0].shape[1:3]
    decode = length < total
    if not (causal or decode) or caches[0][0].dtype == BF16:
        return None
    q = flatten(q.astype(caches[0][0].dtype))
    o = np.full_like(q, np.nan)
    last, total = np.full(len(q), total - 1, np.int32), np.full((), total, np.int32)
    cases = []
    for k, v in caches:
        inputs = {"q": q, "k": flatten(k[:, :, -length:]), "v": flatten(v[:, :, -length:])}
        past = {"past_k": k, "past_v": v} if decode else {}
        present = (k, v) if decode else (np.zeros_like(k), np.zeros_like(v))
        cases.append(({**inputs, **past, "last": last, "length": total},
                      {"o": o, "cache_k": present[0], "cache_v": present[1]}))
    node = import_or_say("onnx").helper.make_node(
        "GroupQueryAttention", ["q", "k", "v", *(past or ("", "")), "last", "length"], ["o", "cache_k", "cache_v"],
        domain="com.microsoft", num_heads=heads, kv_num_heads=heads_kv)
    return run_node(node, cases, lambda: unflatten(o, heads), threads)


def multi_head_attention(q, caches, causal, threads):
    """k and v of a decode are as they are in the cache, which this operator takes as well."""
    if caches[0][0].dtype == BF16:
        return None
    rows = fold(q, caches)
    heads = rows.shape[1]
    lay_out = flatten if rows.shape == q.shape else np.asarray
    flat = flatten(rows.astype(caches[0][0].dtype))
    o = np.full_like(flat, np.nan)
    cases = [({"q": flat, "k": lay_out(k), "v": lay_out(v)}, {"o": o}) for k, v in caches]
    node = import_or_say("onnx").helper.make_node(
        "MultiHeadAttention", ["q", "k", "v"], ["o"], domain="com.microsoft", num_heads=heads,
        unidirectional=int(causal))
    return run_node(node, cases, lambda: unflatten(o, heads).reshape(q.shape), threads)


def standard_attention(q, caches, causal, threads):
    if caches[0][0].dtype == BF16:
        return None
    rows = fold(q, caches).astype(caches[0][0].dtype)
    o = np.full_like(rows, np.nan)
    cases = [({"q": rows, "k": k, "v": v}, {"o": o}) for k, v in caches]
    node = import_or_say("onnx").helper.make_node("Attention", ["q", "k", "v"], ["o"], is_causal=int(causal))
    return run_node(node, cases, lambda: o.reshape(q.shape), threads, opset=23)


def onnxruntime_version():
    return import_or_say("onnxruntime").__version__


# Name to what prepares it; None from it: not made for this mask or type. Caches are pairs of k and v: one, or those
# that a decode rotates over. All take and give [batch, heads, len, d], except Microsoft's operators of onnxruntime:
# theirs is [batch, len, heads x d], made before anything is timed, for everything but the cache of a decode.
ATTN = "attn.h"
CONTESTANTS = {
    ATTN: attn,
    "OpenBLAS sgemm": openblas,
    "PyTorch SDPA": torch_sdpa,
    "onnxruntime GroupQueryAttention": group_query_attention,
    "onnxruntime MultiHeadAttention": multi_head_attention,
    "onnxruntime Attention-23": standard_attention,
}
VERSIONS = {"OpenBLAS": openblas_version, "PyTorch": torch_version, "onnxruntime": onnxruntime_version}


def versions():
    """Of what is installed, by name."""
    found = {}
    for name, version in VERSIONS.items():
        try:
            found[name] = version()
        except Unavailable:
            pass  # each case says so, by contestant
    return found
