"""Scored kernels in a journal, so that a long search that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from typing import Any

import numpy as np

from kernelwise._core.parameters import constructor_params
from kernelwise.kernels import Kernel
from kernelwise.search.engine.scored_kernel import FoldKernels, Scorable, ScoredKernel, final_kernel

NUMBERS = ("is_finished", "variance", "seconds", "n_machines", "epsilon")
ARRAYS = ("Cs", "scores", "n_support")


def name_of(kernel: object, Cs: np.ndarray | None, epsilon: float | None) -> str:
    """A name that tells kernels apart to the last bit, with the values of C and ε asked for."""
    if isinstance(kernel, FoldKernels):
        parts: list[Any] = [kernel.final, *kernel.by_fold]
    else:
        parts = [kernel]
    digest = hashlib.sha256()
    named = [one for part in parts for one in (part.parts() if isinstance(part, Kernel) else [(1.0, part)])]
    for weight, part in named:
        params = constructor_params(part) if isinstance(part, Kernel) else {}
        digest.update(type(part).__name__.encode())
        digest.update(b"" if weight == 1.0 else repr(weight).encode())
        for name, value in params.items():
            digest.update(f"{name} {np.shape(value)}".encode())
            digest.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    digest.update(b"" if Cs is None else np.asarray(Cs, float).tobytes())
    return f"{type(parts[0]).__name__} {digest.hexdigest()[:32]} {epsilon!r}"


def to_json(scored: ScoredKernel, n_stopped: int, n_indefinite: int) -> dict[str, Any]:
    """All of a scored kernel but its decision values: their labels take a hundredth of the bytes."""
    return {
        **{name: getattr(scored, name) for name in NUMBERS},
        **{name: _listed(getattr(scored, name)) for name in ARRAYS},
        "labels": None if scored.labels is None else _packed(scored.labels),
        "n_stopped": n_stopped,
        "n_indefinite": n_indefinite,
    }


def _listed(values: np.ndarray) -> list[Any]:
    """Numbers as a journal can have them: None in place of those that are not finite."""
    listed = values.astype(object)
    listed[~np.isfinite(values)] = None
    return listed.tolist()


def _packed(labels: np.ndarray) -> list[str]:
    """Whole numbers of shape (n_Cs, n_tested) as text."""
    return [labels.dtype.str, b64encode(zlib.compress(labels.tobytes())).decode()]


def _unpacked(packed: list[str], n_Cs: int) -> np.ndarray:
    kind, text = packed
    return np.frombuffer(zlib.decompress(b64decode(text)), dtype=kind).reshape(n_Cs, -1)


def from_json(found: dict[str, Any], kernel: Scorable, reason: str) -> ScoredKernel:
    """The scored kernel, without its decision values."""
    values: dict[str, Any] = {name: np.asarray(found[name], dtype=float) for name in ARRAYS}
    values |= {name: found[name] for name in NUMBERS}
    packed = found.get("labels")  # journals of earlier versions have none
    values["labels"] = None if packed is None else _unpacked(packed, len(values["Cs"]))
    return ScoredKernel(kernel=final_kernel(kernel), reason=reason, stored=None, **values)
