"""Stack level of the first frame outside kernelwise, for warnings."""

from __future__ import annotations

import sys
from types import FrameType


def stacklevel_of_user() -> int:
    """The ``stacklevel`` of a warning that should name the line of the user, whatever wraps our methods.

    That line is in the first frame that is neither ours nor scikit-learn's.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _package(frame) in ("kernelwise", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level


def _package(frame: FrameType) -> str:
    """The package that a frame runs code of; empty for code that has no module, such as that of `exec`."""
    return str(frame.f_globals.get("__name__", "")).split(".")[0]
