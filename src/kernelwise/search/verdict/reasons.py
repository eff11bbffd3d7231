"""Why an answer won, in words: its score beside the next best and a constant answer, and what equals it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelwise._core.text import count, in_words
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.result import Choice, Member, OneClassResult, SelectionResult
from kernelwise.search.verdict.baseline import Baseline
from kernelwise.search.wording import (
    blend_text,
    error_text,
    gap_text,
    kernel_text,
    model_text,
    number,
    score_text,
)

#: Words of the sentence that says which form of kernel was taken (`kernelwise.search.propose.forms`).
FORMS = "forms of kernel"
#: Standard errors of a score from which on it is said how much of it is luck.
COUNTS = 0.5
#: What the rules of `kernelwise.search.propose.candidates` stand for.
RULES = {
    "peak of dbtc": "the classes are farthest apart",
    "peak of esdr": "the classes are farthest apart relative to their spread",
    "peak of j4": "the classes are farthest apart relative to their spread",
    "peak of kta": "the kernel agrees best with the classes",
    "peak of centred alignment": "the kernel agrees best with the target",
    "usual": "the rule of thumb",
    "median distance": "the rule of thumb",
    "start from the data": "set from the data",
    "wide": "nearly linear",
}
#: Why a kernel was tried, by the reason that the search notes, as the end of a sentence.
WHY_TRIED = {
    "peak of dbtc": "the classes are farthest apart at this width",
    "peak of esdr": "the classes are farthest apart relative to their spread at this width",
    "peak of j4": "the classes are farthest apart relative to their spread at this width",
    "peak of kta": "the kernel agrees best with the classes at this width",
    "peak of centred alignment": "the kernel agrees best with the target at this width",
    "highest centred alignment": "these parameters agree best with the target",
    "usual": "the rule of thumb names this width",
    "median distance": "the rule of thumb names this width",
    "start from the data": "its parameters follow from the scale of the data",
    "wide": "a kernel as wide as this is nearly linear",
    "uphill": "a neighbouring width had the highest score",
    "refined": "it is close to the width with the highest score",
    "first stage": "it did best on some of the rows",
    "gradients": "its feature weights come from the gradients of a trained model",
    "alignment of the columns": "its feature weights come from the alignment of each column with the target",
    "sum of the forms": "the sum of the best kernels may be better than each of them",
    "sum of several widths": "a sum of kernels of several widths may be better than one",
    "other ε": "another ε may suit the best kernel better",
    "given": "you chose it",
}


def spoken(reason: str) -> str:
    """The reasons of a width, such as "peak of dbtc, usual", in words."""
    words = [RULES.get(part, part) for part in reason.split(", ")]
    return ", ".join(dict.fromkeys(words))


def why_tried(reason: str) -> str:
    """The reason that the search notes for a kernel, such as "peak of dbtc, usual", as a sentence.

    Examples
    --------
    >>> why_tried("uphill")
    'The search tried it because a neighbouring width had the highest score.'
    >>> why_tried("diagonal metric by kta, small weights dropped")
    'Origin of the kernel: diagonal metric by kta, small weights dropped.'
    """
    parts = reason.split(", ")
    if not all(part in WHY_TRIED for part in parts):
        return f"Origin of the kernel: {reason}."
    return f"The search tried it because {in_words(list(dict.fromkeys(WHY_TRIED[part] for part in parts)))}."


def scored_lines(scored: ScoredKernel, owner: str) -> str:
    """A line for people who watch a search about a kernel that was scored; of one class, one for every ν."""
    if scored.symbol != "C":
        return "\n".join(
            f"[{owner}] {kernel_text(scored.kernel)}, ν = {nu:g}: score {scores.mean():.4f} "
            f"({scored.reason})."
            for nu, scores in zip(scored.Cs, scored.scores, strict=True)
        )
    score = float(scored.scores[scored.best].mean())  # as in cv_results_
    return (
        f"[{owner}] {kernel_text(scored.kernel)}: score in the search {score:.4f} with "
        f"{scored.symbol} = {number(scored.Cs[scored.best])} ({scored.n_machines} models, "
        f"{scored.seconds:.2f} s). {why_tried(scored.reason)}"
    )


def chosen_line(result: SelectionResult | OneClassResult, owner: str) -> str:
    """The last line for people who watch a search: the score of the model, with its error."""
    if isinstance(result, SelectionResult):
        return f"[{owner}] {result.why[0]}"
    chosen = f"[{owner}] The search chose {kernel_text(result.kernel)}, ν = {result.nu:g}"
    if not np.isfinite(result.score):
        return f"{chosen}."
    error = f" ± {result.standard_error:.4f}" if np.isfinite(result.standard_error) else ""
    return f"{chosen}: score {result.score:.4f}{error}."


class Summary(NamedTuple):
    """What is said of a model: its score and its error, the score without luck, that of a constant, and C."""

    score: float
    error: float
    corrected: float
    baseline: Baseline
    C: float


def reasons(validator: CrossValidator, choice: Choice, told: Summary) -> list[str]:
    """One sentence each: the score beside that of a constant, the next best, what is as good, the choice.

    Of a blend, the score, what it is made of, and the choice of the best setting alone.
    """
    if choice.members:
        about = blend_sentence(choice.members), *map(_of_best, choice.why)
        return [_score(validator, choice, told), *_luck(validator, choice, told), *about]
    found = [_score(validator, choice, told), *_luck(validator, choice, told)]
    others = [scored for scored in validator.scored if _is_other(scored, choice.scored)]
    if others:
        best = max(others, key=lambda scored: scored.best_score)
        found.append(_next_best(validator, choice, best, len({str(other.kernel) for other in others}) + 1))
    return [*found, *_as_good(validator, choice), *choice.why]


def blend_sentence(members: Sequence[Member]) -> str:
    """What a blend is, and what most of it is, for people who have never heard the word."""
    first, kind = members[0], "log odds" if members[0].epsilon is None else "predictions"
    n_kernels = len({str(one.kernel) for one in members})
    shared = (
        "" if n_kernels == len(members) else f", {'all' if n_kernels == 1 else 'some'} with the same kernel"
    )
    return (
        f"A blend is the weighted mean of the {kind} of several models, whose errors partly cancel out: here "
        f"{len(members)} of the settings that scored best in the search complement each other{shared}. The "
        f"largest weight, {100 * first.weight:.0f} %, has {model_text(first.kernel, first.C)}."
    )


def _of_best(sentence: str) -> str:
    """What the search says of its choice, where a blend takes the place of the choice."""
    return f"For the best setting alone, t{sentence[1:]}" if sentence.startswith("The ") else sentence


def _is_other(scored: ScoredKernel, chosen: ScoredKernel) -> bool:
    return str(scored.kernel) != str(chosen.kernel)


def _score(validator: CrossValidator, choice: Choice, told: Summary) -> str:
    share, baseline = validator.scorer.is_share, told.baseline
    found = f"{score_text(told.score, share, told.error)}{error_text(told.error, share)}"
    what = model_text(choice.scored.kernel, told.C)
    if choice.members:
        what = blend_text([one.kernel for one in choice.members]).capitalize()
    verb = "correctly predicts" if share else "has a cross-validated score of"
    where = " of the rows that it was not trained on" if share else ""
    sentence = f"{what} {verb} {found}{where}."
    if not np.isfinite(baseline.score):
        return sentence
    guess = f"{baseline.answer[0].upper()}{baseline.answer[1:]} {'would be right for' if share else 'scores'}"
    return f"{sentence} {guess} {score_text(baseline.score, share, told.error)}."


def other_labels(validator: CrossValidator, choice: Choice, score: float) -> list[str]:
    """What the search compared, where the model's own answers have another score than that."""
    if choice.members:
        return [_best_alone(validator, choice)]
    compared = float(choice.scored.scores[choice.index].mean())
    texts = [f"{100 * one:.2f} %" if validator.scorer.is_share else f"{one:.4f}" for one in (score, compared)]
    if choice.each:
        Cs = in_words([number(C) for C in choice.scored.Cs[list(choice.each)]])
        return [
            f"Each quantile has its own C: {Cs}. The score with these is {texts[0]}, and with C = "
            f"{number(choice.C)} for all, as in cv_results_, {texts[1]}."
        ]
    if texts[0] == texts[1]:
        return []
    return [
        "The search compared models by a faster rule, the signs of their decision values. By this rule, that "
        f"of cv_results_, the chosen model scores {texts[1]}, and by its own answers {texts[0]}."
    ]


def other_rows(validator: CrossValidator, choice: Choice, C: float, n_rows: float) -> str:
    """Which C and which score are whose, where the final model is none of those that the search compared."""
    score = score_text(float(choice.scored.scores[choice.index].mean()), validator.scorer.is_share)
    return (
        f"The search compared models of {len(validator.in_folds)} rows, of which that with "
        f"C = {number(choice.C)} scored {score}. The final model has C = {number(C)}; its score is that of "
        f"{n_rows:g} rows that were held out from it."
    )


def _best_alone(validator: CrossValidator, choice: Choice) -> str:
    alone, error = choice.scored.scores[choice.index].mean(), validator.standard_error(choice.scored)
    score = score_text(float(alone), validator.scorer.is_share, error)
    what = model_text(choice.scored.kernel, choice.C)
    return (
        f"The best setting alone, {what}, scores {score} in the search. The search chose it by this "
        "score, so expect less. The score of the blend is from rows that had no part in the choice."
    )


def _luck(validator: CrossValidator, choice: Choice, told: Summary) -> list[str]:
    """What is left of a score that is the best of many, or hardly better than that of a constant answer."""
    if told.score - told.corrected <= COUNTS * float(np.nan_to_num(told.error)):
        return []
    n_settings = sum(len(scored.Cs) for scored in validator.scored)
    left = score_text(told.corrected, validator.scorer.is_share, told.error)
    if choice.members and validator.scorer.is_share:
        return [
            "Always giving the same answer is about as good, and which answer is right more often here is "
            f"partly luck: expect about {left} on new rows."
        ]
    what = f"The {'blend' if choice.members else 'best'} of {n_settings} settings"
    return [
        f"{what} owes part of its score to luck: expect about {left} on rows that had no part in the choice."
    ]


def _next_best(validator: CrossValidator, choice: Choice, other: ScoredKernel, n_kernels: int) -> str:
    """How far the best of the other kernels is from the chosen one, by what the search compares.

    That is a score averaged over neighbouring values of C. Only the difference is told: the model has one
    score.
    """
    error = validator.standard_error(choice.scored, choice.index)
    gain = float(choice.scored.smoothed[choice.index]) - other.best_score
    gap = gap_text(gain, validator.scorer.is_share)
    kernels, what = count(n_kernels, "kernel"), _other_text(choice, other)
    if not gap:
        return f"The second best of {kernels}, {what}, scored the same in the search."
    size = f"{'less' if abs(gain) <= error else 'more'} than one standard error"
    if gain > 0.0:
        return f"The second best of {kernels}, {what}, scored {gap} lower in the search, {size}."
    # Among forms of kernel, and by a rule, something else decides: a sentence of its own says what.
    by_form = choice.is_by_rule or any(FORMS in sentence for sentence in choice.why)
    simpler = "" if by_form else "; the search preferred a simpler kernel"
    return f"Of {kernels}, {what} scored highest in the search, by {gap}, {size}{simpler}."


def _other_text(choice: Choice, other: ScoredKernel) -> str:
    """Another kernel and its best C; one of the same name is told from the chosen one."""
    C = float(other.Cs[other.best])
    if kernel_text(other.kernel) == kernel_text(choice.scored.kernel):
        return f"the same kernel with other widths and C = {number(C)}"
    return model_text(other.kernel, C)


def _as_good(validator: CrossValidator, choice: Choice) -> list[str]:
    """Which C and which widths around the chosen ones have the same score within one standard error."""
    error = validator.standard_error(choice.scored, choice.index)
    if not np.isfinite(error) or error == 0.0:
        return []
    scored, level = choice.scored, float(choice.scored.smoothed[choice.index]) - error
    first, last = around(scored.smoothed >= level, choice.index)
    found = []
    if first < last:
        found.append(f"C from {number(scored.Cs[first])} to {number(scored.Cs[last])}")
    widths = _equal_widths(choice, level)
    if widths:
        found.append(widths)
    if not found:
        return []
    return [f"The score stays the same, within one standard error, for {' and for '.join(found)}."]


def _equal_widths(choice: Choice, level: float) -> str:
    """The widths of the climb around the chosen one whose scores reach a level; empty if there are none."""
    climb = choice.climb
    if climb is None or not any(scored is choice.scored for scored in climb.tried.values()):
        return ""
    factors = sorted(climb.tried)
    at = next(k for k, factor in enumerate(factors) if climb.tried[factor] is choice.scored)
    first, last = around(np.array([climb.tried[factor].best_score >= level for factor in factors]), at)
    if first == last:
        return ""
    low, high = (width_text(climb.tried[factors[k]].kernel) for k in (first, last))
    if not low:
        spread = [factors[k] / factors[at] for k in (first, last)]
        return f"{number(spread[0])} to {number(spread[1])} times the chosen γ"
    return f"{low} to {high}"


def width_text(kernel: object) -> str:
    """γ of a kernel with one width; empty for others."""
    gamma = getattr(kernel, "gamma", None)
    return f"γ = {number(gamma)}" if isinstance(gamma, float | int) else ""


def around(is_good: np.ndarray, index: int) -> tuple[int, int]:
    """First and last of the neighbours of an index, itself included, that are good without a gap.

    Examples
    --------
    >>> import numpy as np
    >>> around(np.array([True, False, True, True, False]), 3)
    (2, 3)
    """
    first = last = index
    while first > 0 and is_good[first - 1]:
        first -= 1
    while last + 1 < len(is_good) and is_good[last + 1]:
        last += 1
    return first, last
