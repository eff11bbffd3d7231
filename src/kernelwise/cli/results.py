"""Results of `tune` and `detect` and what was found, as JSON and on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise import __version__
from kernelwise._core.text import count
from kernelwise._core.typing import ScaleLike
from kernelwise.cli.output import print_facts, print_line, print_table, say_untold, session
from kernelwise.cli.training_rows import n_copies
from kernelwise.diagnostics.diagnosis import diagnose, diagnose_pairs, most_serious_first
from kernelwise.estimators.tuned_svr import TunedSVR, logarithm_finding
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import KERNELS
from kernelwise.kernels.metric import most_relevant
from kernelwise.reports.answer import Answer, expectation, members_of, setting, verdict
from kernelwise.reports.columns_used import LooksAt, feature_names
from kernelwise.reports.findings import ABOUT_CRITERIA, finding_of_test, is_news, settled
from kernelwise.reports.outliers import Strange, share_text
from kernelwise.reports.words import score_key
from kernelwise.search.verdict.leaks import column_findings, copies_finding
from kernelwise.search.wording import kernel_meaning, kernel_text, number
from kernelwise.tables import by_column

if TYPE_CHECKING:
    from kernelwise.cli.samples import Samples
    from kernelwise.cli.tune import Tuning
    from kernelwise.estimators.tuned import TunedMachine

#: Rows beyond which the pairs of rows are not looked at.
MAX_PAIRS = 20_000
SERIOUS = ("error", "warning")


def of_rows(data: Samples, kernel: str, scale: ScaleLike, seed: int, pairs: bool = True) -> list[Finding]:
    """Findings about the rows of a file as ``tune`` sees them: coded, and scaled."""
    return diagnose(
        data.X,
        data.y,
        kernel=kernel,
        random_state=seed,
        feature_names=data.encoding.feature_names,
        task=data.encoding.task,
        lines=data.lines,
        pairs=pairs and len(data.y) <= MAX_PAIRS,
        scale=scale,
    )


def groups_in_words(data: Samples) -> list[Finding]:
    """Columns that name groups, words among them, which coded features do not show."""
    is_classes = data.encoding.task == "classification"
    y = np.unique(data.y, return_inverse=True)[1] if is_classes else data.y
    columns, names = by_column(data.rows, data.encoding.encoder), [repr(one) for one in data.rows.names]
    found = column_findings(columns, y, names, is_classes=is_classes, groups=data.groups)
    return [one for one in found if one.name == catalogue.GROUPS_IN_COLUMN.name]


def by_cross_validation(findings: Iterable[Finding]) -> list[Finding]:
    """Findings for a choice by cross-validation, to which a doubtful criterion does not matter."""
    return [
        replace(finding, severity="info")
        if finding.name in ABOUT_CRITERIA and finding.severity == "warning"
        else finding
        for finding in findings
    ]


def diagnosis_of(model: TunedMachine, data: Samples, chosen: Tuning, for_report: bool) -> list[Finding]:
    """Findings about the rows that a model was trained on, for all that is said of them.

    Pairs of rows matter to a criterion. Beside cross-validation, only a report tells of them: as the kernel
    that was chosen sees them.
    """
    kernel = chosen.kernel if chosen.kernel in KERNELS else "rbf"  # of several, the usual one
    by_criterion = chosen.criterion != "auto"
    found = of_rows(data, kernel, model.scale, chosen.seed, pairs=by_criterion)
    if by_criterion or not for_report or data.encoding.task == "regression" or len(data.y) > MAX_PAIRS:
        return found
    pairs = diagnose_pairs(model.machine_samples(data.rows), data.y, model.kernel_, data.lines)
    return most_serious_first([*found, *pairs])


def of_tuning(model: TunedMachine, data: Samples, diagnosis: list[Finding], answer: Answer) -> list[Finding]:
    """Findings of the fit and the columns, and serious ones about rows, without advice that was followed."""
    about_data = settled(model, diagnosis, answer)
    return [
        *settled(model, model.diagnostics_, answer),
        *settled(model, data.findings, answer),
        *(one for one in about_data if one.severity in SERIOUS and is_news(model, one)),
    ]


def of_logarithms(model: TunedMachine, data: Samples) -> list[Finding]:
    """Targets of a regression whose logarithms are easier to predict."""
    if not isinstance(model, TunedSVR) or model.target_transform is not None:
        return []
    found = logarithm_finding(model, data.rows, data.y)
    return [] if found is None else [found]


def of_test(data: Samples, held_out: tuple[Any, Any] | None, answer: Answer) -> list[Finding]:
    """A test far below cross-validation, and test rows that were trained on."""
    if held_out is None:
        return []
    gap = finding_of_test(answer)
    X_test = held_out[0] if data.encoder is None else data.encoder.transform(held_out[0])
    copies = copies_finding(n_copies(data.X, X_test), len(held_out[1]))
    return copies if gap is None else [gap, *copies]


def unique(findings: list[Finding]) -> list[Finding]:
    """The findings without repetitions, the serious ones first."""
    return most_serious_first(dict.fromkeys(findings))


def as_json(findings: list[Finding]) -> list[dict[str, Any]]:
    """Findings as JSON can hold them, with advice that the command line can follow."""
    return [
        {
            "name": finding.name,
            "severity": finding.severity,
            "message": finding.message,
            "advice": finding.option or finding.advice,
        }
        for finding in findings
    ]


NOTHING = "nothing: --model m.kw would keep the model, --report r.html would show more of it"
COSTS = "a larger C makes the model try harder to fit every training row"
#: Columns that `detect` names for each strange row.
MOST_REASONS = 3
#: The most important columns that the answer names.
MOST_COLUMNS = 5
LEGEND_OF_DETECTION = (
    "The score of a row says how much it is like the others: the lower the score, the stranger the row.\n"
    "Each row has its score from a model that was not trained on it. --out writes the scores of all rows.\n"
    '"stranger than" is the share of all rows that have a higher score.\n'
    "The probability is that of being unusual{}.\n"
    "The columns are those that lower the score of the row most, with their shares."
)
#: What the probability is at the threshold.
WITHOUT_LABELS = "; it is 0.5 at the threshold"
WITH_LABELS = ", estimated from the labels; a row below the threshold can have less than 0.5"


def print_tuning(result: dict[str, Any], model: TunedMachine, data: Samples, answer: Answer) -> None:
    """Print the answer in eight lines; with --verbose, the reasons, the details and the notes below it."""
    from kernelwise.cli.samples import labels_text

    found, files = result["findings"], ", ".join(map(str, session.written))
    file = result["data"]["file"]
    source = "standard input" if file == "-" else Path(file).name
    facts = [
        ("rows", f"{data.size_text(coded=False)}; {labels_text(data)}"),
        ("score", verdict(answer)),
        ("expect", expectation(answer)),
        ("look first", _look_first(found)),
        ("columns", _columns(result)),
        ("kernel", f"{setting(answer)}{f': {answer.meaning}' if answer.meaning else ''}"),
        ("written", f"{files or NOTHING} ({result['seconds']:.1f} s)"),
    ]
    print_line(f"Predicting {answer.target!r} ({data.kind()}) from {source}")
    print_facts(facts)
    if session.is_verbose:
        print_line()
        print_table(_details(result, model))
        print_more(result)


def print_more(result: dict[str, Any]) -> None:
    """Print all findings and reasons."""
    serious: list[str] = []
    notes: list[str] = []
    for one in result["findings"]:
        is_serious, text = one["severity"] in SERIOUS, _text(one)
        (serious if is_serious else notes).append(f"[{one['name']}] {text}" if is_serious else text)
    parts = {
        "Look at this first": serious,
        "Why this answer": result["why"],
        "How the search went": [*result["how"], *notes],
    }
    for heading, sentences in parts.items():
        if sentences:
            print_line()
            print_line(f"{heading}:")
            for sentence in sentences:
                print_line(f"- {sentence}")


def _text(finding: dict[str, Any]) -> str:
    return f"{finding['message']} {finding['advice']}".strip()


def _look_first(found: Sequence[dict[str, Any]]) -> str:
    """The most serious finding with its advice, and the names of the others that are serious.

    What was left to it is said if it has a more serious one; a verbose answer has all of them.
    """
    serious = [one for one in found if one["severity"] in SERIOUS]
    if not serious:
        return "nothing needs a look"
    first = _text(serious[0])
    say_untold(session.untold if session.is_verbose else [first])
    others = list(dict.fromkeys(one["name"] for one in serious[1:]))
    where = "below" if session.is_verbose else "with --verbose"
    return f"{first} See also, {where}: {', '.join(others)}." if others else first


def _columns(result: dict[str, Any]) -> str:
    """The most important columns, with their shares."""
    importance = result["importance"]
    if importance is None:
        return "`kernelwise explain` estimates which columns matter; --model keeps the model for it"
    shown = sorted(importance.items(), key=lambda pair: -pair[1])[:MOST_COLUMNS]
    told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shown)
    others = f"; {count(more, 'other column')}" if (more := len(importance) - len(shown)) else ""
    return f"{told} of the differences between predictions{others}"


def tuning_json(model: TunedMachine, answer: Answer, columns: LooksAt | None) -> dict[str, Any]:
    """The choice as JSON can hold it; the numbers are those of the report."""
    name = score_key(model)
    relevance = getattr(model, "relevance_", None)
    baseline = getattr(model.result_, "baseline", None)
    return {
        "version": __version__,
        "kernel": _kernel(model.kernel_),
        "C": answer.C,
        "epsilon": answer.epsilon,
        "members": [
            {
                **{"kernel": _kernel(one.kernel), "C": one.C, "epsilon": one.epsilon},
                **{"weight": one.weight, "loss": one.loss},
            }
            for one in members_of(model)
        ],
        "classes": getattr(model, "classes_", None),
        "score": {
            "name": name,
            "value": answer.cv_score,
            "error": answer.cv_error,
            "guess": None if baseline is None else baseline.score,
            "expected": model.result_.corrected_score,
            "cross_validated": answer.cv_score,
            "standard_error": answer.cv_error,
            "corrected": model.result_.corrected_score,
            "n_folds": answer.n_folds,
        },
        "baseline": None if baseline is None else {"score": baseline.score, "answer": baseline.answer},
        "test": None
        if answer.test_score is None
        else {
            "name": name,
            "score": answer.test_score,
            "standard_error": answer.test_error,
            "n_samples": answer.n_test,
        },
        "errors": None
        if answer.rmse is None
        else {"rmse": answer.rmse, "rmse_of_mean": answer.mean_rmse, "test_rmse": answer.test_rmse},
        "quantiles": [
            {"quantile": q, "share_below": share, "test_share_below": dict(answer.test_below).get(q)}
            for q, share in answer.below
        ],
        "cost": None
        if answer.cost is None
        else {
            "per_row": answer.cost.value,
            "standard_error": answer.cost.error,
            "always_answering": answer.cost.always,
            "test_per_row": answer.cost.test,
            "of_class_weights": answer.cost.is_of_weights,
        },
        "importance": None if columns is None else columns.shares,
        "relevance": None if relevance is None else dict(zip(feature_names(model), relevance, strict=True)),
        "n_candidates": answer.n_candidates,
        "n_machines": answer.n_machines,
        "n_support": len(model.best_estimator_.support_),
        "n_trained": answer.n_rows,
        "stop_reason": model.result_.stop_reason,
        "converged": model.result_.converged,
        "why": model.result_.why,
        "how": getattr(model.result_, "how", ()),
        "forms": getattr(model.result_, "forms", {}),
    }


def _kernel(kernel: Any) -> dict[str, Any]:
    return {"name": type(kernel).__name__, "parameters": kernel.get_params()}


def _details(result: dict[str, Any], model: TunedMachine) -> list[tuple[str, str]]:
    """What few want to know of a model, as a table."""
    alone = " in the best setting alone" if result["members"] else ""
    rows = [("C", f"{number(result['C'], 6)}{alone}: {COSTS}")]
    if result["epsilon"] is not None:
        ignored = "standard deviations of the target: the model ignores smaller errors"
        rows.append(("epsilon", f"{result['epsilon']:.4g} {ignored}"))
    if getattr(model, "costs_", None) is not None:
        rows.append(("predicts", _decision(model)))
    if result["relevance"] is not None:
        most = most_relevant(feature_names(model), model.relevance_, MOST_COLUMNS)
        is_list = most[-1:].isdigit()
        rows.append(("learned weights", f"{most}{alone} (all columns sum to 1)" if is_list else most))
    return [
        *rows,
        ("trained on", trained_on(result)),
        _support(model, result),
        ("work", f"{result['n_machines']} models trained in {result['score']['n_folds']} folds"),
    ]


def _decision(model: TunedMachine) -> str:
    """The threshold or the costs that decide labels, in words."""
    if not hasattr(model, "threshold_"):
        return "the class with the lowest expected cost"
    about = _with_error(model.threshold_, getattr(model, "threshold_error_", None), ".3g", ".2g")
    return f"{model.classes_.tolist()[1]!r} where its probability is above {about}"


def kernel_line(model: TunedMachine) -> str:
    """The kernel with its numbers, and what it does."""
    meaning = kernel_meaning(model.kernel_, getattr(model, "scale", None))
    blend = getattr(model.result_, "blend", "")
    before = f"{blend}, the best alone: " if blend else ""
    return before + kernel_text(model.kernel_) + (f": {meaning}" if meaning else "")


def _support(model: TunedMachine, result: dict[str, Any]) -> tuple[str, str]:
    """The rows that the model keeps, by the name for them, and what they are for."""
    is_nystroem = type(getattr(model, "best_estimator_", None)).__name__.startswith("Nystroem")
    rows = f"{result['n_support']} of the {result['n_trained']} training rows"
    if is_nystroem:
        return "landmarks", f"{rows}, from which the model approximates all others"
    return "support vectors", f"{rows}; only these determine the predictions"


def trained_on(result: dict[str, Any]) -> str:
    """The rows that the final model has seen, in words; equal rows are one row that weighs as many."""
    data, n_trained = result["data"], result["n_trained"]
    n, n_different = data["n_samples"], data["n_distinct"]
    if n_trained < n_different:
        return f"{n_trained} of {n_different} different rows"
    return f"all {n} rows" if n_different == n else f"all {n} rows, {n_different} of them different"


def _with_error(value: float, error: float | None, form: str = ".4f", error_form: str = ".4f") -> str:
    return f"{value:{form}}" if error is None else f"{value:{form}} ± {error:{error_form}}"


def strangest(rows: Sequence[Strange], lines: np.ndarray) -> list[dict[str, Any]]:
    """The strangest rows of the training file, which are at these lines, as JSON can hold them."""
    return [
        {
            "line": int(lines[one.row]),
            "score": one.score,
            "stranger_than": one.stranger_than,
            "probability": one.probability,
            "reasons": dict(one.reasons()[:MOST_REASONS]),
        }
        for one in rows
    ]


def detection_json(model: TunedMachine, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The choice and the strangest rows as JSON can hold them."""
    result = model.result_
    return {
        "version": __version__,
        "kernel": {"name": type(model.kernel_).__name__, "parameters": model.kernel_.get_params()},
        "nu": model.nu_,
        "criterion": model.criterion_,
        "score": {"value": result.score, "standard_error": result.standard_error},
        "threshold": {"value": model.threshold_, "standard_error": model.threshold_error_},
        "contamination": model.contamination_,
        "n_unusual": result.n_outliers,
        "n_machines": model.n_svm_fits_,
        "strangest": rows,
        "why": result.why,
        "how": result.how,
    }


def print_detection(result: dict[str, Any], model: TunedMachine, data: Samples) -> None:
    """Print how many rows are unusual, and the strangest of them; with --verbose, the reasons."""
    n_rows = data.X.shape[0]
    facts = [
        *_facts(result, model, n_rows),
        ("look first", _look_first(result["findings"])),
        *([("written", ", ".join(map(str, session.written)))] if session.written else []),
    ]
    print_line(f"{data.size_text()}.")
    print_facts(facts)
    print_line()
    print_table(
        [_cells(row, n_rows) for row in result["strangest"]],
        ["line", "stranger than", "probability", "unusual columns"],
    )
    print(LEGEND_OF_DETECTION.format(WITH_LABELS if model.result_.labelled[1] else WITHOUT_LABELS))
    if session.is_verbose:
        print_more(result)


def _facts(result: dict[str, Any], model: TunedMachine, n_rows: int) -> list[tuple[str, str]]:
    n, share, threshold = result["n_unusual"], result["contamination"], result["threshold"]
    about = _with_error(threshold["value"], threshold["standard_error"], ".4g", ".2g")
    of = "rows" if model.result_.labelled[1] == 0 else "rows that are not labelled unusual"
    known = "). If you know the share of unusual rows, set it with --contamination"
    if model.contamination is not None:
        of, known = "rows", ", as you set it)"
    is_default = model.contamination is None and model.result_.labelled[1] == 0
    head, named = ("strangest", ", the default share") if is_default else ("unusual rows", "")
    return [
        (head, f"{n:g} of {n_rows} rows ({100 * n / n_rows:.1f} %{named})"),
        ("threshold", f"a score of {about} ({100 * share:.3g} % of the {of} score lower{known}"),
        ("kernel", kernel_line(model)),
        ("ν", f"{result['nu']:.3g}: at most this share of the training rows is outside the model's boundary"),
        ("work", f"{count(result['n_machines'], 'model')} trained, {result['seconds']:.1f} s"),
    ]


def _cells(row: dict[str, Any], n_rows: int) -> list[str]:
    reasons = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in row["reasons"].items())
    stranger = f"{share_text(row['stranger_than'], n_rows)} of the rows"
    return [str(row["line"]), stranger, f"{row['probability']:.2f}", reasons or "–"]
