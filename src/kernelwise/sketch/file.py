"""Distance sketches on disk: plain arrays in an npz file, no pickle."""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np

from kernelwise._core.files import whole_file
from kernelwise.sketch.bins import Bins
from kernelwise.sketch.row_groups import RowGroups

#: A sketch with groups of rows has format 2; all others are read by older versions, too.
FORMAT = 2
ARRAYS = ("classes", "n", "own", "used", "moments")


def write(path: Any, values: dict[str, Any]) -> None:
    """Write the fields of a sketch."""
    values = dict(values)
    bins, groups = values.pop("bins"), values.pop("groups")
    if groups is not None:
        values.update({f"groups_{name}": array for name, array in groups._asdict().items()})
    if values["classes"].dtype == object:
        values["classes"] = np.array(values["classes"].tolist())
    if values["classes"].dtype == object:
        raise ValueError("Labels must be numbers or strings to be saved; encode y first.")
    with whole_file(path) as file:
        version = FORMAT if groups is not None else 1
        np.savez_compressed(file, format=version, bottom=bins.bottom, n_octaves=bins.n_octaves, **values)


def _groups(file: Any) -> RowGroups:
    return RowGroups(*(file[f"groups_{name}"] for name in RowGroups._fields))


def read(path: Any) -> dict[str, Any]:
    """What was written, or one sentence on what is wrong with the file."""
    try:
        # Opened here, because numpy leaves a file that it cannot read open.
        with open(path, "rb") as handle, np.load(handle, allow_pickle=False) as file:
            version = int(file["format"])
            if version <= FORMAT:
                return {
                    **{name: file[name] for name in ARRAYS},
                    "bins": Bins(float(file["bottom"]), int(file["n_octaves"])),
                    "n_parts": int(file["n_parts"]),
                    "parts": tuple(file["parts"].tolist()),
                    "is_sampled": bool(file["is_sampled"]),
                    "groups": _groups(file) if version == FORMAT else None,
                }
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is not a distance sketch, or it is damaged. Make it again with "
            "DistanceSketch.from_data(X, y).save(path)."
        ) from error
    raise ValueError(
        f"{path} was written by a newer version of kernelwise (format {version}, this one reads {FORMAT}). "
        "Upgrade kernelwise, or make the sketch again."
    )
