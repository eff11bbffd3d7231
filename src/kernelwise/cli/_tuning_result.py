"""What ``kernelwise tune`` says in the end."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from kernelwise import __version__
from kernelwise.cli.output import print_table

#: Features of the largest weight that the table shows.
MOST_RELEVANT = 5


def tuning_json(model: Any, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """What was chosen, as JSON can hold it."""
    results, place = model.cv_results_, model.best_index_
    is_regression = hasattr(model, "epsilon_")
    name = model.scoring or ("r2" if is_regression else "accuracy")
    error = results["std_test_score"][place] / np.sqrt(max(model.n_splits_ - 1, 1))
    relevance = getattr(model, "relevance_", None)
    return {
        "version": __version__,
        "kernel": {"name": type(model.kernel_).__name__, "parameters": model.kernel_.get_params()},
        "C": model.C_,
        "epsilon": model.epsilon_ if is_regression else None,
        "classes": None if is_regression else model.classes_,
        "score": {
            "name": name,
            "cross_validated": model.best_score_,
            "standard_error": error,
            "n_folds": model.n_splits_,
        },
        "test": None if test is None else _test_score(model, *test, name),
        "relevance": None if relevance is None else dict(zip(_names(model), relevance, strict=True)),
        "n_candidates": len(results["params"]),
        "n_machines": model.n_svm_fits_,
        "n_support": len(model.best_estimator_.support_),
        "stop_reason": model.result_.stop_reason,
        "converged": model.result_.converged,
        "why": model.result_.why,
        "findings": [asdict(finding) for finding in model.diagnostics_],
    }


def _test_score(model: Any, X: Any, y: np.ndarray, name: str) -> dict[str, Any]:
    score = float(model.scorer_(model, X, y))
    is_share = name == "accuracy"
    return {
        "name": name,
        "score": score,
        "standard_error": float(np.sqrt(score * (1 - score) / len(y))) if is_share else None,
        "n_samples": len(y),
    }


def _names(model: Any) -> list[str]:
    return [str(name) for name in model.feature_names_in_]


def print_tuning(result: dict[str, Any], model: Any) -> None:
    """The table, then the reasons."""
    score, test = result["score"], result["test"]
    rows = [
        ("kernel", str(model.kernel_)),
        ("C", f"{result['C']:.6g}"),
        (
            f"cross-validated {score['name']}",
            f"{score['cross_validated']:.4f} ± {score['standard_error']:.4f} ({score['n_folds']} folds)",
        ),
    ]
    if result["epsilon"] is not None:
        rows.insert(2, ("epsilon", f"{result['epsilon']:.4g} standard deviations of the target"))
    if test is not None:
        bar = "" if test["standard_error"] is None else f" ± {test['standard_error']:.4f}"
        rows.append((f"test {test['name']}", f"{test['score']:.4f}{bar} ({test['n_samples']} samples)"))
    if result["relevance"] is not None:
        first = sorted(result["relevance"].items(), key=lambda item: -item[1])[:MOST_RELEVANT]
        rows.append(("most relevant", ", ".join(f"{name} {weight:.2f}" for name, weight in first)))
    rows += [
        ("support vectors", f"{result['n_support']} of {result['data']['n_samples']} samples"),
        ("work", f"{result['n_machines']} machines, {result['seconds']:.1f} s"),
    ]
    print_table(rows)
    print("\nWhy:")
    for sentence in (*result["why"], *(f"{f['message']} {f['advice']}".strip() for f in result["findings"])):
        print(f"- {sentence}")
