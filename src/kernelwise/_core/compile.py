"""Machine code by LLVM, kept on disk for later processes where that is possible."""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
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
_lock = RLock()
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


def machine_code(function: Any, types: Sequence[str], sources: Sequence[Path]) -> MachineCode:
    """Compile a function for the types of its arguments, or load the machine code that was kept of it.

    The types are those of `kernelwise._core.llvm.translate.Module`. ``sources`` are the files of all
    functions that take part: with their contents or another processor, machine code on disk is not used.
    """
    with _lock:
        name = f"{function.__module__}.{function.__name__}-{_hash(' '.join(types).encode())}"
        folder = folder_for(sources[0].parent)
        state = _hash(*(source.read_bytes() for source in (*sources, *_own_sources()) if source.exists()))
        file = folder / _processor() / f"{name}-{state}.o" if folder else None
        code = _read(file) if file else None
        is_new = code is None
        if code is None:
            code = _compile(function, types)
            if file:
                _keep(file, name, code)
        return MachineCode(code, types, file.parent if file else None, is_new)


def folder_for(sources: Path) -> Path | None:
    """KERNELWISE_CACHE_DIR, or else a folder beside the sources or of the user: the first one to write to."""
    given = os.environ.get("KERNELWISE_CACHE_DIR")
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for folder in [Path(given)] if given else [sources / "__pycache__", Path(user) / "kernelwise"]:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    _say_that_nothing_is_kept()
    return None


class CompiledLater:
    """A function that is compiled, or whose machine code is loaded, when it is first called."""

    def __init__(self, function: Any, types: str) -> None:
        update_wrapper(self, function)
        self.function, self.types = function, types.split()
        self._made: MachineCode | None = None

    def __call__(self, *arguments: Any) -> int:
        return self.machine_code()(*arguments)

    def machine_code(self) -> MachineCode:
        """What is compiled, by the first thread that asks for it."""
        if self._made is None:
            with _lock:
                if self._made is None:
                    source = Path(self.function.__code__.co_filename)
                    self._made = machine_code(self.function, self.types, [source])
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
def _own_sources() -> tuple[Path, ...]:
    return Path(__file__), *sorted((Path(__file__).parent / "llvm").glob("*.py"))


def _read(file: Path) -> bytes | None:
    """Machine code that was kept, or None if there is none. LLVM would not notice that it is damaged."""
    try:
        contents = file.read_bytes()
    except FileNotFoundError:
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
    for other in file.parent.glob(f"{name}-*.o"):
        if other != file:
            with suppress(OSError):  # in use, or gone already
                other.unlink()


def _hash(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]


@lru_cache
def _say_that_nothing_is_kept() -> None:
    logger.warning(
        "kernelwise found no folder to keep compiled code in, so every process compiles it again, which "
        "takes up to a second. Set KERNELWISE_CACHE_DIR to a folder with write permission."
    )
