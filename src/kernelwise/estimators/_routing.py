"""Metadata of scikit-learn: which argument of ``fit`` goes to the splitter, and which to the scorers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing


class OwnFolds(BaseEstimator):
    """Stands for folds that are drawn here, which keep groups together: it asks for ``groups``."""

    __metadata_request__split: ClassVar = {"groups": True}

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        """Drawn elsewhere."""
        raise NotImplementedError


class Routed(NamedTuple):
    """What goes where.

    Attributes
    ----------
    split : dict from str
        Arguments of the splitter, ``groups`` among them.
    score : dict from str to dict, or None
        Arguments of each scorer, by its name; None where routing is off, or the score is the default one:
        weights then go to every scorer that takes them.
    """

    split: dict[str, Any]
    score: dict[str, dict[str, Any]] | None = None


def is_enabled() -> bool:
    """Whether scikit-learn is set to route metadata."""
    return bool(get_config().get("enable_metadata_routing", False))


def router(model: Any, splitter: Any, scorers: dict[str, Any]) -> MetadataRouter:
    """What `get_metadata_routing` of a model returns; scorers are by name."""
    found = MetadataRouter(owner=model).add_self_request(model)
    found.add(splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split"))
    for name, scorer in scorers.items():
        both = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
        found.add(**{_key(name): scorer}, method_mapping=both)
    return found


def route_fit(
    model: Any,
    sample_weight: Any,
    groups: Any,
    params: dict[str, Any],
    scorers: Callable[[], dict[str, Any]],
) -> Routed:
    """Route the arguments of ``fit``; without routing, ``groups`` are for the splitter and no others exist.

    ``scorers`` returns the scorers that metadata may go to, by name.
    """
    if not is_enabled():
        _refuse(model, "fit", params)
        return Routed({} if groups is None else {"groups": groups})
    given = {"sample_weight": sample_weight, "groups": groups, **params}
    found = process_routing(model, "fit", **{name: one for name, one in given.items() if one is not None})
    return Routed(found.splitter.split, {name: found[_key(name)].score for name in scorers()} or None)


def route_score(model: Any, params: dict[str, Any], name: str) -> dict[str, Any]:
    """Arguments of one scorer in ``score``: all of them, unless scikit-learn routes metadata."""
    params = {key: value for key, value in params.items() if value is not None}
    if not is_enabled():
        return params
    return process_routing(model, "score", **params)[_key(name)].score


class AskedByRow(NamedTuple):
    """What a scorer asks for, of each sample, other things that it asks for, and the weights of samples.

    Samples whose numbers ``apart`` differ are not to be merged. Arrays have the shape (n_samples,).
    """

    columns: dict[str, np.ndarray]
    others: dict[str, Any]
    weight: np.ndarray
    apart: np.ndarray

    def of(self, rows: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, Any], np.ndarray]:
        """Arguments of some rows, the others, and weights of these rows."""
        return {name: one[rows] for name, one in self.columns.items()}, self.others, self.weight[rows]


def asked_by_row(routed: Routed, weight: np.ndarray, *, is_weighted: bool) -> AskedByRow | None:
    """What the one scorer of a tuned machine is given; None where it is given the weights, or nothing."""
    if routed.score is None or not (routed.score["score"] or is_weighted):
        return None
    columns, others = split_metadata(routed.score["score"], len(weight))
    apart = np.unique(weight, return_inverse=True)[1]
    for column in columns.values():
        try:
            own = np.unique(column, return_inverse=True)[1]
        except TypeError:  # of objects that have no order, none counts as equal to another
            own = np.arange(len(weight))
        apart = np.unique(apart * len(weight) + own, return_inverse=True)[1]
    return AskedByRow(columns, others, weight, apart)


def split_metadata(params: dict[str, Any], n_samples: int) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arguments that have one value for each sample, as arrays, and the others."""
    is_column = {
        name: not isinstance(one, str | bytes | dict) and hasattr(one, "__len__") and len(one) == n_samples
        for name, one in params.items()
    }
    columns = {name: np.asarray(one) for name, one in params.items() if is_column[name]}
    return columns, {name: one for name, one in params.items() if not is_column[name]}


def _key(name: str) -> str:
    return "scorer" if name == "score" else f"scorer_{name}"


def _refuse(model: Any, method: str, params: dict[str, Any]) -> None:
    if params:
        name = type(model).__name__
        raise TypeError(
            f"{name}.{method}() got an unexpected argument {next(iter(params))!r}. To pass metadata to "
            "scorers and splitters, enable routing: sklearn.set_config(enable_metadata_routing=True)."
        )
