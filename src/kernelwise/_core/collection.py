"""No garbage collection while Numba is loaded or compiles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """A context, or decorator, without automatic garbage collection.

    Numba makes so many lasting objects when it is imported, set up and run that looking through all of them
    again and again took a third of the time of loading. Meanwhile some tens of megabytes pile up.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
