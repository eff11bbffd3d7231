"""Models on disk: an npz file with the model in JSON beside its arrays, and a checksum at the end.

Nothing in the file is executed when it is read: no pickle, no names but those of a fixed table. The file is a
zip archive whose comment, its last 64 bytes, is the SHA-256 of all bytes before it.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.metrics import check_scoring

from kernelwise._core.files import whole_file
from kernelwise._core.typing import PathLike, Transformer
from kernelwise._core.validation import check_number, check_positive
from kernelwise.estimators import SVC, SVR
from kernelwise.estimators.kernel_argument import is_precomputed
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES
from kernelwise.persistence.packing import KINDS, Packer, unpack
from kernelwise.tables import Column, Encoder, Table

if TYPE_CHECKING:
    from kernelwise.estimators.kinds import Machine, Model

__all__ = ["load", "load_with_notes", "save"]

FORMAT = 1
DOCUMENT = "model.json"
DIGEST = 64  # hexadecimal digits
#: Bytes that any file may unpack to, and how many times as many as it has itself: models shrink to a half or
#: a tenth, and repeated bytes to a thousandth.
ROOM, MOST_PACKED = 1 << 23, 100
#: What NumPy writes before the values of an array.
HEADER = re.compile(
    rb"\x93NUMPY(?:\x01\0..|\x02\0....)\{'descr': '(?P<type>[^']{1,40})', "
    rb"'fortran_order': (?P<by_columns>True|False), 'shape': \((?P<shape>[\d, ]{0,400})\), \} *\n",
    re.DOTALL,
)
MOST_TOLD = 300  # letters of a reason
MOST_COLUMNS = 10**7  # of a matrix that the file does not hold
#: Kinds of fitted arrays that are no floating point numbers; classes and names are of any kind.
WHOLE_NUMBERS = ("support_", "n_support_", "n_iter_", "_gram_columns")
OF_ANY_KIND = ("classes_", "feature_names_in_")


def save(model: object, path: PathLike, notes: dict[str, Any] | None = None) -> None:
    """Write a fitted model, and notes that JSON can hold; see `Portable.save`."""
    packer = Packer()
    document = {"format": FORMAT, "model": packer.pack(model, type(model).__name__), "notes": notes}
    data = archive(document, packer.arrays)
    with whole_file(path) as file:
        file.write(data)


def load(path: PathLike) -> Any:
    """Load a model that the method ``save`` of an estimator has written.

    Loading runs no code from the file. A damaged or changed file is refused: the loaded model predicts what
    the saved one did, or there is an error.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    ValueError
        If the file is no model, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import kernelwise
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> kernelwise.SVC().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]).save(path)
    >>> kernelwise.load(path).predict([[0.4], [2.6]]).tolist()
    ['low', 'high']
    """
    return load_with_notes(path)[0]


def load_with_notes(path: PathLike) -> tuple[Any, dict[str, Any] | None]:
    """A model, and the notes that `save` was given with it."""
    document, arrays = _read(path)
    try:
        version = int(document["format"])
        if version <= FORMAT:
            return _model(document, arrays), document.get("notes")
    except MemoryError:
        raise
    except Exception as error:  # whatever the classes raise that are made of a file's values
        missing = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        reason = " ".join(missing.split())[:MOST_TOLD].rstrip(".")
        raise ValueError(f"{path} is not a model that this version can read: {reason}.") from error
    raise ValueError(
        f"{path} was written by a newer version of kernelwise (format {version}, this one reads {FORMAT}). "
        "Upgrade kernelwise, or save the model again with this version."
    )


def _model(document: dict[str, Any], arrays: Callable[[str], np.ndarray]) -> Any:
    model = unpack(document["model"], arrays)
    check_model(model)
    if hasattr(model, "steering_"):
        model.scorer_ = check_scoring(SVC() if is_classifier(model) else SVR(), model.steering_)
    return model


def archive(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """The bytes of a file; the same for the same model."""
    data, n_unpacked = _zipped(document, arrays, zipfile.ZIP_DEFLATED)
    if n_unpacked > _most_unpacked(data):  # too much to be believed when it is read
        data, _ = _zipped(document, arrays, zipfile.ZIP_STORED)
    return data + hashlib.sha256(data).hexdigest().encode()


def _zipped(document: dict[str, Any], arrays: dict[str, np.ndarray], method: int) -> tuple[bytes, int]:
    """A zip archive without the time of day and without its digest, and how many bytes it unpacks to."""

    def member(name: str) -> IO[bytes]:
        info = zipfile.ZipInfo(name)
        info.compress_type = method
        return file.open(info, "w", force_zip64=True)

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        with member(DOCUMENT) as text:
            text.write(json.dumps(document, indent=1, allow_nan=False).encode())
        for name, values in arrays.items():
            with member(f"{name}.npy") as handle:
                np.lib.format.write_array(handle, np.asanyarray(values), allow_pickle=False)
        file.comment = bytes(DIGEST)
    return buffer.getvalue()[:-DIGEST], sum(info.file_size for info in file.infolist())


def _most_unpacked(data: bytes) -> int:
    """Bytes that a file of these bytes may unpack to."""
    return ROOM + MOST_PACKED * len(data)


class _Archive:
    """The members of a model file, each unpacked only when it is asked for, and no further than it says.

    Their sizes are added up first: a small file cannot take much memory. Errors are a ValueError.
    """

    def __init__(self, data: bytes) -> None:
        self._left = _most_unpacked(data)
        try:
            self._file = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error) as error:
            raise ValueError(f"it is no zip archive ({error})") from error

    def read(self, name: str) -> bytes:
        """The contents of a member."""
        try:
            member = self._file.getinfo(name)
        except KeyError:
            raise ValueError(f"{name!r} is missing") from None
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or member.flag_bits & 1:
            raise ValueError(f"{name!r} is encrypted, or packed in another way than 'deflate'")
        self._left -= member.file_size
        if self._left < 0:
            raise ValueError(f"it would unpack to more than {MOST_PACKED} times its size")
        try:
            with self._file.open(member) as file:
                # With a size, no more than that is ever unpacked.
                contents = file.read(member.file_size) + file.read(1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
            raise ValueError(f"{name!r} is damaged ({error})") from error
        if len(contents) != member.file_size:
            raise ValueError(f"{name!r} has another size than the archive says")
        return contents

    def array(self, name: str) -> np.ndarray:
        """The array of a member: plain numbers, dates or texts, of the shape and type in its header."""
        contents = self.read(f"{name}.npy")
        found = HEADER.match(contents)
        try:
            if found is None:
                raise ValueError("it has no header")
            dtype, is_by_columns = np.dtype(found["type"].decode()), found["by_columns"] == b"True"
            shape = tuple(map(int, found["shape"].replace(b",", b" ").split()))
            size, there = dtype.itemsize * math.prod(shape), len(contents) - found.end()
            if dtype.kind not in KINDS or dtype.shape:
                raise ValueError(f"its type is {dtype}")
            if size != there:
                raise ValueError(f"its header asks for {size} bytes, and it has {there}")
            order: Literal["F", "C"] = "F" if is_by_columns else "C"
            values = np.ndarray(shape, dtype, contents, found.end(), order=order).copy(order="K")
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name!r} is no array that a model has: {error}") from error
        # Bytes that are no value of the type: NumPy would go on with them.
        largest = {"b": ("u1", 1), "U": (f"{dtype.str[0]}u4", sys.maxunicode)}.get(dtype.kind)
        if largest and size and np.frombuffer(contents, largest[0], offset=found.end()).max() > largest[1]:
            raise ValueError(f"{name!r} holds what is no {dtype}")
        return values


def _read(path: PathLike) -> tuple[dict[str, Any], Callable[[str], np.ndarray]]:
    """JSON of a file whose checksum is right, and its arrays by name."""
    with open(path, "rb") as file:
        data = file.read()
    # Before anything is read: no damage can then look like another model.
    if hashlib.sha256(data[:-DIGEST]).hexdigest().encode() != data[-DIGEST:]:
        raise ValueError(
            f"{path} is not a kernelwise model, or it was damaged or changed after it was saved (its "
            "checksum does not match). Save the model again with model.save(path)."
        )
    try:
        members = _Archive(data)
        return dict(json.loads(members.read(DOCUMENT))), lru_cache(None)(members.array)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a kernelwise model: {str(error).rstrip('.')}.") from error


def check_model(model: Model) -> None:
    """Raise ValueError or AttributeError if a model cannot predict with what it has."""
    if hasattr(model, "feature_names_in_"):
        _check_shapes(model, {"feature_names_in_": (model.n_features_in_,)})
    if _is_machine(model):
        _check_machine(model)
    elif hasattr(model, "scoring"):
        _check_tuned(model)
    else:
        raise ValueError(f"it holds a {type(model).__name__}, which is not a model")
    if _is_machine(model) or hasattr(model, "best_estimator_"):
        _check_answers(model)


def _check_answers(model: Model) -> None:
    """Raise whatever a model raises that cannot answer: asked for one row, all of it zero or empty."""
    machine: Any = getattr(model, "best_estimator_", model)
    n, support = model.n_features_in_, machine.support_vectors_
    if not support.shape[0] and n > MOST_COLUMNS:
        raise ValueError(f"it has {n} columns")
    row: Any = sparse.csr_matrix((1, n)) if sparse.issparse(support) else np.zeros((1, n))
    if hasattr(model, "encoder_"):
        columns = model.encoder_.columns
        kinds = {"f": float, "M": "datetime64[s]"}
        empty = tuple(np.full(1, None, kinds.get(column.dtype, object)) for column in columns)
        row = Table(tuple(column.name for column in columns), empty, model.encoder_.has_names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("predict", "decision_function", "predict_proba"):
            if hasattr(model, method) and len(getattr(model, method)(row)) != 1:
                raise ValueError(f"its {method} does not answer")


def _is_machine(model: Model) -> bool:
    """Whether a model is a trained kernel machine, which knows what its arrays must be."""
    return hasattr(model, "fitted_shapes")


def _check_machine(machine: Machine) -> None:
    kernels = getattr(machine, "kernels_", [machine.kernel_])
    is_gram = kernels[0] is None or is_precomputed(kernels[0])
    strange = [kernel for kernel in kernels if not is_gram and not isinstance(kernel, Kernel)]
    if strange:
        raise ValueError(f"its kernel is a {type(strange[0]).__name__}")
    if is_classifier(machine) and machine.multiclass_ not in STRATEGIES:
        raise ValueError(f"it has the unknown strategy {machine.multiclass_!r}")
    shapes = machine.fitted_shapes()
    _check_shapes(machine, shapes)
    if hasattr(machine, "n_support_") and machine.n_support_.sum() != len(machine.support_):
        counted = machine.n_support_.sum()
        raise ValueError(f"'n_support_' counts {counted} support vectors of {len(machine.support_)}")
    for name in ("_beta", "dual_coef_", "intercept_"):
        if name in shapes and not np.isfinite(getattr(machine, name)).all():
            raise ValueError(f"{name!r} of {type(machine).__name__} is not finite")
    if is_gram:
        _check_columns(machine, "support_", machine.n_features_in_)
        return
    for kernel in kernels:
        kernel._check_features(machine.n_features_in_)


def _check_tuned(model: Model) -> None:
    for name in model.cv_results_:
        if len(model.cv_results_[name]) != len(model.cv_results_["params"]):
            raise ValueError(f"column {name!r} of 'cv_results_' has {len(model.cv_results_[name])} rows")
    if not hasattr(model, "best_estimator_"):
        return
    machine = model.best_estimator_
    if not _is_machine(machine) or is_classifier(machine) != is_classifier(model):
        raise ValueError(f"'best_estimator_' is a {type(machine).__name__}")
    _check_machine(machine)
    if is_classifier(model):
        if not np.array_equal(model.classes_, machine.classes_):
            raise ValueError("'classes_' differs from that of 'best_estimator_'")
        _check_shapes(model, {"_sigmoids": (machine.n_machines_, 2)})
        for owner in (model, machine):
            if owner.costs_ is not None:
                _check_shapes(owner, {"costs_": (len(model.classes_), len(model.classes_))})
    elif is_outlier_detector(model):
        _check_tail(model)
    else:
        check_number(model.target_mean_, "target_mean_", type(model).__name__)
        check_positive(model.target_scale_, "target_scale_", type(model).__name__)
    _check_record(model)
    if is_precomputed(model.kernel):
        _check_shapes(model, {"_gram_columns": (machine.n_features_in_,)})
        _check_columns(model, "_gram_columns", model.n_features_in_)
        return
    n_features = model.n_features_in_
    if hasattr(model, "encoder_"):
        n_features = _check_encoder(model.encoder_, n_features)
    if n_features != machine.n_features_in_:
        raise ValueError(f"it has {n_features} features, and its machine {machine.n_features_in_}")
    if model.scaler_ is not None:
        _check_scaler(model.scaler_, n_features)


def _check_record(model: Model) -> None:
    """What intervals and sets of classes go by, which files of version 0.1 do not have."""
    record, spread = model.fit_record_, getattr(model, "_spread", None)
    if record is not None and record.fold is not None:
        names = ["truth", "weight", "fold"]
        if getattr(model, "quantile", None) is None:  # quantiles have no intervals, and may be several
            names += ["predicted", "of_truth" if is_classifier(model) else "spread"]
        _check_shapes(record, dict.fromkeys(names, (len(record.truth),)))
    if spread is not None:
        n_centres = len(spread.predictions)
        _check_shapes(spread, {"predictions": (n_centres,), "coefficients": (n_centres,)})
        if spread.centres is not None:
            _check_shapes(spread, {"centres": (n_centres, model.best_estimator_.n_features_in_)})


def _check_tail(model: Model) -> None:
    """What thresholds and probabilities of a one-class model go by."""
    check_number(model.threshold_, "threshold_", type(model).__name__)
    check_positive(model._tail_scale, "_tail_scale", type(model).__name__)
    _check_shapes(model, {"_tail_share": np.shape(model._tail_strangeness)})
    if hasattr(model, "_sigmoid"):
        _check_shapes(model, {"_sigmoid": (2,)})
    if hasattr(model, "_usual_scores"):
        _check_shapes(model, {"_usual_weights": np.shape(model._usual_scores)})


def _check_encoder(encoder: object, n_columns: int) -> int:
    """The number of features that the columns become."""
    if not isinstance(encoder, Encoder) or not all(isinstance(one, Column) for one in encoder.columns):
        raise ValueError("'encoder_' is none")
    if encoder.n_columns != n_columns:
        raise ValueError(f"it has {n_columns} columns, and its encoder {encoder.n_columns}")
    for column in encoder.columns:
        if not all(isinstance(word, str) for word in column.words):
            raise ValueError(f"column {column.name!r} has words that are not text")
        if column.dtype == "f":
            check_number(column.fill, "fill", "Column")
    return encoder.n_features


def _check_scaler(scaler: Transformer, n_features: int) -> None:
    lists: dict[str, tuple[int, ...]] = {
        name: (n_features,) for name, value in vars(scaler).items() if np.ndim(value) > 0
    }
    lists.pop("feature_range", None)
    _check_shapes(scaler, lists)
    scaler.transform(np.zeros((1, n_features)))


def _check_shapes(owner: object, shapes: dict[str, tuple[int, ...]]) -> None:
    for name, expected in shapes.items():
        values = getattr(owner, name)
        shape, dtype = np.shape(values), getattr(values, "dtype", np.dtype(float))
        if shape != expected:
            raise ValueError(f"{name!r} of {type(owner).__name__} has shape {shape}, expected {expected}")
        kinds = "iu" if name in WHOLE_NUMBERS else "fiu"
        if name not in OF_ANY_KIND and dtype.kind not in kinds:
            raise ValueError(f"{name!r} of {type(owner).__name__} is of type {dtype}")


def _check_columns(owner: object, name: str, n_columns: int) -> None:
    columns = getattr(owner, name)
    if columns.size and not 0 <= columns.min() <= columns.max() < n_columns:
        raise ValueError(f"{name!r} of {type(owner).__name__} names columns beyond {n_columns}")
