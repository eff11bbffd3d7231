"""Whether an answer or an error is one that a user can work with."""

from __future__ import annotations

import linecache
import re
import traceback
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from kernelwise.exceptions import NotEnoughMemoryError

ALLOWED = (ValueError, TypeError, NotFittedError, NotEnoughMemoryError)
#: Words of which a sentence about the data has one.
DATA = (
    r"X|Y|y|K|W|theta|sample_weight|rows?|columns?|class(es)?|features?|samples?|labels?|targets?|kernels?|"
    r"Gram matrix|criterion|weights?|scor(er|ing)|folds?|values?|grid|bounds|cv|data|inputs?|array|"
    r"C|gamma|groups|multi_class|parameters?"
)


def fault_of_error(error: BaseException, names: tuple[str, ...]) -> str | None:
    """What is wrong with an exception, or None: it must be raised on purpose, and say what it is about."""
    if not isinstance(error, ALLOWED):
        return f"{type(error).__name__}: {error}"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    is_ours = "kernelwise" in Path(frame.filename).parts or "sklearn" in Path(frame.filename).parts
    if not is_ours or not line.startswith("raise"):
        return f"not raised on purpose: {type(error).__name__}: {error}"
    text = str(error)
    if len(text) < 15 or len(text) > 1500:
        return f"{len(text)} characters: {text}"
    if not re.search(rf"\b({'|'.join([DATA, *map(re.escape, names)])})\b", text):
        return f"names nothing: {type(error).__name__}: {text}"
    # Scikit-learn's own sentences are as they are.
    if "kernelwise" in Path(frame.filename).parts and re.search(
        r"np\.(float|int|str)\w*\(|\b1 (samples|rows|features|cells|values|labels)\b", text
    ):
        return f"numpy's types or a wrong plural: {text}"
    return None


def fault_of_value(name: str, value: Any) -> str | None:
    """Say so if a number of an answer is none."""
    values = np.asarray(value)
    if values.dtype.kind in "fc" and not np.isfinite(values).all():
        return f"{name} is not finite"
    return None


def fault_of_warning(warning: Any) -> str | None:
    """Numpy's warnings are not for users of ours."""
    if issubclass(warning.category, RuntimeWarning | np.exceptions.ComplexWarning):
        return f"{warning.category.__name__}: {warning.message}"
    return None


def origin_of(error: BaseException) -> str:
    """The innermost line of ours, for groups."""
    ours = [f for f in traceback.extract_tb(error.__traceback__) if "kernelwise" in Path(f.filename).parts]
    return f"{'/'.join(Path(ours[-1].filename).parts[-2:])}:{ours[-1].lineno}" if ours else "elsewhere"
