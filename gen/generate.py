#!/usr/bin/env python3
"""Render the kernels and put attn.h together.

Without --out, writes attn.h and generated/ of the project. With --out FILE, writes one header and leaves
the project alone. With --check, renders what generated/manifest.json records, compares and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path

GEN = Path(__file__).resolve().parent
ROOT = GEN.parent
sys.path.insert(0, str(GEN))

import jinja2  # noqa: E402

import spec  # noqa: E402
from isa import UnknownOperation  # noqa: E402

# C and C++ keywords that a prefix might collide with; symbols append to it, so few matter.
C_KEYWORDS = set("""auto bool break case char class const continue default delete do double else enum
extern float for goto if inline int long namespace new register restrict return short signed sizeof
static struct switch template this typedef union unsigned using virtual void volatile while""".split())


class Request:
    """What to generate: as asked, and resolved against spec.py."""

    def __init__(self, head_sizes=None, isas=None, prefix="attn"):
        self.options = {"head_sizes": head_sizes, "isa": isas, "prefix": prefix}
        spec.check_head_sizes(head_sizes or [])
        spec.check_isas(isas or [])
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix) or prefix in C_KEYWORDS:
            raise spec.SpecError(f"prefix '{prefix}' is not a C identifier")
        self.prefix = prefix
        self.head_sizes = sorted(spec.HEAD_SIZES if head_sizes is None else head_sizes)
        spec.check_head_sizes(self.head_sizes)
        wanted = spec.ISAS if isas is None else isas
        self.known = sorted((spec.load_isa(n) for n in spec.ISAS), key=lambda isa: isa.number)
        self.isas = [isa for isa in self.known if isa.name in wanted or isa.name in spec.ALWAYS]

    def head_sizes_of(self, isa, element):
        """Specialised sizes, then 0 for the kernel that takes any, which plain C and types other than
        f32 have alone."""
        return [0] if isa.lanes == 1 or element != "f32" else [*self.head_sizes, 0]


def environment():
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(GEN / "templates"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)


def render(request):
    """{file name in generated/: text} in the order of the header, and the pieces that are not kernels."""
    env = environment()
    tiles = {isa.name: spec.tile_of(isa) for isa in request.isas}
    env.globals.update(
        exp2_coefficients=spec.EXP2, expm1_coefficients=spec.EXPM1, tiles=tiles, families=spec.FAMILIES,
        types=spec.TYPES, bytes_of=spec.BYTES, line_bytes=spec.LINE_BYTES, families_of=spec.families_of,
        products_of=spec.products_of, types_of=spec.types_of, together=spec.TOGETHER, narrow=spec.NARROW,
        isas=request.isas, known_isas=request.known,
        isas_by_rank=sorted(request.isas, key=lambda isa: -isa.rank),
        head_sizes_of=request.head_sizes_of,
        cpu_bits=cpu_bits,
        max_tile_q=max(t.tile_q_of(f) for t in tiles.values() for f in spec.FAMILIES),
        max_groups=max(t.tile_q_of(f) // t.lanes_of(f) for t in tiles.values() for f in spec.FAMILIES))
    kernels = {}
    for isa in request.isas:
        common = {"v": isa, "t": tiles[isa.name]}
        kernels[f"{isa.name}.h"] = env.get_template("kernels.h.j2").render(**common)
        for element in spec.TYPES:
            for size in request.head_sizes_of(isa, element):
                tag = f"d{size}" if size else "any"
                text = env.get_template("products.h.j2").render(
                    size=size, tag=tag, type=element, families=spec.families_of(isa, element, size), **common)
                kernels[f"{isa.name}_{element}_{tag}.h"] = text
    pieces = {name: env.get_template(f"{name}.h.j2").render() for name in ("config", "isas", "table")}
    kernels = {name: tidy(text) for name, text in kernels.items()}
    return kernels, {name: tidy(text) for name, text in pieces.items()}


def cpu_bits(isa, element="f32"):
    """What kernels that multiply in this type need, as a C expression."""
    bits = isa.cpu + (isa.bf16.cpu if element == "bf16" else ())
    return " | ".join("ATTNI_CPU_" + bit for bit in bits) or "0"


def tidy(text):
    """No trailing blanks, no two blank lines in a row."""
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def core(name):
    return (GEN / "core" / f"{name}.h").read_text(encoding="utf-8").strip("\n") + "\n"


def amalgamate(kernels, pieces):
    declarations = [core("config"), pieces["config"], core("api")]
    implementation = [core("platform"), pieces["isas"], core("cpu"), core("math"), core("kernel"),
                      *kernels.values(), pieces["table"], core("mask"), core("bias"), core("plan"),
                      core("driver"), core("rows"), core("merge"), core("weights"), core("blocks"),
                      core("public")]
    return "\n".join([
        core("manual"), "#ifndef ATTN_H\n#define ATTN_H\n", *declarations, "#endif /* ATTN_H */\n",
        "#if defined(ATTN_IMPLEMENTATION) && !defined(ATTNI_IMPLEMENTED)\n#define ATTNI_IMPLEMENTED\n",
        *implementation, "#endif /* ATTN_IMPLEMENTATION */\n"])


def rename(text, prefix):
    """Give every symbol and macro, public and private, another prefix."""
    if prefix == "attn":
        return text
    text = re.sub(r"\battn(i?)_", lambda m: f"{prefix}{m[1]}_", text)
    return re.sub(r"\bATTN(I?)_", lambda m: f"{prefix.upper()}{m[1]}_", text)


def files_of(request):
    """{path from the project's root: text} of everything that is committed."""
    kernels, pieces = render(request)
    header = rename(amalgamate(kernels, pieces), request.prefix)
    manifest = {**request.options, "files": sorted(kernels)}
    files = {f"generated/{name}": rename(text, request.prefix) for name, text in kernels.items()}
    files["generated/manifest.json"] = json.dumps(manifest, indent=2) + "\n"
    files["attn.h"] = header
    return files


def write(path, text):
    """Replace the file at once, so that no reader sees half of it."""
    if not path.parent.is_dir():
        raise spec.SpecError(f"{path}: no folder {path.parent}")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def present():
    """Files of generated/, as paths from the root."""
    return {f"generated/{p.name}" for p in (ROOT / "generated").glob("*") if not p.name.startswith(".")}


def generate(request):
    files = files_of(request)
    (ROOT / "generated").mkdir(exist_ok=True)
    for name, text in files.items():
        path = ROOT / name
        if not path.exists() or path.read_bytes() != text.encode():
            write(path, text)
            print(f"wrote {name}")
    for name in sorted(present() - set(files)):
        (ROOT / name).unlink()
        print(f"removed {name}")


def check():
    """The lines that say how the committed files differ from what gen/ emits."""
    try:
        manifest = json.loads((ROOT / "generated/manifest.json").read_text(encoding="utf-8"))
        request = Request(manifest["head_sizes"], manifest["isa"], manifest["prefix"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"generated/manifest.json cannot be used ({type(error).__name__}): run 'make gen'"]
    files = files_of(request)
    problems = []
    for name, text in files.items():
        path = ROOT / name
        if not path.exists():
            problems.append(f"{name} is missing: run 'make gen'")
        elif path.read_bytes() != text.encode():
            problems.append(f"{name} is not what gen/ emits: run 'make gen'")
    problems += [f"{name} is not emitted by gen/: run 'make gen'" for name in sorted(present() - set(files))]
    return problems


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(message)


def one_line(message):
    """Names that the user gave may hold anything, line ends and bytes of no encoding too."""
    return "".join(c if c.isprintable() else " " for c in message)


def fail(message):
    print(f"generate.py: {one_line(message)}", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--head-sizes", type=int, nargs="+", metavar="N",
                        help=f"head sizes with kernels of their own (default: {spec.HEAD_SIZES})")
    parser.add_argument("--isa", nargs="+", metavar="NAME",
                        help=f"instruction sets, beside scalar (default: {' '.join(spec.ISAS)})")
    parser.add_argument("--prefix", default="attn", help="of every symbol and macro (default: attn)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write one header, here")
    parser.add_argument("--check", action="store_true",
                        help="compare the project's files with what would be written")
    args = parser.parse_args()
    if args.check and (args.head_sizes or args.isa or args.out or args.prefix != "attn"):
        parser.error("--check takes no other option: it checks what the manifest records")
    return args


def main():
    args = arguments()
    try:
        if args.check:
            problems = check()
            for problem in problems:
                print(f"generate.py: {problem}", file=sys.stderr)
            sys.exit(1 if problems else 0)
        request = Request(args.head_sizes, args.isa, args.prefix)
        if args.out is None:
            generate(request)
        else:
            kernels, pieces = render(request)
            write(args.out, rename(amalgamate(kernels, pieces), request.prefix))
            print(one_line(f"wrote {args.out}"))
    except (spec.SpecError, UnknownOperation, jinja2.TemplateError, OSError) as error:
        fail(str(error))


if __name__ == "__main__":
    main()
