"""LLVM's text of a compiled function and of all that it calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelwise._core.llvm.expressions import NONE, ZERO
from kernelwise._core.llvm.translate import Translation
from kernelwise._core.llvm.values import NUMBERS, Value, is_address


class Module:
    """LLVM's text of one function that C can call, and of all functions that it calls.

    ``types`` are numbers ("int64"), addresses ("float32*") and arrays ("float64[]"). Unsigned integers count
    as signed ones of the same bits. "by_address" is the function that compiled code calls: it takes addresses
    of the first numbers of arrays, and passes all addresses as integers. "entry" is for Python: it takes
    NumPy's objects, in which that address is ``head`` bytes behind the start. Both return an integer, which
    is 0 if the function returns nothing.
    """

    def __init__(self, function: Any, types: Sequence[str], head: int, has_plain_pointers: bool) -> None:
        self.has_plain_pointers = has_plain_pointers
        self._made: dict[Any, tuple[str, Any]] = {}
        self._texts = ["declare double @llvm.fabs.f64(double)", "declare float @llvm.fabs.f32(float)"]
        inside, entry = Translation(self, function), Translation(self, function)
        arguments, addresses, given = [], [], []
        for k, kind in enumerate(types):
            argument = passed = Value(kind, f"%a{k}")
            given.append(f"{NUMBERS.get(kind, 'i64')} {argument.text}")
            if kind.endswith("[]"):
                place = entry.put(f"add i64 {argument.text}, {head}")
                passed = entry.load("int64", entry.put(f"inttoptr i64 {place} to {entry.llvm('int64*')}"))
                argument = Value(f"{kind[:-2].lstrip('u')}*", argument.text)
            if is_address(argument.type):
                address = inside.put(f"inttoptr i64 {argument.text} to {inside.llvm(argument.type)}")
                argument = Value(argument.type, address)
            arguments.append(argument)
            addresses.append(f"{NUMBERS.get(kind, 'i64')} {passed.text}")
        found = inside.call(function, arguments)
        inside.put_plain(f"ret i64 {(ZERO if found is NONE else inside.cast(found, 'int64')).text}")
        returned = entry.put(f"call i64 @by_address({', '.join(addresses)})")
        entry.put_plain(f"ret i64 {returned}")
        for name, written in (("by_address", inside), ("entry", entry)):
            first = f"define i64 @{name}({', '.join(given)}) nounwind noinline"
            self._texts.append(f"{first} {{\n{written.text()}\n}}")

    def text(self) -> str:
        return "\n".join(self._texts)

    def made(self, function: Any, types: tuple[Any, ...]) -> tuple[str, Any]:
        """The name of a function that is called with these types, and the type of what it returns."""
        if (function, types) not in self._made:
            translation = Translation(self, function)
            kind = translation.whole(types)
            name, llvm = f"@f{len(self._made)}.{function.__name__}", translation.llvm
            given = ", ".join(f"{llvm(t)} %a{k}" for k, t in enumerate(types) if t is not None)
            inlined = "alwaysinline" if translation.is_inlined else ""
            # No calls of C's functions, such as memset, which LLVM would make of loops.
            head = f'define internal {llvm(kind)} {name}({given}) nounwind {inlined} "no-builtins"'
            self._texts.append(f"{head} {{\n{translation.text()}\n}}")
            self._made[function, types] = name, kind
        return self._made[function, types]
