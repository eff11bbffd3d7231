"""Attributes that only some fits set: whoever asks for one of the others' is told why it is not there."""

from __future__ import annotations

from typing import Any

from kernelwise.search.verdict.wording import kernel_text


class IfLearned:
    """An attribute of models whose kernel has weights of features.

    An instance that has it does not come here; of one that has not, the error names the kernel, and
    ``advice`` says what else there is.
    """

    def __init__(self, what: str, advice: str) -> None:
        self.what = what
        self.advice = advice

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        me = type(instance).__name__
        if "kernel_" not in vars(instance):
            raise AttributeError(f"{me!r} object has no attribute {self.name!r}: it is not fitted.")
        raise AttributeError(
            f"This {me} has no {self.name}: the kernel that was chosen ({kernel_text(instance.kernel_)}) "
            f"{self.what}. {self.advice}"
        )
