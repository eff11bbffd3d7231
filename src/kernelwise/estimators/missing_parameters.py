"""Parameters that an estimator does not have: an error that says what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from kernelwise._core.text import in_words, meant

P = ParamSpec("P")
Self = TypeVar("Self")
#: Parameters of scikit-learn's machines that are chosen from the data, and what holds them after a fit.
OF_KERNEL = ("the parameters of the kernel", "kernel_")
CHOSEN = {
    "C": ("C", "C_"),
    "epsilon": ("epsilon", "epsilon_"),
    "gamma": OF_KERNEL,
    "degree": OF_KERNEL,
    "coef0": OF_KERNEL,
}
#: Parameters that say which values a choice is among.
AMONG = {"C": {"TunedSVC": "Cs", "TunedSVR": "Cs", "tune": "Cs"}, "epsilon": {"TunedSVR": "epsilons"}}
ALWAYS = {"probability": "has probabilities always (predict_proba)"}
#: Parameters that go with a kernel object where an estimator has none of its own, and a kernel that has them.
WITH_KERNEL = {"gamma": "RBF", "degree": "Polynomial", "coef0": "Polynomial"}
RENAMED = {"cache_size": "memory_limit (in MiB, for kernel values)"}
#: An estimator with this parameter is a one-class SVM, which has neither C nor probabilities of classes.
NU = "nu"
ONE_CLASS = {"C": "nu (the larger nu is, the fewer rows are inside the boundary)"}


def explains_missing(
    plain: str | None = None,
) -> Callable[[Callable[Concatenate[Self, P], None]], Callable[Concatenate[Self, P], None]]:
    """Return a decorator of ``__init__`` that explains why it does not accept cache_size, C and the like.

    ``plain`` is the estimator that accepts C and the kernel's parameters; None means that this one does. The
    signature stays what it is, because scikit-learn reads the parameters from it.
    """

    def decorate(init: Callable[Concatenate[Self, P], None]) -> Callable[Concatenate[Self, P], None]:
        known = tuple(signature(init).parameters)[1:]  # all but self

        @wraps(init)
        def checked(self: Self, *args: P.args, **kwargs: P.kwargs) -> None:
            if "estimator" in kwargs or (args and hasattr(args[0], "fit")):
                raise TypeError(
                    f"{type(self).__name__} needs no estimator: it always trains an SVM. Leave it out."
                )
            refuse_unknown(type(self).__name__, kwargs, known, plain)
            init(self, *args, **kwargs)

        return checked

    return decorate


def refuse_unknown(
    owner: str, given: dict[str, Any], known: Collection[str], plain: str | None = None
) -> None:
    """Raise a TypeError about the first parameter in ``given`` that is not in ``known``.

    Examples
    --------
    >>> refuse_unknown("SVR", {"epsilom": 0.1}, ["kernel", "C", "epsilon"])
    Traceback (most recent call last):
    TypeError: SVR has no parameter 'epsilom'. Did you mean 'epsilon'?
    """
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"{owner} has no parameter {name!r}{_instead(owner, name, value, known, plain)}")


def _instead(owner: str, name: str, value: Any, known: Collection[str], plain: str | None) -> str:
    """How the sentence goes on after the name: why there is none, or what to write."""
    renamed = {**RENAMED, **(ONE_CLASS if NU in known else {})}
    if name in renamed:
        return f". Use {renamed[name]} instead."
    if "param_grid" in known and name in CHOSEN:
        return f". Give its values in the grid: {owner}({{{name!r}: [{value!r}]}})."
    if plain is None and name in WITH_KERNEL and ("C" in known or NU in known):
        return f". Pass a kernel object: {_with_kernel(owner, name, value)}."
    if plain is not None and name in ALWAYS and NU not in known and owner != "tune":
        return f": it {ALWAYS[name]}. Leave it out."
    if plain is not None and name in CHOSEN and (name in WITH_KERNEL or NU not in known):
        return _why_not(owner, name, value, plain)
    return f".{meant(name, known) or _all_of(known)}"


def _all_of(known: Iterable[str]) -> str:
    return f" Its parameters are {in_words(list(known))}."


def _with_kernel(plain: str, name: str, value: Any) -> str:
    return f"{plain}(kernel=kernelwise.kernels.{WITH_KERNEL[name]}({name}={value!r}))"


def _why_not(owner: str, name: str, value: Any, plain: str) -> str:
    of_svr = plain == "SVR" and name in WITH_KERNEL  # which has no parameters of kernels
    ways = _with_kernel(plain, name, value) if of_svr else f"{plain}({name}={value!r})"
    if owner in AMONG.get(name, {}):
        ways += f", or {AMONG[name][owner]}=[...] to let it choose among some values"
    what, holder = CHOSEN[name]
    after = "" if owner == "tune" else f" ({holder} after fit)"
    return f": it chooses {what}{after} from the data. To set it yourself, use {ways}."
