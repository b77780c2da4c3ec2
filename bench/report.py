#!/usr/bin/env python3
"""Merge results of attn_bench, one file per machine, into docs/benchmarks.md and its plots."""

import argparse
import re
import sys
from pathlib import Path

import jinja2
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

import results

DTYPE_COLOURS = {"f32": "tab:blue", "f16": "tab:orange", "bf16": "tab:green", "i8": "tab:red"}
COLOURS = {32: "tab:green", 64: "tab:blue", 128: "tab:orange", 256: "tab:red"}  # of head sizes
ROOT = Path(__file__).resolve().parent.parent
plt.rcParams.update({"svg.hashsalt": "attn", "font.size": 11, "axes.grid": True, "grid.alpha": 0.3,
                     "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 100})


def select(run, options=False, **wanted):
    """Measured results whose fields are as wanted, in the order of T: those of options, or the others."""
    found = [r for r in run["results"] if r["ms"] is not None and results.is_of_options(r) == options and
             all(r[key] == value for key, value in wanted.items())]
    return sorted(found, key=lambda r: (r["d"], r["t"], r["heads"], r["case"], r["len_q"], dtype_order(r)))


def dtype_order(result):
    known = results.DTYPES
    return known.index(result["dtype"]) if result["dtype"] in known else len(known)


def plain(run, case, isa, dtype="f32", **wanted):
    """8 heads over 8, one thread, [heads, len, d], f32 unless said."""
    return select(run, case=case, isa=isa, dtype=dtype, heads=8, kv_heads=8, threads=1, layout="bhsd", **wanted)


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
    return f"{folder.name}/{name}.svg"


def length_axis(axes, lengths):
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [str(t) for t in lengths])
    axes.set_xlabel("T")


def plot_peak(run, folder, name):
    """Fraction of the peak over T, a line per head size: causal beside no mask."""
    isa = run["machine"]["isa"]
    panels = [(title, [r for r in plain(run, case, isa) if r["t"] >= 128 and results.fraction(r)])
              for case, title in (("prefill", "causal"), ("full", "no mask"))]
    panels = [(title, rows) for title, rows in panels if rows]
    if not panels:
        return None
    figure, row = plt.subplots(1, len(panels), figsize=(5 * len(panels), 4), sharey=True, squeeze=False)
    for axes, (title, rows) in zip(row[0], panels):
        for d in sorted({r["d"] for r in rows}):
            line = [r for r in rows if r["d"] == d]
            if len(line) > 1:
                axes.plot([r["t"] for r in line], [results.fraction(r) for r in line], "o-",
                          color=COLOURS.get(d), label=f"head size {d}")
        axes.set_title(f"{title}, {isa}, f32, 8 heads, one thread", fontsize=11)
        length_axis(axes, sorted({r["t"] for r in rows}))
        axes.set_ylim(0, 1)
        if axes.lines:
            axes.legend(loc="lower right")
    row[0][0].set_ylabel("useful work, fraction of the FMA peak")
    return save(figure, folder, name)


def plot_scalar(run, folder, name):
    """GFLOP/s of each instruction set over T, head size 64."""
    lines = {isa: [r for r in plain(run, "prefill", isa, d=64) if r["t"] >= 128]
             for isa in sorted({r["isa"] for r in run["results"]})}
    if not any(lines.values()):
        return None
    figure, axes = plt.subplots(figsize=(6, 4))
    for isa, line in lines.items():
        axes.plot([r["t"] for r in line], [r["gflops"] for r in line], "o-", label=isa)
    length_axis(axes, sorted({r["t"] for line in lines.values() for r in line}))
    axes.set_ylim(bottom=0)
    axes.set_ylabel("useful GFLOP/s")
    axes.set_title("causal, f32, head size 64, 8 heads, one thread", fontsize=11)
    axes.legend()
    return save(figure, folder, name)


def plot_decode(run, folder, name):
    """A group of bars per shape, a bar per type: the fraction of the bandwidth beside GB/s."""
    rows = select(run, case="decode", isa=run["machine"]["isa"], threads=1)
    if not rows:
        return None
    shapes = list(dict.fromkeys(shape(r) for r in rows))
    types = [t for t in results.DTYPES if any(r["dtype"] == t for r in rows)]
    figure, panels = plt.subplots(1, 2, figsize=(12, (0.12 + 0.28 * len(types)) * len(shapes) + 1.5), sharey=True)
    for axes, of, label in ((panels[0], results.fraction, "K and V, fraction of the read bandwidth"),
                            (panels[1], lambda r: r["gbps"], "K and V, GB/s")):
        for number, dtype in enumerate(types):
            found = [r for r in rows if r["dtype"] == dtype]
            height = 0.8 / len(types)
            places = [shapes.index(shape(r)) + (number - (len(types) - 1) / 2) * height for r in found]
            bars = axes.barh(places, [of(r) for r in found], height, color=DTYPE_COLOURS[dtype], label=dtype)
            axes.bar_label(bars, fmt=" %.2f" if of is results.fraction else " %.1f", fontsize=9)
        axes.margins(x=0.3, y=0.02)
        axes.set_xlabel(label)
    panels[0].set_xlim(0, max(1, *(1.1 * results.fraction(r) for r in rows)))
    panels[0].set_yticks(range(len(shapes)), [decode_label(r) for r in shapes])
    panels[0].invert_yaxis()
    panels[0].set_title("cold cache, one thread", fontsize=11)
    panels[1].legend(title="k and v", loc="lower left", bbox_to_anchor=(1, 0))
    return save(figure, folder, name)


def decode_label(shape_of_result):
    _, d, t, heads, kv_heads, len_q, _, _ = shape_of_result
    queries = f", {len_q} queries" if len_q > 1 else ""
    return f"d {d}, {t} keys, {heads} over {kv_heads} heads{queries}"


def plot_machines(runs, folder):
    rows = [(run, plain(run, "prefill", run["machine"]["isa"], d=64, t=2048)) for run in runs]
    rows = [(run, found[0]) for run, found in rows if found and results.fraction(found[0])]
    if len(rows) < 2:
        return None
    figure, axes = plt.subplots(figsize=(11, 0.5 * len(rows) + 1.5))
    labels = [f"{run['machine']['cpu']}, {run['machine']['isa']}, {run['machine']['compiler']}"
              for run, _ in rows]
    bars = axes.barh(labels, [r["gflops"] for _, r in rows], color="tab:blue")
    axes.bar_label(bars, [f" {results.fraction(r):.2f} of its peak" for _, r in rows])
    axes.margins(x=0.6)
    axes.invert_yaxis()
    axes.set_xlabel("useful GFLOP/s")
    axes.set_title("causal, f32, T 2048, head size 64, 8 heads, one thread", fontsize=11)
    return save(figure, folder, "machines")


def prefill_table(run):
    """{(mask, type, heads, layout, head size): {T: text}} for the machine's best instruction set."""
    rows = {}
    for r in select(run, isa=run["machine"]["isa"], threads=1):
        if r["case"] not in ("prefill", "full") or r["of_peak"] is None:
            continue
        group = f"{r['heads']} over {r['kv_heads']}"
        quiet = "-" if r["of_peak_quiet"] is None else f"{r['of_peak_quiet']:.2f}"
        mask = "causal" if r["case"] == "prefill" else "no mask"
        key = (mask, r["dtype"], group, r["layout"], r["d"])
        rows.setdefault(key, {})[r["t"]] = f"{quiet} / {r['of_peak']:.2f}"
    return dict(sorted(rows.items(), key=lambda row: (row[0][0], dtype_order({"dtype": row[0][1]}), row[0])))


def options_table(run):
    """{(option, T): {head size: part of the speed without it}}"""
    rows = {}
    for r in select(run, options=True, isa=run["machine"]["isa"]):
        if r["option"] != "none" and r["of_plain"] is not None:
            rows.setdefault((r["option"], r["t"]), {})[r["d"]] = r["of_plain"]
    return rows


def worst_error(run, narrow):
    """The largest error of the cases whose output has 16 bits, or of the others."""
    return max((r["max_error"] for r in run["results"]
                if (r["dtype"] in ("f16", "bf16") and not results.is_decode(r)) == narrow), default=0)


def shape(result):
    """What a decode is of, but for the type."""
    return tuple(result[key] for key in ("case", "d", "t", "heads", "kv_heads", "len_q", "layout", "threads"))


def decode_rows(run):
    """(result, how many times as fast as with f32, or None) for the machine's best instruction set."""
    rows = [r for r in select(run, isa=run["machine"]["isa"]) if results.is_decode(r)]
    f32 = {shape(r): r["ms"] for r in rows if r["dtype"] == "f32"}
    return [(r, f32[shape(r)] / r["ms"] if shape(r) in f32 else None) for r in rows]


def report(runs, folder, plots):
    sections = []
    for number, run in enumerate(runs, 1):
        table = prefill_table(run)
        section = {"machine": run["machine"], "rows": table,
                   "lengths": sorted({t for row in table.values() for t in row}),
                   "decode": decode_rows(run), "options": options_table(run),
                   "threads": [(r, one) for r in select(run, isa=run["machine"]["isa"])
                               if r["threads"] > 1
                               for one in plain(run, r["case"], r["isa"], r["dtype"], d=r["d"], t=r["t"],
                                                len_q=r["len_q"])],
                   "rounds": sum(r["rounds"] for r in run["results"]),
                   "quiet": sum(r["quiet_rounds"] for r in run["results"]),
                   "worst": worst_error(run, narrow=False), "worst_narrow": worst_error(run, narrow=True),
                   "plots": []}
        if not run["machine"]["emulated"]:
            made = (plot_peak(run, plots, f"peak-{number}"), plot_scalar(run, plots, f"scalar-{number}"),
                    plot_decode(run, plots, f"decode-{number}"))
            section["plots"] = [plot for plot in made if plot]
        sections.append(section)
    measured = [run for run in runs if not run["machine"]["emulated"]]
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(ROOT / "bench"), trim_blocks=True,
                             lstrip_blocks=True, keep_trailing_newline=True,
                             undefined=jinja2.StrictUndefined)
    text = env.get_template("benchmarks.md.j2").render(
        sections=sections, machines=plot_machines(measured, plots))
    (folder / "benchmarks.md").write_text(text, encoding="utf-8")


def own_plots(folder):
    """What a report has drawn there: other pictures are not its own."""
    return [path for path in folder.glob("*.svg")
            if re.fullmatch(r"(peak|scalar|decode)-\d+|machines", path.stem)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="default: bench/results/*.json")
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="default: docs/")
    args = parser.parse_args()
    files = args.files or sorted((ROOT / "bench/results").glob("*.json"))
    if not files:
        sys.exit("report: no results; make some with: make bench ARGS=\"--json bench/results/NAME.json\"")
    try:
        runs = [results.read(path) for path in files]
    except results.BadResults as error:
        sys.exit(f"report: {error}")
    plots = args.out / "plots"
    plots.mkdir(parents=True, exist_ok=True)
    for plot in own_plots(plots):
        plot.unlink()
    report(runs, args.out, plots)
    print(f"wrote {args.out / 'benchmarks.md'} and {len(own_plots(plots))} plots")


if __name__ == "__main__":
    main()
