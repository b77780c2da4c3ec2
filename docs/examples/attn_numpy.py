#!/usr/bin/env python3
"""attn.h from Python: ctypes over the shared library, NumPy arrays in and out.

  make shared
  python3 docs/examples/attn_numpy.py build/libattn.so
"""

import ctypes
import sys

import numpy as np

INTERFACE = 1  # ATTN_INTERFACE of the header that the library was built from


TYPES = {np.dtype(np.float32): 0, np.dtype(np.float16): 1}  # attn_type


class Tensor(ctypes.Structure):  # attn_tensor
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("stride_b", ctypes.c_int64),
        ("stride_h", ctypes.c_int64),
        ("stride_s", ctypes.c_int64),
        ("stride_d", ctypes.c_int64),
    ]


class Matrix(ctypes.Structure):  # attn_matrix
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        *((name, ctypes.c_int64) for name in ("stride_b", "stride_h", "stride_q", "stride_k")),
    ]


class Params(ctypes.Structure):  # attn_params
    _fields_ = [
        *((name, Tensor) for name in ("q", "k", "v", "o", "lse", "k_scale", "v_scale")),
        *((name, ctypes.c_int64) for name in ("batch", "heads_q", "heads_kv", "len_q", "len_kv",
                                              "head_size", "head_size_v")),
        ("scale", ctypes.c_float),
        ("causal", ctypes.c_bool),
        ("align", ctypes.c_int),
        ("offset", ctypes.c_int64),
        ("window", ctypes.c_bool),
        *((name, ctypes.c_int64) for name in ("window_left", "window_right", "window_dilation",
                                              "window_globals", "window_stride")),
        *((name, Matrix) for name in ("mask", "bias", "block_mask")),
        ("block_q", ctypes.c_int64),
        ("block_k", ctypes.c_int64),
        ("softcap", ctypes.c_float),
        *((name, ctypes.c_void_p) for name in ("alibi_slopes", "sinks", "seqlens_kv", "cu_seqlens_q",
                                               "cu_seqlens_kv")),
        ("page_size", ctypes.c_int64),
        ("page_table", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("page_table_stride", "pages", "ring_size")),
        ("isa", ctypes.c_int),
        ("family", ctypes.c_int),
        ("capacity_q", ctypes.c_int64),
        ("capacity_kv", ctypes.c_int64),
        ("threads", ctypes.c_int32),
        ("exact_bf16", ctypes.c_bool),
    ]


def tensor(array):
    """Describe an array [batch, heads, len, head_size], float32 or float16, of any strides; no copy is made."""
    assert array.dtype in TYPES and array.ndim == 4
    return Tensor(array.ctypes.data, TYPES[array.dtype], *(stride // array.itemsize for stride in array.strides))


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        self.forward = library[f"attn_forward_v{INTERFACE}"]
        self.forward.argtypes = [ctypes.POINTER(Params), ctypes.c_void_p, ctypes.c_size_t]
        self.status_string = library[f"attn_status_string_v{INTERFACE}"]
        self.status_string.restype = ctypes.c_char_p

    def attention(self, q, k, v, causal=False):
        """softmax(q k^T / sqrt(head_size)) v; k and v may have fewer heads than q."""
        batch, heads_q, len_q, head_size = q.shape
        o = np.empty((batch, heads_q, len_q, v.shape[3]), np.float32)
        params = Params(
            q=tensor(q), k=tensor(k), v=tensor(v), o=tensor(o), batch=batch, heads_q=heads_q,
            heads_kv=k.shape[1], len_q=len_q, len_kv=k.shape[2], head_size=head_size,
            head_size_v=v.shape[3], causal=causal,
        )
        status = self.forward(ctypes.byref(params), None, 0)
        if status != 0:
            raise ValueError(self.status_string(status).decode())
        return o


def reference(q, k, v, causal):
    """The same in double precision. Causal: the last query sees the last key."""
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x.astype(np.float64), group, axis=1) for x in (k, v))
    scores = q.astype(np.float64) @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    if causal:
        len_q, len_kv = scores.shape[2:]
        scores[..., ~np.tri(len_q, len_kv, len_kv - len_q, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    return weights / weights.sum(axis=3, keepdims=True) @ v


def main(path):
    library = Library(path)
    random = np.random.default_rng(0)
    # Projections give [batch, len, heads, head_size]: two axes are swapped, nothing is copied.
    q = random.standard_normal((2, 100, 8, 64), np.float32).swapaxes(1, 2)
    k, v = (random.standard_normal((2, 150, 2, 64), np.float32).swapaxes(1, 2) for _ in range(2))
    worst = 0.0
    for dtype in (np.float32, np.float16):
        k, v = k.astype(dtype), v.astype(dtype)
        for causal in (False, True):
            error = np.abs(library.attention(q, k, v, causal) - reference(q, k, v, causal)).max()
            print(f"k and v {dtype.__name__}, causal {causal}: largest difference from NumPy {error:.1e}")
            worst = max(worst, error)
    return 0 if worst < 1e-5 else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    sys.exit(main(sys.argv[1]))
