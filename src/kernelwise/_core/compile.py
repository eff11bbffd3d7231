"""Machine code by LLVM, kept on disk for later processes where that is possible."""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

logger = logging.getLogger("kernelwise")

#: Where a NumPy array has the address of its numbers: behind what all objects of Python begin with.
HEAD = object.__basicsize__
DIGEST = hashlib.sha256().digest_size
LONG_AGO = 3600.0  # seconds
#: Of all that compiles or loads machine code.
lock = RLock()
if hasattr(os, "register_at_fork"):
    # A child has none of its parent's threads: one that held the lock would never give it back there.
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
_engines: list[Any] = []  # they own the machine code


class MachineCode:
    """A compiled function, which runs without Python's lock.

    ``address`` is where compiled code calls it, ``folder`` where it is kept, if anywhere. Its arrays must be
    contiguous and have the types they are said to have: machine code would read anything.
    """

    def __init__(self, code: bytes, types: Sequence[str], folder: Path | None, is_new: bool) -> None:
        entry, self.address = _load(code)
        kinds: dict[str, Any] = {"float64": ctypes.c_double, "int64": ctypes.c_int64, "]": ctypes.py_object}
        kinds["*"] = ctypes.c_int64
        given = [kinds[t if t in kinds else t[-1]] for t in types]
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, *given)(entry)
        self._arrays = [(k, np.dtype(t[:-2])) for k, t in enumerate(types) if t.endswith("[]")]
        self.folder, self.is_new = folder, is_new

    def __call__(self, *arguments: Any) -> int:
        for k, dtype in self._arrays:
            array = arguments[k]
            if not isinstance(array, np.ndarray):  # a number of NumPy has a dtype, too, and no address
                raise TypeError(f"Argument {k} must be an array, not {type(array).__name__}.")
            if array.dtype != dtype or not array.flags.c_contiguous:
                raise TypeError(f"Argument {k} must be contiguous and of {dtype}, not {array.dtype}.")
        return int(self._call(*arguments))


class Sources:
    """Source files of compiled functions, and their ``state``: a hash of what they contained at first.

    They are looked at when Python imports them: what is imported stays as it is when a file changes later.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self.files = tuple(files)
        self.state = self._now()

    def check(self) -> None:
        """Refuse to compile what is no longer, or not at all, in the files."""
        if self.state is None:
            raise RuntimeError(
                "kernelwise compiles its loops from its source files, and they are missing here: install "
                "kernelwise with its .py files."
            )
        if self._now() != self.state:
            raise RuntimeError(
                f"The source files of kernelwise in {self.files[0].parent} have changed since Python "
                "imported them, so that they cannot be compiled now: start Python again."
            )

    def _now(self) -> str | None:
        try:
            return _hash(*(file.read_bytes() for file in self.files)) if self.files else None
        except OSError:
            return None


def machine_code(function: Any, types: Sequence[str], sources: Sources) -> MachineCode:
    """Compile a function for the types of its arguments, or load the machine code that was kept of it.

    The types are those of `kernelwise._core.llvm.translate.Module`. ``sources`` are the files of all
    functions that take part: with their contents or another processor, machine code on disk is not used.
    """
    with lock:
        if sources.state is None:
            sources.check()
        # Two installations may share a folder, and neither removes what the other one has kept.
        home = sources.files[0].parent
        name = f"{function.__module__}.{function.__name__}-{_hash(f'{types} {home}'.encode())}"
        state = _hash(f"{sources.state} {_own_sources.state}".encode())
        for folder in _folders(home):
            file = folder / _processor() / f"{name}-{state}.o"
            code = _read(file)
            if code is not None:
                return MachineCode(code, types, file.parent, is_new=False)
        for files in (sources, _own_sources):
            files.check()
        code = _compile(function, types)
        kept_in = folder_for(home)
        if kept_in is None:
            return MachineCode(code, types, None, is_new=True)
        file = kept_in / _processor() / f"{name}-{state}.o"
        _keep(file, name, code)
        return MachineCode(code, types, file.parent, is_new=True)


def _folders(sources: Path) -> list[Path]:
    """Where machine code may be kept: KERNELWISE_CACHE_DIR, or else beside the sources, or with the user."""
    given = os.environ.get("KERNELWISE_CACHE_DIR")
    if given:
        return [Path(given)]
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    # A user without a home has "~" there, which would be a folder where the program happens to run.
    return [sources / "__pycache__", *([Path(user) / "kernelwise"] if os.path.isabs(user) else [])]


def folder_for(sources: Path) -> Path | None:
    """The first folder to write to; what is in another one is used as well."""
    for folder in _folders(sources):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    _say_that_nothing_is_kept()
    return None


def check_shapes(*expected: tuple[np.ndarray, tuple[int, ...]]) -> None:
    """Refuse arrays of other shapes than those beside them: machine code would read beyond their ends."""
    for array, shape in expected:
        if array.shape != shape:
            raise ValueError(f"An array of shape {shape} is needed here, not {array.shape}.")


class CompiledLater:
    """A function that is compiled, or whose machine code is loaded, when it is first called."""

    def __init__(self, function: Any, types: str) -> None:
        update_wrapper(self, function)
        self.function, self.types = function, types.split()
        self.sources = _sources(function.__code__.co_filename)
        self._made: MachineCode | None = None

    def __call__(self, *arguments: Any) -> int:
        return self.machine_code()(*arguments)

    def machine_code(self) -> MachineCode:
        """What is compiled, by the first thread that asks for it."""
        if self._made is None:
            with lock:
                if self._made is None:
                    self._made = machine_code(self.function, self.types, self.sources)
        return self._made


def compiled_later(types: str) -> Callable[[Any], CompiledLater]:
    """Return a decorator that makes a `CompiledLater` of a function whose arguments have these types.

    See `kernelwise._core.llvm.translate` for what such a function may do.
    """
    return lambda function: CompiledLater(function, types)


def _compile(function: Any, types: Sequence[str]) -> bytes:
    import llvmlite.binding as llvm

    from kernelwise._core.llvm.translate import Module

    has_plain_pointers = llvm.llvm_version_info[0] > 16
    module = llvm.parse_assembly(Module(function, types, HEAD, has_plain_pointers).text())
    module.verify()  # LLVM would make anything of a wrong text
    machine = _machine()
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def _load(code: bytes) -> tuple[int, int]:
    """Load machine code, and return where its function is, for Python and for other compiled code."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return int(engine.get_function_address("entry")), int(engine.get_function_address("by_address"))


def _machine() -> Any:
    """LLVM for this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    cpu, features = _host()
    # Machine code that is loaded, not linked, has fixed addresses on these processors.
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(
        cpu=cpu, features=features, opt=3, reloc=reloc, codemodel="jitdefault", jit=True
    )


@lru_cache
def _host() -> tuple[str, str]:
    import llvmlite.binding as llvm

    with suppress(RuntimeError):  # LLVM knows the features of some processors only
        return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return llvm.get_host_cpu_name(), ""


@lru_cache
def _processor() -> str:
    """What machine code depends on apart from its source: the processor, LLVM, and the head of objects."""
    import llvmlite

    return _hash(repr((*_host(), sys.platform, llvmlite.__version__, HEAD)).encode())


@lru_cache
def _sources(file: str) -> Sources:
    return Sources([Path(file)])


def _read(file: Path) -> bytes | None:
    """Machine code that was kept, or None if there is none. LLVM would not notice that it is damaged."""
    try:
        contents = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except OSError as error:
        logger.warning(f"The compiled code in {file} could not be loaded: {error!r}.")
        return None
    digest, code = contents[:DIGEST], contents[DIGEST:]
    if hashlib.sha256(code).digest() == digest:
        return code
    logger.warning(f"The compiled code in {file} could not be loaded: the file is damaged.")
    return None


def _keep(file: Path, name: str, code: bytes) -> None:
    """Keep machine code instead of that of another state of the sources, which nobody has any more."""
    part = file.with_suffix(f".{os.getpid()}")
    try:
        file.parent.mkdir(exist_ok=True)
        part.write_bytes(hashlib.sha256(code).digest() + code)
        part.replace(file)
    except OSError as error:
        logger.warning(f"The compiled code of {name} could not be saved: {error!r}.")
        with suppress(OSError):
            part.unlink(missing_ok=True)
        return
    for other in file.parent.glob(f"{name}-*"):
        with suppress(OSError):  # in use, or gone already
            # Another process may be writing; or it did, and was ended before it was done.
            if other != file and (other.suffix == ".o" or time.time() - other.stat().st_mtime > LONG_AGO):
                other.unlink()


def _hash(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]


_own_sources = Sources([Path(__file__), *sorted((Path(__file__).parent / "llvm").glob("*.py"))])


@lru_cache
def _say_that_nothing_is_kept() -> None:
    logger.warning(
        "kernelwise found no folder to keep compiled code in, so every process compiles it again, which "
        "takes up to a second. Set KERNELWISE_CACHE_DIR to a folder with write permission."
    )
