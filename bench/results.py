"""The result files of attn_bench: reading them, and saying what a result is of."""

import json

MEASURED = ("ms", "gflops", "of_peak", "of_peak_quiet", "gbps", "of_bandwidth", "of_bandwidth_quiet", "rounds",
            "quiet_rounds", "max_error")
SHAPE = ("case", "isa", "dtype", "layout", "d", "t", "heads", "kv_heads", "threads")
DTYPES = ("f32", "f16", "bf16", "i8")  # of k and v


class BadResults(Exception):
    """A file that is not a result of attn_bench; the message is one line for the user."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
    except OSError as error:
        raise BadResults(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadResults(f"{path}: not JSON ({error})") from error
    if not isinstance(run, dict) or run.get("schema") != 1:
        raise BadResults(f"{path}: not a result of attn_bench (schema 1)")
    missing = {"machine", "results"} - set(run)
    missing |= {key for result in run.get("results", []) for key in SHAPE + MEASURED if key not in result}
    if missing:
        raise BadResults(f"{path}: {', '.join(sorted(missing))} missing")
    for result in run["results"]:  # files of before there was a choice do not say it
        result.setdefault("len_q", 1 if is_decode(result) else result["t"])
        result.setdefault("option", "none")
        result.setdefault("of_plain", None)
    return run


def is_of_options(result):
    """Whether a result has an option, or is what such ones are compared with."""
    return result["option"] != "none" or result["of_plain"] is not None


def is_decode(result):
    return result["case"].startswith("decode")


def describe(result):
    words = [result["case"], result["isa"], result["dtype"], result["layout"], f"d {result['d']}",
             f"t {result['t']}", f"heads {result['heads']}/{result['kv_heads']}"]
    if is_decode(result) and result["len_q"] > 1:
        words.append(f"{result['len_q']} queries")
    if result["option"] != "none":
        words.append(f"with {result['option']}")
    return " ".join(words + ([f"{result['threads']} threads"] if result["threads"] > 1 else []))


def fraction(result):
    """Of the bandwidth for decode, of the peak for the rest: the median of all rounds."""
    return result["of_bandwidth" if is_decode(result) else "of_peak"]
