"""attn.h and its peers: each is prepared for one case and then called as often as a measurement wants."""

import ctypes
import os
import sys
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Callable

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/examples"))
import attn_numpy  # noqa: E402

INSTALL = 'run "make deps-peers"'
BLOCK_ROWS = (64, 128, 192)  # of the OpenBLAS peer: the fastest for the case is the one that counts


class Unavailable(Exception):
    """A contestant that cannot run this; the message is one line for the user."""


@dataclass
class Prepared:
    """A contestant with the inputs of one case."""
    call: Callable[[], object]  # one attention
    output: Callable[[], np.ndarray]  # of the last call, [batch, heads, len, head_size]
    context: Callable = nullcontext  # what calls run in
    note: str = ""
    kept: tuple = ()  # what a call has only pointers to


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


def attn(q, k, v, causal, threads):
    forward, workspace_size = attn_library(threads)
    batch, heads, length, d = q.shape
    o = np.full_like(q, np.nan)
    params = attn_numpy.Params(
        **{name: attn_numpy.tensor(x) for name, x in (("q", q), ("k", k), ("v", v), ("o", o))},
        batch=batch, heads_q=heads, len_q=length, len_kv=length, head_size=d, causal=causal, threads=threads)
    size = ctypes.c_size_t()
    if workspace_size(ctypes.byref(params), ctypes.byref(size)) != 0:
        raise Unavailable("it does not take this case")
    workspace = np.zeros(size.value, np.uint8)
    call = partial(forward, ctypes.byref(params), workspace.ctypes.data, size.value)
    return Prepared(call, lambda: o, kept=(q, k, v, workspace))


# ---- OpenBLAS

def openblas_library():
    library = load(ROOT / "build/openblas_attn.so", INSTALL)
    library.openblas_attn_version.restype = ctypes.c_char_p
    library.openblas_attn_scratch.restype = ctypes.c_size_t
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    library.openblas_attn.argtypes = [pointer] * 5 + [integer] * 6
    library.openblas_attn.restype = None
    return library


def best_of_three(call):
    call()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def openblas(q, k, v, causal, threads):
    library = openblas_library()
    heads, length, d = q.shape[1:]
    o = np.full_like(q, np.nan)
    scratch = np.zeros(threads * library.openblas_attn_scratch(length, max(BLOCK_ROWS)), np.float32)
    pointers = [x.ctypes.data for x in (q, k, v, o, scratch)]
    calls = {rows: partial(library.openblas_attn, *pointers, heads, length, d, causal, threads, rows)
             for rows in BLOCK_ROWS}
    rows = min(BLOCK_ROWS, key=lambda rows: best_of_three(calls[rows]))
    o[:] = np.nan
    return Prepared(calls[rows], lambda: o, note=f"blocks of {rows} rows", kept=(q, k, v, scratch))


def openblas_version():
    return openblas_library().openblas_attn_version().decode().replace("OpenBLAS", "").strip()


# ---- PyTorch

def import_or_say(name):
    try:
        return import_module(name)
    except ImportError as error:
        raise Unavailable(f"{name} is not installed: {INSTALL}") from error


def torch_sdpa(q, k, v, causal, threads):
    torch = import_or_say("torch")
    torch.set_num_threads(threads)
    attention = torch.nn.functional.scaled_dot_product_attention
    q, k, v = (torch.from_numpy(x) for x in (q, k, v))
    results = [None]

    def call():
        results[0] = attention(q, k, v, is_causal=causal)

    return Prepared(call, lambda: results[0].numpy(), torch.inference_mode)


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


@contextmanager
def refusals():
    """What onnxruntime says of an operator or attribute that it does not have. Its exceptions have no common base."""
    try:
        yield
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise Unavailable(f"not available in onnxruntime {onnxruntime_version()}: {reason}") from error


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
    return binding, values


def run_node(node, inputs, outputs, threads, heads=None, opset=21):
    """The first output is the attention's; heads: of a flat one."""
    model = model_of(node, inputs, outputs, opset)
    import_or_say("onnxruntime")
    with refusals():
        session = session_of(model, threads)
        binding, values = bind(session, inputs, outputs)
        session.run_with_iobinding(binding)

    def output():
        o = values[next(iter(outputs))].numpy()
        return o if heads is None else unflatten(o, heads)

    return Prepared(partial(session.run_with_iobinding, binding), output)


def group_query_attention(q, k, v, causal, threads):
    """Causal by construction. It copies k and v into a cache, in each call."""
    if not causal:
        return None
    heads, length = q.shape[1], q.shape[2]
    inputs = {"q": flatten(q), "k": flatten(k), "v": flatten(v),
              "last": np.full(q.shape[0], length - 1, np.int32), "length": np.full((), length, np.int32)}
    outputs = {"o": np.full_like(inputs["q"], np.nan), "cache_k": np.zeros_like(k), "cache_v": np.zeros_like(v)}
    node = import_or_say("onnx").helper.make_node(
        "GroupQueryAttention", ["q", "k", "v", "", "", "last", "length"], list(outputs),
        domain="com.microsoft", num_heads=heads, kv_num_heads=heads)
    return run_node(node, inputs, outputs, threads, heads)


def multi_head_attention(q, k, v, causal, threads):
    heads = q.shape[1]
    inputs = {"q": flatten(q), "k": flatten(k), "v": flatten(v)}
    outputs = {"o": np.full_like(inputs["q"], np.nan)}
    node = import_or_say("onnx").helper.make_node(
        "MultiHeadAttention", list(inputs), list(outputs), domain="com.microsoft", num_heads=heads,
        unidirectional=int(causal))
    return run_node(node, inputs, outputs, threads, heads)


def standard_attention(q, k, v, causal, threads):
    inputs = {"q": q, "k": k, "v": v}
    outputs = {"o": np.full_like(q, np.nan)}
    node = import_or_say("onnx").helper.make_node(
        "Attention", list(inputs), list(outputs), is_causal=int(causal))
    return run_node(node, inputs, outputs, threads, opset=23)


def onnxruntime_version():
    return import_or_say("onnxruntime").__version__


# Name to what prepares it; None from it: not made for this mask. All take and give [batch, heads, len, d], except
# Microsoft's operators of onnxruntime: theirs is [batch, len, heads x d], made before anything is timed.
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
