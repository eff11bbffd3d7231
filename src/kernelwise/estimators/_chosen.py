"""What a tuned estimator chooses by itself and others have as parameters: a sentence instead of Python's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
Self = TypeVar("Self")
#: Parameters of scikit-learn's machines that are chosen from the data, and what holds them after a fit.
OF_KERNEL = "the parameters of the kernel (kernel_ after fit)"
CHOSEN = {
    "C": "C (C_ after fit)",
    "epsilon": "epsilon (epsilon_ after fit)",
    "gamma": OF_KERNEL,
    "degree": OF_KERNEL,
    "coef0": OF_KERNEL,
}
#: Parameters that say which values a choice is among.
AMONG = {"C": {"TunedSVC": "Cs", "TunedSVR": "Cs"}, "epsilon": {"TunedSVR": "epsilons"}}
ALWAYS = {"probability": "has probabilities always (predict_proba)"}


def says_what_it_chooses(
    plain: str,
) -> Callable[[Callable[Concatenate[Self, P], None]], Callable[Concatenate[Self, P], None]]:
    """Return a decorator of ``__init__`` that explains why it does not take C, gamma and the like.

    ``plain`` is the estimator that takes them. The signature stays what it is, which scikit-learn reads
    parameters from.
    """

    def decorate(init: Callable[Concatenate[Self, P], None]) -> Callable[Concatenate[Self, P], None]:
        @wraps(init)
        def checked(self: Self, *args: P.args, **kwargs: P.kwargs) -> None:
            known = init.__code__.co_varnames
            for name in kwargs:
                if name not in known and name in (*CHOSEN, *ALWAYS):
                    raise TypeError(_why_not(type(self).__name__, name, kwargs[name], plain))
            init(self, *args, **kwargs)

        return checked

    return decorate


def _why_not(owner: str, name: str, value: Any, plain: str) -> str:
    if name in ALWAYS:
        return f"{owner} has no parameter {name!r}: it {ALWAYS[name]}. Leave it out."
    ways = f"{plain}({name}={value!r})"
    if name in AMONG and owner in AMONG[name]:
        ways += f", or {AMONG[name][owner]}=[...] to let it choose among some values"
    return (
        f"{owner} has no parameter {name!r}: it chooses {CHOSEN[name]} from the data. To set it "
        f"yourself, use {ways}."
    )
