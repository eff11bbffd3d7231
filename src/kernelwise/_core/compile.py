"""Machine code by LLVM, kept on disk for later processes where that is possible."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from kernelwise._core.kept_code import Sources, folder_for, folders, hashed, keep, read

#: Where a NumPy array has the address of its numbers: behind what all objects of Python begin with.
HEAD = object.__basicsize__
#: Of all that compiles or loads machine code.
lock = RLock()
if hasattr(os, "register_at_fork"):
    # A child has none of its parent's threads: one that held the lock would never give it back there.
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
_engines: list[Any] = []  # they own the machine code
_own_sources = Sources([Path(__file__), *sorted((Path(__file__).parent / "llvm").glob("*.py"))])


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


def machine_code(function: Any, types: Sequence[str], sources: Sources) -> MachineCode:
    """Compile a function for the types of its arguments, or load the machine code that was kept of it.

    The types are those of `kernelwise._core.llvm.module.Module`. ``sources`` are the files of all
    functions that take part: with their contents or another processor, machine code on disk is not used.
    """
    with lock:
        if sources.state is None:
            sources.check()
        # Two installations may share a folder, and neither removes what the other one has kept.
        home = sources.files[0].parent
        name = f"{function.__module__}.{function.__name__}-{hashed(f'{types} {home}'.encode())}"
        state = hashed(f"{sources.state} {_own_sources.state}".encode())
        for folder in folders(home):
            file = folder / _processor() / f"{name}-{state}.o"
            code = read(file)
            if code is not None:
                return MachineCode(code, types, file.parent, is_new=False)
        for files in (sources, _own_sources):
            files.check()
        code = _compile(function, types)
        kept_in = folder_for(home)
        if kept_in is None:
            return MachineCode(code, types, None, is_new=True)
        file = kept_in / _processor() / f"{name}-{state}.o"
        keep(file, name, code)
        return MachineCode(code, types, file.parent, is_new=True)


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

    from kernelwise._core.llvm.module import Module

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

    return hashed(repr((*_host(), sys.platform, llvmlite.__version__, HEAD)).encode())


@lru_cache
def _sources(file: str) -> Sources:
    return Sources([Path(file)])
