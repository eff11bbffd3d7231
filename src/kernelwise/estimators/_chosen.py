"""Parameters that scikit-learn's classes have and ours do not: an error that says what to write instead."""

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
#: Parameters that `SVR` gets with a kernel object, and a kernel that has them; and those with another name.
WITH_KERNEL = {"gamma": "RBF", "degree": "Polynomial", "coef0": "Polynomial"}
RENAMED = {"cache_size": "memory_limit (in MiB, for kernel values)"}


def explains_missing(
    plain: str | None = None,
) -> Callable[[Callable[Concatenate[Self, P], None]], Callable[Concatenate[Self, P], None]]:
    """Return a decorator of ``__init__`` that explains why it does not accept cache_size, C and the like.

    ``plain`` is the estimator that accepts C and the kernel's parameters; None means that this one does. The
    signature stays what it is, because scikit-learn reads the parameters from it.
    """

    def decorate(init: Callable[Concatenate[Self, P], None]) -> Callable[Concatenate[Self, P], None]:
        @wraps(init)
        def checked(self: Self, *args: P.args, **kwargs: P.kwargs) -> None:
            known = init.__code__.co_varnames
            if "estimator" in kwargs or (args and hasattr(args[0], "fit")):
                raise TypeError(
                    f"{type(self).__name__} needs no estimator: it always trains an SVM. Leave it out."
                )
            for name in kwargs:
                if name in known:
                    continue
                owner, value = type(self).__name__, kwargs[name]
                if name in RENAMED:
                    raise TypeError(f"{owner} has no parameter {name!r}. Use {RENAMED[name]} instead.")
                if plain is None and name in WITH_KERNEL:
                    way = _plain_with(owner, name, value)
                    raise TypeError(f"{owner} has no parameter {name!r}. Pass a kernel object: {way}.")
                if plain is not None and name in (*CHOSEN, *ALWAYS):
                    raise TypeError(_why_not(owner, name, value, plain))
            init(self, *args, **kwargs)

        return checked

    return decorate


def _plain_with(plain: str, name: str, value: Any) -> str:
    """How to write an estimator with a given parameter; `SVR` has the kernel's own in a kernel object."""
    if plain == "SVR" and name in WITH_KERNEL:
        return f"SVR(kernelwise.kernels.{WITH_KERNEL[name]}({name}={value!r}))"
    return f"{plain}({name}={value!r})"


def _why_not(owner: str, name: str, value: Any, plain: str) -> str:
    if name in ALWAYS:
        return f"{owner} has no parameter {name!r}: it {ALWAYS[name]}. Leave it out."
    ways = _plain_with(plain, name, value)
    if name in AMONG and owner in AMONG[name]:
        ways += f", or {AMONG[name][owner]}=[...] to let it choose among some values"
    return (
        f"{owner} has no parameter {name!r}: it chooses {CHOSEN[name]} from the data. "
        f"To set it yourself, use {ways}."
    )
