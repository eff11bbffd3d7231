"""The constructor arguments of an object, for scikit-learn's parameter protocol and for reprs."""

from __future__ import annotations

import inspect
from typing import Any


def constructor_params(instance: Any) -> dict[str, Any]:
    """Constructor arguments and their values, in declaration order."""
    names = list(inspect.signature(type(instance).__init__).parameters)[1:]
    return {name: getattr(instance, name) for name in names}
