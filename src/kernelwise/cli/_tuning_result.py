"""What ``kernelwise tune`` says in the end."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sklearn.base import is_classifier

from kernelwise import __version__
from kernelwise.cli.output import print_table
from kernelwise.kernels.metric import most_relevant
from kernelwise.reports.answer import answer_of
from kernelwise.reports.relevance import feature_names

#: Features of the largest weight that the table shows.
MOST_RELEVANT = 5


def tuning_json(model: Any, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """What was chosen, as JSON can hold it; the numbers are those of the report."""
    answer = answer_of(model, test)
    name = model.scoring or ("accuracy" if is_classifier(model) else "r2")
    relevance = getattr(model, "relevance_", None)
    return {
        "version": __version__,
        "kernel": {"name": type(model.kernel_).__name__, "parameters": model.kernel_.get_params()},
        "C": answer.C,
        "epsilon": answer.epsilon,
        "classes": getattr(model, "classes_", None),
        "score": {
            "name": name,
            "cross_validated": answer.cv_score,
            "standard_error": answer.cv_error,
            "n_folds": answer.n_folds,
        },
        "test": None
        if test is None
        else {
            "name": name,
            "score": answer.test_score,
            "standard_error": answer.test_error,
            "n_samples": answer.n_test,
        },
        "relevance": None if relevance is None else dict(zip(feature_names(model), relevance, strict=True)),
        "n_candidates": answer.n_candidates,
        "n_machines": answer.n_machines,
        "n_support": len(model.best_estimator_.support_),
        "stop_reason": model.result_.stop_reason,
        "converged": model.result_.converged,
        "why": model.result_.why,
        "findings": [asdict(finding) for finding in model.diagnostics_],
    }


def print_tuning(result: dict[str, Any], model: Any) -> None:
    """The table, then the reasons."""
    rows = [("kernel", str(model.kernel_)), ("C", f"{result['C']:.6g}")]
    if result["epsilon"] is not None:
        rows.append(("epsilon", f"{result['epsilon']:.4g} standard deviations of the target"))
    score, test = result["score"], result["test"]
    found = _with_error(score["cross_validated"], score["standard_error"])
    rows.append((f"cross-validated {score['name']}", f"{found} ({score['n_folds']} folds)"))
    if test is not None:
        found = _with_error(test["score"], test["standard_error"])
        rows.append((f"test {test['name']}", f"{found} ({test['n_samples']} samples)"))
    if result["relevance"] is not None:
        rows.append(("most relevant", most_relevant(feature_names(model), model.relevance_, MOST_RELEVANT)))
    rows += [
        ("support vectors", f"{result['n_support']} of {result['data']['n_samples']} samples"),
        ("work", f"{result['n_machines']} machines, {result['seconds']:.1f} s"),
    ]
    print_table(rows)
    print("\nWhy:")
    for sentence in (*result["why"], *(f"{f['message']} {f['advice']}".strip() for f in result["findings"])):
        print(f"- {sentence}")


def _with_error(score: float, error: float | None) -> str:
    return f"{score:.4f}" if error is None else f"{score:.4f} ± {error:.4f}"
