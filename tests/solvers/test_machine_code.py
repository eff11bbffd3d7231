"""Machine code that is kept on disk belongs to one state of all compiled files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kernelwise

SCRIPT = """
import numpy as np
from kernelwise.solvers import solve_svm_dual
X = np.random.default_rng(0).normal(size=(40, 2))
K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
print(solve_svm_dual(K, np.arange(40) % 2, 1.0).n_iter)
"""


def test_a_change_of_an_inner_file_is_compiled_anew_and_nothing_piles_up(tmp_path):
    package, cache = tmp_path / "kernelwise", tmp_path / "cache"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(kernelwise.__file__).parent, package, ignore=ignored)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(cache)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python, too, would not see the change below

    def run():
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        kept = {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.smo_*")}
        assert len(kept) == 4  # an index and machine code of two functions
        return int(done.stdout), kept

    n_iter, kept = run()
    assert run() == (n_iter, kept)  # loaded, not compiled

    # Fewer variables join the pool at once; size and time of the file are as before.
    inner = package / "solvers" / "compiled" / "pool.py"
    before, source = inner.stat(), inner.read_text()
    assert "SAMPLE = 512" in source
    inner.write_text(source.replace("SAMPLE = 512", "SAMPLE = 0x2"))
    os.utime(inner, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert inner.stat().st_size == before.st_size
    other_n_iter, other_kept = run()
    assert other_n_iter != n_iter
    assert not set(other_kept) & set(kept)
