"""A copy of the generator to work on, so that no test writes into the project itself."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "embed"))  # toolchain.py


class Project:
    """gen/, generated/ and attn.h in a directory of their own."""

    def __init__(self, root):
        self.root = root
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "gen", root / "gen", ignore=skip)
        shutil.copytree(ROOT / "generated", root / "generated", ignore=skip)
        shutil.copy(ROOT / "attn.h", root / "attn.h")

    def generate(self, *options, cwd=None, **environment):
        return subprocess.run(
            [sys.executable, "-B", self.root / "gen" / "generate.py", *map(str, options)],
            cwd=cwd or self.root, env={**os.environ, **environment}, text=True,
            capture_output=True, stdin=subprocess.DEVNULL,
        )

    def must(self, *options, **others):
        done = self.generate(*options, **others)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done

    def must_fail(self, *options, **others):
        """An error is one line, and nothing is written. Returns that line."""
        before = self.snapshot()
        done = self.generate(*options, **others)
        assert done.returncode != 0
        lines = done.stderr.splitlines()
        assert len(lines) == 1, done.stderr
        assert self.snapshot() == before
        return lines[0]

    def snapshot(self):
        """Every file and directory with a digest of its content."""
        return {
            str(path.relative_to(self.root)): path.is_file() and digest(path)
            for path in self.root.rglob("*")
        }

    def outputs(self):
        """What the generator emits, by name."""
        files = [self.root / "attn.h", *(self.root / "generated").glob("*")]
        return {str(path.relative_to(self.root)): path.read_bytes() for path in files}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project").mkdir()
    return Project(tmp_path / "project")
