"""The same core for every kind of processor that this one can run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernelwise import _native

HERE = Path(__file__).parent
OTHERS = [name for name in _native.targets if name != _native.target]
#: These take long, and are about threads and signals, not about loops.
SLOW = ("test_targets.py", "test_interrupt.py", "test_not_finite.py")
ANSWERS = """
import sys
import numpy as np
from sklearn.datasets import load_digits
from kernelwise import SVC, SVR, _native
from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path
X, y = (part[:300] for part in load_digits(return_X_y=True))
rows = np.arange(300)
folds = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
K = np.exp(-1e-3 * ((X[:, None] - X) ** 2).sum(axis=2))
path = svm_path(K, y, [0.1, 10.0], folds, tol=1e-6)
svc, svr = SVC(gamma=1e-3, tol=1e-6).fit(X, y), SVR(RBF(1e-3), tol=1e-6).fit(X, y / 9.0)
found = {"path": path.decision, "svc": svc.decision_function(X), "svr": svr.predict(X)}
np.savez(sys.argv[1], target=_native.target, objective=path.objective, **found)
"""


def run(target, *command, **options):
    environment = os.environ | {"KERNELWISE_TARGET": target}
    options = {"capture_output": True, "text": True, "cwd": HERE.parent.parent} | options
    return subprocess.run([sys.executable, *command], env=environment, check=False, **options)


@pytest.mark.slow
@pytest.mark.parametrize("target", OTHERS)
def test_the_tests_of_the_core_pass_on_every_target(target):
    ignored = [f"--ignore={HERE / name}" for name in SLOW]
    done = run(target, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(HERE), *ignored)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "passed" in done.stdout


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("targets"), {}
    for target in _native.targets:
        file = folder / f"{target}.npz"
        done = run(target, "-c", ANSWERS, str(file))
        assert done.returncode == 0, done.stderr
        found[target] = dict(np.load(file))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("target", _native.targets)
def test_targets_agree_within_the_tolerance_of_the_solver(answers, target):
    expected, found = answers["baseline"], answers[target]
    assert found["target"] == target
    np.testing.assert_allclose(found["objective"], expected["objective"], rtol=1e-8)
    for name in ("path", "svc", "svr"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-4, err_msg=name)


def test_the_best_target_comes_last_and_is_the_one_that_is_used():
    assert _native.targets[0] == "baseline"
    asked = os.environ.get("KERNELWISE_TARGET")
    assert _native.target == (asked or _native.targets[-1])
    said = run("", "-c", "from kernelwise import _native; print(_native.target)").stdout
    assert said.split() == [_native.targets[-1]]


def test_another_name_gets_a_sentence():
    done = run("avx1024", "-c", "import kernelwise._native")
    assert done.returncode == 1
    names = ", ".join(_native.targets)
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: KERNELWISE_TARGET is 'avx1024', but this processor can run: {names}. "
        "Set it to one of these, or leave it out."
    )


def test_every_function_of_the_core_is_called_by_these_tests():
    text = "".join(file.read_text() for file in HERE.glob("*.py"))
    public = {name for name in dir(_native) if not name.startswith("_") and callable(getattr(_native, name))}
    assert {name for name in public if f"_native.{name}" not in text} == set()
