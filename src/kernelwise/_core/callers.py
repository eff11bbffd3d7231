"""Where our user stands on the stack of calls."""

from __future__ import annotations

import sys


def stacklevel_of_user() -> int:
    """The ``stacklevel`` of a warning that should name the line of the user, whatever wraps our methods.

    That line is in the first frame that is neither ours nor scikit-learn's.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] in ("kernelwise", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level
