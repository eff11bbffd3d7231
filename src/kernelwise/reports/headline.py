"""The first lines of a report: how good the model is, beside what needs no model, and what it is."""

from __future__ import annotations

from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.reports.answer import Answer
from kernelwise.reports.words import sentence
from kernelwise.search.wording import number

UNSEEN = "on rows that the model was not trained on"
#: Why a test may be far below a cross-validation that was done right.
CAUSES = (
    "There are three usual causes. Rows that belong together, such as those of one person or device, may be "
    "in several folds. The test rows may come from a later time or another source. Or rows of the training "
    "file may be copies of each other."
)


def headline(answer: Answer) -> str:
    """The answer in a line: of a test that is far below cross-validation, the test's."""
    if answer.test_gap is not None:
        return _of_test(answer)
    if answer.rmse is not None and answer.score == "R²":
        return _of_regression(answer)
    told = _told(answer, answer.cv_score, UNSEEN, answer.cv_error)
    if answer.baseline_score is None:
        return told
    guess = answer.text(answer.baseline_score)
    if answer.is_no_better:
        clearly = "not clearly" if answer.cv_score > answer.baseline_score else "no"
        return f"{told}: {clearly} better than {answer.baseline_answer} ({guess})"
    return f"{told}; {answer.baseline_answer}: {guess}"


def setting(answer: Answer) -> str:
    """What was chosen: SVM with RBF kernel, γ = 0.0208, C = 64."""
    values = [f"C = {number(answer.C)}"]
    if answer.epsilon is not None:
        values.append(f"ε = {number(answer.epsilon)}")
    return ", ".join([f"SVM with {_kernel(answer.kernel)}", *values])


def _kernel(text: str) -> str:
    """A kernel's text (see `kernel_text`) as it stands in a sentence."""
    if text.startswith("Sum of "):
        return f"a s{text[1:]}"
    name, *numbers = text.split(", ")
    name, _, metric = name.partition(" with ")
    kernel = name.replace("Linear", "linear") if name.endswith(" kernel") else f"{name} kernel"
    return ", ".join([f"{kernel} with {metric}" if metric else kernel, *numbers])


def finding_of_test(answer: Answer) -> Finding | None:
    """What to think of a test that is far below cross-validation; None if it is not."""
    if answer.test_gap is None:
        return None
    gap, error = answer.test_gap
    less = f"{100 * gap:.1f} points" if answer.is_share else f"{number(gap)} ({answer.score})"
    message = (
        f"The {count(answer.n_test or 0, 'test row')} score {less} worse than cross-validation, "
        f"{gap / error:.1f} standard errors of the difference. Trust the test."
    )
    advice = f"{CAUSES} Keep rows that belong together in one fold (fit(groups=...)), or hold out later rows "
    option = f"{CAUSES} Keep rows that belong together in one fold (--group COL), or hold out later rows "
    return Finding(
        "test below cross-validation",
        "warning",
        message,
        f"{advice}(cv=TimeSeriesSplit()).",
        f"{option}(--time COL).",
    )


def _told(answer: Answer, score: float, where: str, error: float | None) -> str:
    value = answer.text(score)
    told = f"{value} correct {where}" if answer.is_share else f"{sentence(answer.score)} {value} {where}"
    plus_minus = answer.error(error).strip()
    return f"{told}, {plus_minus}" if plus_minus else told


def _of_test(answer: Answer) -> str:
    assert answer.test_score is not None
    where = f"on {count(answer.n_test or 0, 'test row')}"
    told = _told(answer, answer.test_score, where, answer.test_error)
    return f"{told}; cross-validation: {answer.text(answer.cv_score)}"


def _of_regression(answer: Answer) -> str:
    assert answer.rmse is not None
    assert answer.mean_rmse is not None
    told = _told(answer, answer.cv_score, UNSEEN, answer.cv_error)
    ours, guess = number(answer.rmse), number(answer.mean_rmse)
    if answer.is_no_better:
        clearly = "not clearly" if answer.rmse < answer.mean_rmse else "no"
        return f"{told}: {clearly} better than {answer.baseline_answer} (RMSE {ours} and {guess})"
    return f"{told}: typical error (RMSE) {ours}; always answering the mean: {guess}"
