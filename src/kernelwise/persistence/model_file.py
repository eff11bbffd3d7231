"""Models on disk: an npz file with the model in JSON beside its arrays, and a checksum at the end.

Nothing in the file is executed when it is read: no pickle, no names but those of a fixed table. The file is a
zip archive whose comment, its last 64 bytes, is the SHA-256 of all bytes before it.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring

from kernelwise._core.files import whole_file
from kernelwise.estimators import SVC, SVR
from kernelwise.persistence.checks import check_model
from kernelwise.persistence.packing import Packer, unpack

FORMAT = 1
DOCUMENT = "model.json"
DIGEST = 64  # hexadecimal digits


def save(model: Any, path: Any, notes: dict[str, Any] | None = None) -> None:
    """Write a fitted model, and notes that JSON can hold; see `Portable.save`."""
    packer = Packer()
    document = {"format": FORMAT, "model": packer.pack(model, type(model).__name__), "notes": notes}
    data = archive(document, packer.arrays)
    with whole_file(path) as file:
        file.write(data)


def load(path: Any) -> Any:
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


def load_with_notes(path: Any) -> tuple[Any, dict[str, Any] | None]:
    """A model, and the notes that `save` was given with it."""
    document, arrays = _read(path)
    try:
        version = int(document["format"])
        if version <= FORMAT:
            return _model(document, arrays), document.get("notes")
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(
            f"{path} is not a model that this version can read: {reason.rstrip('.')}."
        ) from error
    raise ValueError(
        f"{path} was written by a newer version of kernelwise (format {version}, this one reads {FORMAT}). "
        "Upgrade kernelwise, or save the model again with this version."
    )


def _model(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    model = unpack(document["model"], arrays)
    check_model(model)
    if hasattr(model, "steering_"):
        model.scorer_ = check_scoring(SVC() if is_classifier(model) else SVR(), model.steering_)
    return model


def archive(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """The bytes of a file; the same for the same model."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(_member(DOCUMENT), json.dumps(document, indent=1, allow_nan=False))
        for name, values in arrays.items():
            with file.open(_member(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)
        file.comment = bytes(DIGEST)
    data = buffer.getvalue()[:-DIGEST]
    return data + hashlib.sha256(data).hexdigest().encode()


def _member(name: str) -> zipfile.ZipInfo:
    """A member without the time of day."""
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _read(path: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """JSON and arrays of a file whose checksum is right."""
    with open(path, "rb") as file:
        data = file.read()
    # Before anything is read: no damage can then look like another model.
    if hashlib.sha256(data[:-DIGEST]).hexdigest().encode() != data[-DIGEST:]:
        raise ValueError(
            f"{path} is not a kernelwise model, or it was damaged or changed after it was saved (its "
            "checksum does not match). Save the model again with model.save(path)."
        )
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            document = json.loads(file[DOCUMENT])
            return dict(document), {name: file[name] for name in file.files if name != DOCUMENT}
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a kernelwise model: {error}.") from error
