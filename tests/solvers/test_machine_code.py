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


def copy_of_package(folder):
    """Copy the package without what is compiled, and return the environment that imports the copy."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(kernelwise.__file__).parent, folder / "kernelwise", ignore=ignored)
    return os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_change_of_an_inner_file_is_compiled_anew_and_nothing_piles_up(tmp_path):
    package, cache = tmp_path / "kernelwise", tmp_path / "cache"
    # Python's own cache is off: it would not see the change below, either.
    environment = copy_of_package(tmp_path) | {"KERNELWISE_CACHE_DIR": str(cache)}

    def run():
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        kept = {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.o")}
        assert len(kept) == 4
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


def test_machines_are_trained_where_nothing_can_be_written(tmp_path):
    environment = copy_of_package(tmp_path) | {"HOME": os.devnull, "XDG_CACHE_HOME": f"{os.devnull}/x"}
    environment.pop("KERNELWISE_CACHE_DIR", None)
    for folder in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()  # a file, so that root cannot make the folder, either
    code = (
        "import kernelwise as k; print(k.SVC().fit([[0.], [1], [2], [3]], [0, 0, 1, 1]).predict([[0.], [3]]))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[0", "1]"]
    assert done.stderr.count("found no folder to keep compiled code in") == 1
