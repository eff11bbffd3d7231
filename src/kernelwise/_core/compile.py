"""Machine code by Numba, kept on disk for later processes where that is possible."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, update_wrapper
from pathlib import Path
from threading import Lock
from typing import Any

from kernelwise._core.threads import collection_paused

logger = logging.getLogger("kernelwise")


def compiled_for(signature: Any, **options: Any) -> Callable[[Any], Any]:
    """Return a decorator: Numba's ``njit(signature, cache=True, nogil=True, **options)``, and more patient.

    Without a folder to write to the function is compiled in every process, and damaged files are replaced.
    With NUMBA_DISABLE_JIT the function stays as it is; see `check_compiler`.
    """
    # Numba takes a quarter of a second to import: not before something is compiled.
    from numba import njit

    def compiled(function: Any) -> Any:
        if _is_disabled():
            return function
        try:
            dispatcher = njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # Numba has "no locator": it can write neither beside the file nor at home
            _say_that_nothing_is_kept()
            dispatcher = njit(nogil=True, **options)(function)
        try:
            dispatcher.compile(signature)
        except Exception as error:  # a damaged pickle raises anything
            # If only keeping the machine code failed, as on a full disk, the second call finds it compiled.
            logger.warning(
                f"The compiled code of {function.__name__} could not be loaded or saved: {error!r}."
            )
            remove_kept(dispatcher, f"{function.__qualname__}-")
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compiled


class CompiledLater:
    """A function that is compiled, or whose machine code is loaded, when it is first called.

    ``signature`` is Numba's, as text: Numba takes a quarter of a second to import, and is not before that.
    """

    def __init__(self, function: Any, signature: str, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function, self.signature, self.options = function, signature, options
        self._compiled: Any = None
        self._lock = Lock()

    def __call__(self, *arguments: Any) -> Any:
        return self.machine_code()(*arguments)

    def machine_code(self) -> Any:
        """The compiled function, made by the first thread that asks for it."""
        if self._compiled is None:
            with self._lock, collection_paused():
                if self._compiled is None:
                    compile_it = compiled_for(self.signature, **self.options)
                    source = Path(self.function.__code__.co_filename)
                    self._compiled = kept_for_state(compile_it, self.function, [source])
        return self._compiled


#: Nothing is allocated in compiled code, so nothing need be counted that refers to memory; no check for zero
#: where something is divided. Both make code that takes longer to compile. ("min", "max" and slices are
#: functions that Numba compiles first: they are written out, too.)
PLAIN: dict[str, Any] = {"error_model": "numpy", "_nrt": False}


def compiled_later(signature: str, **options: Any) -> Callable[[Any], CompiledLater]:
    """Return a decorator that makes a `CompiledLater`; the options are those of `compiled_for`."""
    return lambda function: CompiledLater(function, signature, {**PLAIN, **options})


#: In a signature of `compiled_later`: arrays that may be read-only, which takes writeable ones, too.
GIVEN_VECTOR = "Array(float64, 1, 'C', readonly=True)"
GIVEN_MATRIX = "Array(float64, 2, 'C', readonly=True)"


def kept_for_state(compile_it: Callable[[Any], Any], function: Any, sources: Sequence[Path]) -> Any:
    """Compile a function, or load the machine code that was kept for this state of the files it comes from.

    Numba looks at the size and time of the function's own file to see whether its machine code is stale, and
    both may be the same after an upgrade; at the files of functions that it calls it does not look. So the
    state of all of them goes into the name under which it is kept.
    """
    contents = b"".join(source.read_bytes() for source in sources if source.exists())
    state = hashlib.sha256(contents).hexdigest()[:12]
    function.__qualname__ = f"{function.__name__}_{state}"
    compiled = compile_it(function)
    # Some other state was kept, if any, which nobody has the files of. (A plain function was not compiled.)
    if compiled is not function and compiled.stats.cache_misses:
        remove_kept(compiled, f"{function.__name__}[_-]", but=state)
    return compiled


def remove_kept(dispatcher: Any, name: str, but: str | None = None) -> None:
    """Remove files of machine code beside those of a compiled function, if it has any.

    ``name`` is a glob pattern of how names of functions begin; files with ``but`` in their name stay.
    """
    module = dispatcher.py_func.__module__.rpartition(".")[2]
    folder = dispatcher.stats.cache_path
    for path in Path(folder).glob(f"{module}.{name}*.nb[ic]") if folder else ():
        if but is None or but not in path.name:
            with suppress(OSError):  # in use, or gone already
                path.unlink()


def check_compiler() -> None:
    """Raise RuntimeError if Numba is not to compile: the solver has instructions that Python has not."""
    if _is_disabled():
        raise RuntimeError("kernelwise cannot run without compiled code. Unset NUMBA_DISABLE_JIT.")


def _is_disabled() -> bool:
    import numba

    settings: Any = numba.config  # made from the environment: type checkers do not see what is in it
    return bool(settings.DISABLE_JIT)


@lru_cache
def _say_that_nothing_is_kept() -> None:
    logger.warning(
        "kernelwise found no folder to keep compiled code in, so every process compiles it again, which "
        "takes some seconds. Set NUMBA_CACHE_DIR to a folder with write permission."
    )
