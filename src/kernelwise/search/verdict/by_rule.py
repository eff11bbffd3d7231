"""A setting that a rule of the user's takes in the place of the search's choice, and what is said of it."""

from __future__ import annotations

from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.result import Choice
from kernelwise.search.verdict.wording import model_text, score_text


def take(judge: CrossValidator, choice: Choice, scored: ScoredKernel, index: int) -> None:
    """Change a choice to the C of that index of a kernel that was scored.

    Reasons, the course of the search and findings are then those of the form of kernel that was taken.
    """
    if scored is choice.scored and index == choice.index:
        choice.why.append("The rule 'refit' chose the same setting as the search.")
        return
    preferred = model_text(choice.scored.kernel, choice.C)
    score = score_text(float(choice.scored.scores[choice.index].mean()), judge.scorer.is_share)
    sentence = (
        f"The rule 'refit' chose this one of {sum(len(one.Cs) for one in judge.scored)} settings. The search "
        f"itself prefers {preferred}, which scores {score}."
    )
    _speak_of(judge, choice, scored)
    choice.scored, choice.index, choice.is_by_rule = scored, index, True
    choice.why = [sentence]


def _speak_of(judge: CrossValidator, choice: Choice, scored: ScoredKernel) -> None:
    """Let a choice speak of the form that a kernel was scored for, if that is another one."""
    forms = choice.tried_forms.values()
    old = next((form for form in forms if any(one is choice.scored for one in form.scored)), None)
    new = next((form for form in forms if any(one is scored for one in form.scored)), None)
    if new is None or new is old:
        return
    choice.climb, choice.how = new.climb, new.how
    gone = [] if old is None else old.findings
    findings = judge.context.findings
    findings[:] = [*(one for one in findings if one not in gone), *new.findings]
