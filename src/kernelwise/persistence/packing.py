"""Models as JSON and plain arrays, and back.

What JSON has no word for is an object with the key "$", which says what it is. Classes are looked up by
name in `CLASSES` and among the kinds of columns: what is not there can neither be written nor read.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import model_selection
from sklearn.base import BaseEstimator
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from kernelwise import criteria, estimators, kernels, optimizers
from kernelwise._core.parameters import constructor_params
from kernelwise._core.typing import SparseMatrix
from kernelwise.conformal import Spread
from kernelwise.estimators.blend_machine import BlendSVC, BlendSVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.findings import Finding
from kernelwise.result import History, TuningResult
from kernelwise.search.result import FitRecord, Member, OneClassResult, SelectionResult
from kernelwise.search.scoring.scores import PositiveScore
from kernelwise.search.verdict.baseline import Baseline
from kernelwise.tables import COLUMN_KINDS, Encoder


def _public_classes(package: ModuleType) -> list[type]:
    """Classes of a package that can be made."""
    found = [getattr(package, name) for name in package.__all__]
    return [value for value in found if inspect.isclass(value) and not inspect.isabstract(value)]


#: Classes of `sklearn.model_selection`.
SPLITTERS = (
    *("KFold", "StratifiedKFold", "TimeSeriesSplit", "ShuffleSplit", "StratifiedShuffleSplit"),
    *("PredefinedSplit", "GroupKFold", "StratifiedGroupKFold", "GroupShuffleSplit", "LeaveOneGroupOut"),
    *("LeavePGroupsOut", "LeaveOneOut", "LeavePOut", "RepeatedKFold", "RepeatedStratifiedKFold"),
)
SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler)
PARTS = [part for package in (kernels, criteria, optimizers) for part in _public_classes(package)]
MODELS = [model for model in _public_classes(estimators) if hasattr(model, "save")]
OTHERS = (
    *(BlendSVC, BlendSVR, Member, Encoder, FitRecord, Spread, SelectionResult, OneClassResult),
    *(TuningResult, Baseline, Finding, PositiveScore),
)
CLASSES = {
    **{part.__name__: part for part in (*MODELS, *OTHERS, *SCALERS, *PARTS)},
    **{name: getattr(model_selection, name) for name in SPLITTERS},
}
#: The scorer is made again when the model is loaded; callbacks watch a training, which is over.
LEFT_OUT = ("scorer_", "_skl_callbacks")
#: What there was before a parameter: a file without it is of that time, and predicts as it did then.
FORMER = {"predict_by": "decision"}
#: Kinds of arrays and scalars that numpy writes without pickle.
KINDS = "biufcUSmM"


def _class_of(name: str) -> Any:
    """The class of that name, which may be a kind of column; None if a file may not hold it."""
    return CLASSES.get(name) or {kind.__name__: kind for kind in COLUMN_KINDS.values()}.get(name)


class Packer:
    """Turns a model into what JSON can hold; ``arrays`` gets the arrays, by where in the model they are."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._known: dict[int, str] = {}

    def pack(self, value: Any, where: str) -> Any:
        """Pack any value; ``where`` it is goes into the error if it cannot be."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"$": "float", "value": repr(value)}
        if isinstance(value, np.ndarray | np.generic):
            return self._numpy(value, where)
        if sparse.issparse(value) and value.format == "csr":
            return self._csr(value, where)
        if type(value) in (list, tuple, History):
            items = [self.pack(item, f"{where}[{k}]") for k, item in enumerate(value)]
            return items if type(value) is list else {"$": type(value).__name__.lower(), "items": items}
        if type(value) is dict:
            return self._dict(value, where)
        if _class_of(type(value).__name__) is type(value):
            return self._instance(value, where)
        raise IncompatibleError(
            f"save cannot store {where}, which is {_short(value)}. The file holds numbers, text, arrays, "
            f"parts of kernelwise, and {', '.join(scaler.__name__ for scaler in SCALERS)}; use pickle."
        )

    def _numpy(self, value: Any, where: str) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(value)
            # What is under a mask may be memory that nobody has written to.
            data = np.where(mask, np.zeros((), value.dtype), value.data)
            return {"$": "masked", "data": self.pack(data, where), "mask": self.pack(mask, f"{where}.mask")}
        if value.dtype.kind == "O":
            items = self.pack(value.ravel().tolist(), where)
            return {"$": "objects", "shape": list(value.shape), "items": items}
        if value.dtype.kind not in KINDS:
            raise IncompatibleError(f"save cannot store {where}, an array of {value.dtype}; use pickle.")
        if isinstance(value, np.generic) and isinstance(value.item(), bool | int | float | str):
            return {"$": "scalar", "dtype": value.dtype.str, "value": self.pack(value.item(), where)}
        if id(value) not in self._known:
            self._known[id(value)] = where
            self.arrays[where] = value
        return {"$": "array", "name": self._known[id(value)]}

    def _csr(self, value: SparseMatrix, where: str) -> Any:
        parts = {name: self.pack(getattr(value, name), f"{where}.{name}") for name in CSR_PARTS}
        is_array = isinstance(value, sparse.sparray)
        return {"$": "csr", "is_array": is_array, "shape": list(value.shape), **parts}

    def _dict(self, value: dict[Any, Any], where: str) -> Any:
        if all(type(key) is str and key != "$" for key in value):
            return {key: self.pack(item, f"{where}.{key}") for key, item in value.items()}
        pairs = [
            [self.pack(key, f"a key of {where}"), self.pack(item, f"{where}[{key!r}]")]
            for key, item in value.items()
        ]
        return {"$": "pairs", "items": pairs}

    def _instance(self, value: object, where: str) -> Any:
        """Constructor arguments by name, and the fitted attributes of an estimator."""
        if is_dataclass(value):
            params = {field.name: getattr(value, field.name) for field in fields(value)}
        else:
            params = constructor_params(value)
        packed = {"$": "instance", "class": type(value).__name__, "params": self._dict(params, where)}
        if isinstance(value, BaseEstimator):
            left_out = {*params, *LEFT_OUT}
            packed["state"] = self._dict({k: v for k, v in vars(value).items() if k not in left_out}, where)
        return packed


def unpack(node: Any, arrays: Callable[[str], np.ndarray]) -> Any:
    """The value that was packed, with arrays by name; an error of some kind if the node is not one."""
    if isinstance(node, list):
        return [unpack(item, arrays) for item in node]
    if not isinstance(node, dict):
        return node
    if "$" not in node:
        return {key: unpack(item, arrays) for key, item in node.items()}
    if node["$"] not in READERS:
        raise ValueError(f"it has a value of the unknown kind {node['$']!r}")
    inside = {key: unpack(item, arrays) for key, item in node.items() if key != "$"}
    if node["$"] == "array":
        return arrays(inside["name"])
    return READERS[node["$"]](inside)


def _read_scalar(node: dict[str, Any]) -> Any:
    dtype = np.dtype(node["dtype"])
    if dtype.kind not in KINDS:
        raise ValueError(f"it has a scalar of type {dtype}")
    return dtype.type(node["value"])


def _read_objects(node: dict[str, Any]) -> np.ndarray:
    values = np.empty(len(node["items"]), dtype=object)
    values[:] = node["items"]
    return values.reshape(node["shape"])


def _read_csr(node: dict[str, Any]) -> Any:
    form = sparse.csr_array if node["is_array"] else sparse.csr_matrix
    matrix = form(tuple(node[name] for name in CSR_PARTS), shape=tuple(node["shape"]))
    matrix.check_format(full_check=True)
    return matrix


def _read_instance(node: dict[str, Any]) -> Any:
    kind, params = _class_of(node["class"]), node["params"]
    if kind is None:
        raise ValueError(f"it has a part of the unknown class {node['class']!r}")
    former = {name: FORMER[name] for name in inspect.signature(kind).parameters if name in FORMER}
    instance = kind(**{**former, **params})
    state = node.get("state", {})
    strange = [name for name in state if not _is_fitted_name(name)]
    if strange:
        raise ValueError(f"{node['class']} has no attribute {strange[0]!r}")
    vars(instance).update(state)
    if former and "_sigmoids" in state and not former.keys() <= params.keys():
        instance._knows_class_weights = False  # its probabilities are of a version before these parameters
    return instance


def _is_fitted_name(name: str) -> bool:
    return name.isidentifier() and not name.startswith("__") and (name[0] == "_" or name[-1] == "_")


def _short(value: object) -> str:
    is_named = inspect.isclass(value) or inspect.isroutine(value)
    return repr(value) if is_named else f"of the class {type(value).__module__}.{type(value).__name__}"


CSR_PARTS = ("data", "indices", "indptr")
READERS: dict[str, Any] = {
    "array": None,
    "float": lambda node: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[node["value"]],
    "scalar": _read_scalar,
    "masked": lambda node: np.ma.MaskedArray(node["data"], mask=node["mask"]),
    "objects": _read_objects,
    "csr": _read_csr,
    "tuple": lambda node: tuple(node["items"]),
    "history": lambda node: History(node["items"]),
    "pairs": lambda node: dict(node["items"]),
    "instance": _read_instance,
}
