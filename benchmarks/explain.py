"""Time, memory and error of explanations: ``python -m benchmarks.explain [--quick] [--only PART ...]``

Machines have random support vectors and coefficients, and an RBF kernel of γ = 1/d on standard normal
columns. Values are of the kernel's own value function unless a background is named; one thread, CPU seconds.

- ``bar``: 1000 rows, 20 columns, 500 support vectors.
- ``peers``: shap's PermutationExplainer and KernelExplainer (l1_reg=False, so that it looks at all columns)
  on five rows of the same machine with a background of 50 rows, beside our exact values over that
  background: seconds for each row, and the largest error relative to the largest value. Only if shap is
  installed.
- ``growth``: columns from 10 to 500 with 500 support vectors, then support vectors from 100 to 10 000 with 20
  columns, with the peak of the memory that arrays take.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from benchmarks.timing import best
from kernelwise.explanation.product_machines import Products
from kernelwise.export import PlainModel, Term

COLUMNS, SUPPORTS = (10, 50, 200, 500), (100, 1000, 10_000)
N_ROWS, N_COLUMNS, N_SUPPORT, N_BACKGROUND, N_EXPLAINED = 1000, 20, 500, 50, 5


def machine(n_support: int, d: int) -> Products:
    """A machine of random numbers."""
    random = np.random.default_rng(0)
    support, beta = random.normal(size=(n_support, d)), random.normal(size=(1, n_support))
    terms = [Term("RBF", 1.0, "sqeuclidean", beta, 1.0 / d)]
    plain = PlainModel("", [], np.zeros(d), np.ones(d), terms, support, np.zeros(1))
    return Products(plain, np.arange(d), d)


def rows(n: int, d: int, seed: int = 1) -> np.ndarray:
    """Standard normal rows."""
    return np.random.default_rng(seed).normal(size=(n, d))


def bar(quick: bool) -> None:
    """The case that must take less than two seconds."""
    n = 50 if quick else N_ROWS
    model, X = machine(N_SUPPORT, N_COLUMNS), rows(n, N_COLUMNS)
    model.values(X[:1], None, 1)  # compiles
    seconds = best(lambda: model.values(X, None, 1), repeat=3)
    print(f"{n} rows, {N_COLUMNS} columns, {N_SUPPORT} support vectors: {seconds:.2f} s")


def peers(quick: bool) -> None:
    """Ours and shap's on the same rows and the same background."""
    model, background = machine(N_SUPPORT, N_COLUMNS), rows(N_BACKGROUND, N_COLUMNS, seed=2)
    X = rows(1 if quick else N_EXPLAINED, N_COLUMNS)
    model.values(X[:1], background, 1)
    exact = model.values(X, background, 1)[:, :, 0]
    seconds = best(lambda: model.values(X, background, 1), repeat=3) / len(X)
    print("\n## peers\n\n| explainer | s for a row | largest error |\n|---|---|---|")
    print(f"| `explain`, exact | {seconds:.4f} | – |", flush=True)
    if find_spec("shap") is None:
        print("shap is not installed: pip install shap")
        return
    for name, explainer in _explainers(model, background, quick).items():
        explainer(X[:1])  # imports, compilation
        start = time.process_time()
        found = explainer(X)
        seconds = (time.process_time() - start) / len(X)
        error = np.abs(found - exact).max() / np.abs(exact).max()
        print(f"| {name} | {seconds:.3f} | {100 * error:.2g} % |", flush=True)


def _explainers(
    model: Products, background: np.ndarray, quick: bool
) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """shap's explainers, from rows to values, by name."""
    import shap

    def predict(X: np.ndarray) -> np.ndarray:
        return model.plain.machine_values(np.asarray(X))[:, 0]

    masker = shap.maskers.Independent(background, max_samples=len(background))
    permutation = shap.PermutationExplainer(predict, masker, seed=0)
    kernel = shap.KernelExplainer(predict, background, seed=0)
    found: dict[str, Callable[[np.ndarray], np.ndarray]] = {}
    for n in (1,) if quick else (10, 100):
        settings = {"max_evals": n * (2 * N_COLUMNS + 1), "silent": True}
        found[f"PermutationExplainer, {n} orders"] = lambda X, s=settings: permutation(X, **s).values
    for n in (100,) if quick else (500, 2000):
        settings = {"nsamples": n, "l1_reg": False, "silent": True}
        found[f"KernelExplainer, {n} samples"] = lambda X, s=settings: kernel.shap_values(X, **s)
    return found


def growth(quick: bool) -> None:
    """Seconds for 100 rows, and the memory of arrays."""
    print(
        "\n## growth\n\n| columns | support vectors | s for 100 rows | MiB |\n|---|---|---|---|", flush=True
    )
    sizes = [(d, N_SUPPORT) for d in COLUMNS] + [(N_COLUMNS, n) for n in SUPPORTS]
    for d, n_support in sizes[:1] if quick else sizes:
        model, X = machine(n_support, d), rows(100, d)
        model.values(X[:1], None, 1)
        start = time.process_time()
        model.values(X, None, 1)
        seconds = time.process_time() - start
        tracemalloc.start()
        model.values(X, None, 1)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        print(f"| {d} | {n_support} | {seconds:.2f} | {peak:.0f} |", flush=True)


PARTS = {"bar": bar, "peers": peers, "growth": growth}


def main(arguments: list[str] | None = None) -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="*", choices=list(PARTS), default=list(PARTS))
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    for name in given.only:
        PARTS[name](given.quick)


if __name__ == "__main__":
    main()
