"""What it takes to repeat a run: data, versions, seed, command."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Provenance:
    """How to get the same result again.

    Attributes
    ----------
    command : str
    source : str or None
        Where the samples came from.
    seed : object
    fingerprint : str or None
        Of the samples and their labels; see `fingerprint`.
    versions : dict from str to str
    """

    command: str
    source: str | None
    seed: Any
    fingerprint: str | None
    versions: dict[str, str]


def provenance(model: Any, X: Any, y: Any, command: str | None, source: str | None, seed: Any) -> Provenance:
    """The facts of a run; the command is the model's own constructor where none is given."""
    if command is None:
        made = model.__repr__(N_CHAR_MAX=100_000)
        command = f"from kernelwise import {type(model).__name__}\n\n{made}.fit(X, y)"
    digest = None if X is None or y is None else fingerprint(X, y)
    return Provenance(command, source, model.random_state if seed is None else seed, digest, versions())


def fingerprint(X: Any, y: Any) -> str:
    """The first 16 digits of SHA-256 over the shape, the values as float64 and the labels as text."""
    digest = hashlib.sha256(repr(tuple(X.shape if hasattr(X, "shape") else np.shape(X))).encode())
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (np.asarray(X),)
    for part in parts:
        digest.update(np.ascontiguousarray(part, dtype=np.float64).data)
    digest.update("\n".join(map(str, np.asarray(y).ravel().tolist())).encode())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Versions of what the result depends on."""
    from kernelwise import __version__  # the package imports this module

    found = {"kernelwise": __version__, "Python": platform.python_version()}
    return {
        **found,
        **{name: version(name) for name in PACKAGES},
        "platform": f"{platform.system()} {platform.machine()}",
    }
