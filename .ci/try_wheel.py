"""Install the wheel of dist/ in an empty environment, and use it: `make lowest` or `make newest`.

`lowest` takes the oldest version of each dependency that pyproject.toml allows, `newest` what pip takes by
itself. Then the demo runs, the command line works on a CSV file, and a part of the tests passes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Tests that need no optional package.
TESTS = ("tests/kernels", "tests/criteria", "tests/solvers", "tests/test_multiclass.py")
CSV = """
from sklearn.datasets import load_iris
data = load_iris()
print("a,b,c,d,species")
for row, label in zip(data.data, data.target):
    print(*row, data.target_names[label], sep=",")
"""


def run(*command: object, **options: object) -> None:
    """Run a command as it would be typed; one that fails ends this program."""
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, **options)


def main(resolution: str) -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        uv = (sys.executable, "-m", "uv", "--quiet")
        run(*uv, "venv", "--python", sys.executable, folder / "venv")
        python, *_ = [*folder.glob("venv/bin/python"), *folder.glob("venv/Scripts/python.exe")]
        requirements = [wheel, "pytest>=8", "hypothesis>=6.100"]
        if resolution == "lowest":
            pins = folder / "lowest.txt"
            run(*uv, "pip", "compile", "--resolution", "lowest-direct", ROOT / "pyproject.toml", "-o", pins)
            print(pins.read_text(encoding="utf-8"))
            requirements += ["--constraint", pins]
        run(*uv, "pip", "install", "--python", python, *requirements)
        program = python.with_name("kernelwise" + python.suffix)
        # Not in the clone, and not with its path: it is the installed package that must work.
        apart = {"cwd": folder, "env": {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}}
        with open(folder / "iris.csv", "w", encoding="utf-8") as file:
            run(python, "-c", CSV, stdout=file, **apart)
        run(program, "--version", **apart)
        run(program, "tune", "--help", **apart, stdout=subprocess.DEVNULL)
        run(program, "demo", **apart)
        run(program, "tune", "iris.csv", "--target", "species", "--model", "model.kw", **apart)
        run(program, "predict", "model.kw", "iris.csv", "--out", "predictions.csv", **apart)
        tests = [ROOT / test for test in TESTS]
        # Tests compare with solvers of benchmarks/; the package is in src/, which this path does not show.
        apart["env"]["PYTHONPATH"] = str(ROOT)
        run(python, "-m", "pytest", "-q", "-x", "-c", ROOT / "pyproject.toml", *tests, **apart)


if __name__ == "__main__":
    main(*sys.argv[1:])
