"""The pages on adding a kernel, a criterion or an optimizer show code that keeps the contracts."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from kernelwise.kernels import RBF
from kernelwise.optimizers import SecondOrder
from kernelwise.problem import TuningProblem
from kernelwise.testing import check_gradient

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples" / "extend").glob("*.py"))


@pytest.fixture
def load(monkeypatch):
    """Import an example by the name of its file, under which pickle finds its classes, too."""

    def import_file(name):
        spec = spec_from_file_location(name, ROOT / "examples" / "extend" / f"{name}.py")
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return import_file


@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES])
def test_example_checks_itself_and_tunes_a_machine(name, load, capsys):
    model = load(name).main()
    assert model.best_score_ > 0.95
    assert capsys.readouterr().out.startswith(repr(model.kernel_))


def test_rational_quadratic_kernel_is_its_formula_and_tends_to_rbf(load, blobs):
    kernel = load("rational_quadratic_kernel").RationalQuadratic
    X, _ = blobs
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel(0.3, 2.0)(X), 1.0 / (1.0 + 0.15 * D) ** 2, rtol=1e-12)
    np.testing.assert_allclose(kernel(0.3, 1e9)(X), RBF(0.3)(X), rtol=1e-6)
    with pytest.raises(ValueError, match="'alpha' of RationalQuadratic must be positive"):
        kernel(alpha=0.0)


def test_hsic_is_the_trace_of_centred_matrices(load, blobs):
    hsic = load("my_criterion").HSIC()
    X, y = blobs
    K, n = RBF(0.2)(X), len(y)
    H = np.eye(n) - 1.0 / n
    L = (y[:, None] == y).astype(float)
    assert np.isclose(hsic.score(K, y), np.trace(K @ H @ L @ H) / n**2, rtol=1e-12)
    assert abs(hsic.score(np.ones((n, n)), y)) < 1e-12


def test_own_parts_work_together(load, blobs):
    kernel, criterion = load("rational_quadratic_kernel").RationalQuadratic(0.2), load("my_criterion").HSIC()
    check_gradient(TuningProblem(kernel, criterion, *blobs))
    problem = TuningProblem("rbf", criterion, *blobs)
    simplex = load("my_optimizer").NelderMead(tol=1e-8).minimize(problem)
    assert np.isclose(simplex.kernel.gamma, SecondOrder().minimize(problem).kernel.gamma, rtol=1e-6)
    assert simplex.n_gradients == 0


@pytest.mark.parametrize("page", ["kernel", "criterion", "optimizer"])
def test_page_includes_an_example(page):
    text = (ROOT / "docs" / "extend" / f"{page}.md").read_text(encoding="utf-8")
    assert any(f"../../examples/extend/{path.name}" in text for path in EXAMPLES)
