#!/usr/bin/env python3
"""Write what docs/numerics.md shows of the recorded errors, and its plot. With results of the accuracy
campaign, one file per build of the library, record their largest errors first."""

import argparse
import csv
import hashlib
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/accuracy/recorded.tsv"
CELL = ("isa", "family", "type", "keys", "spread")
MEASURES = ("o", "lse", "o_of_bound", "lse_of_bound", "naive")
FAMILIES = ("prefill", "decode")
TYPES = ("f32", "f16", "bf16", "int8", "bf16-products")
STYLES = {"prefill": {"linestyle": "-", "marker": "o"}, "decode": {"linestyle": "--", "marker": "s"},
          "naive": {"linestyle": ":", "marker": "x", "color": "black"}}
BEGIN = "<!-- Errors as recorded: written by make accuracy-record. -->\n"
END = "<!-- End of the errors as recorded. -->\n"


class BadResults(Exception):
    """Files that cannot be recorded; the message is one line for the user."""


def read(path):
    """The cells of a file, in the order of their fields, and its comments."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    comments = [line[2:] for line in lines if line.startswith("# ")]
    table = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
    if tuple(table.fieldnames or ()) != CELL + MEASURES:
        raise BadResults(f"{path}: not a result of the accuracy campaign")
    return [row | {name: float(row[name]) for name in ("spread",) + MEASURES} | {"keys": int(row["keys"])}
            for row in table], comments


def merge(results):
    """The largest error of each cell over several lists of cells."""
    merged = {}
    for row in (row for rows in results for row in rows):
        cell = merged.setdefault(tuple(row[name] for name in CELL), row)
        cell |= {name: max(cell[name], row[name]) for name in MEASURES}
    return [merged[cell] for cell in sorted(merged)]


def save_record(files, path):
    results = {file.stem: read(file) for file in files}
    rows = merge(rows for rows, _ in results.values())
    if path.exists():
        lost = {row["isa"] for row in read(path)[0]} - {row["isa"] for row in rows}
        if lost:
            raise BadResults(f"{', '.join(sorted(lost))}: recorded before, and not measured now")
    lines = [f"# {build}: {compiler}" for build, (_, (compiler,)) in results.items()]
    lines += ["\t".join(CELL + MEASURES)]
    lines += ["\t".join(row[name] if isinstance(row[name], str) else f"{row[name]:g}" for name in CELL + MEASURES)
              for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def isas_of(rows):
    return sorted({row["isa"] for row in rows})


# ---- The tables.

def worst(rows, measure, **wanted):
    """The largest error of the cells whose fields are as wanted; None if there is none."""
    return max((row[measure] for row in rows if all(row[name] == value for name, value in wanted.items())),
               default=None)


def short(x):
    return f"{x:.2g}" if x < 10 else f"{float(f'{x:.2g}'):,.0f}"


def table(rows, title, lines):
    """Of each line (names, measure, cells) the errors at every spread; lines without cells are left out."""
    spreads = sorted({row["spread"] for row in rows})
    text = [f"| {title} |" + "".join(f" {spread:g} |" for spread in spreads), "|---" * (len(spreads) + 2) + "|"]
    for names, measure, wanted in lines:
        if worst(rows, measure, **wanted) is None:
            continue
        errors = (short(worst(rows, measure, spread=spread, **wanted)) for spread in spreads)
        text.append(f"| {names} | " + " | ".join(errors) + " |")
    return "\n".join(text) + "\n"


def by_type(measure):
    return [(f"{family} | {kind.replace('-', ', ')}", measure, {"family": family, "type": kind})
            for family in FAMILIES for kind in TYPES]


def by_isa(rows):
    return [(f"{family} | {isa}", "o", {"family": family, "isa": isa, "type": "f32"})
            for family in FAMILIES for isa in isas_of(rows)]


def section(rows, comments):
    naive = ("naive f32 | f32", "naive", {"type": "f32"})
    bounds = " and ".join(f"{worst(rows, measure + '_of_bound'):.2f} for {measure}" for measure in ("o", "lse"))
    return f"""o, largest error in units of 2^-24 max\\|v\\|, by the spread of the scores:

{table(rows, "o | type", by_type("o") + [naive])}
lse, in units of 2^-24:

{table(rows, "lse | type", by_type("lse"))}
o by instruction set, f32, in units of 2^-24 max\\|v\\|:

{table(rows, "o | kernels", by_isa(rows))}
The largest error over its bound was {bounds}. Builds: {"; ".join(comments)}.
"""


def insert(document, text):
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + text + END + after


# ---- The plot.

def plot_line(axes, rows, over, measure, style, label, **wanted):
    """Errors of 0 are left out: the axis is logarithmic."""
    errors = {place: worst(rows, measure, **{over: place}, **wanted) for place in sorted({row[over] for row in rows})}
    errors = {place: error for place, error in errors.items() if error}
    if errors:
        axes.plot(errors.keys(), errors.values(), label=label, **style)


def plot_spreads(axes, rows, keys):
    for number, isa in enumerate(isas_of(rows)):
        for family in FAMILIES:
            plot_line(axes, rows, "spread", "o", STYLES[family] | {"color": f"C{number}", "markersize": 4},
                      f"{isa}, {family}", isa=isa, family=family, type="f32", keys=keys)
    plot_line(axes, rows, "spread", "o", {"color": "tab:cyan", "marker": "^", "markersize": 4}, "products of bf16",
              type="bf16-products", keys=keys)
    plot_line(axes, rows, "spread", "naive", STYLES["naive"], "naive f32", type="f32", keys=keys)
    spreads = sorted({row["spread"] for row in rows})
    axes.plot(spreads, spreads, color="tab:grey", linewidth=4, alpha=0.4, label="spread x 2^-24")
    axes.set_xscale("log")
    axes.set_ylim(0.02, 1e6)
    axes.set_xlabel("standard deviation of the scores")
    axes.set_ylabel("largest error of o, 2^-24 max|v|")
    axes.set_title(f"{keys} keys", fontsize=11)


def plot_keys(axes, rows, spread):
    for family in FAMILIES:
        plot_line(axes, rows, "keys", "o", STYLES[family], family, family=family, type="f32", spread=spread)
    plot_line(axes, rows, "keys", "naive", STYLES["naive"], "naive f32", type="f32", spread=spread)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("keys")
    axes.set_title(f"f32, all instruction sets, spread {spread}", fontsize=11)


def plot(rows, path, digest):
    """The digest of the record goes into the picture, so that a test can tell an old one."""
    plt.rcParams.update({"svg.hashsalt": "attn", "font.size": 11, "axes.grid": True, "grid.alpha": 0.3,
                         "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 100})
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5))
    plot_spreads(left, rows, 128)
    plot_keys(right, rows, 1)
    for axes, place in ((left, "lower right"), (right, "upper right")):
        axes.set_yscale("log")
        axes.legend(fontsize=9, loc=place)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Description": digest})
    plt.close(figure)


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="results of the campaign, named by their builds")
    args = parser.parse_args()
    try:
        if args.files:
            save_record(args.files, RECORD)
        rows, comments = read(RECORD)
    except BadResults as error:
        sys.exit(f"accuracy-record: {error}")
    page = ROOT / "docs/numerics.md"
    page.write_text(insert(page.read_text(encoding="utf-8"), section(rows, comments)), encoding="utf-8")
    plot(rows, ROOT / "docs/plots/accuracy.svg", digest_of(RECORD))
    print("wrote docs/numerics.md and docs/plots/accuracy.svg")


if __name__ == "__main__":
    main()
