"""Values in LLVM's language: their types, constants, and the functions that stand for single instructions.

Types have NumPy's names: "bool", "int32", "int64", "float32" and "float64". A name with "*" behind it is the
type of an address, and a tuple of types that of several values. None is a type as well, and has no value.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

#: LLVM's names of the types of numbers, the narrowest first: of two the later one has room for both.
NUMBERS = {"bool": "i1", "int32": "i32", "int64": "i64", "float32": "float", "float64": "double"}
ORDER = list(NUMBERS)
INTEGERS, FLOATS = ORDER[:3], ORDER[3:]


class Value(NamedTuple):
    """What an expression gives: a type, and the constant or register that has the value, as text."""

    type: Any
    text: Any


class Instruction:
    """A function that compiled code calls, and whose instructions ``emit`` writes in its place.

    ``emit`` takes a `Translation` and the values of the arguments, and returns a value.
    """

    def __init__(self, emit: Callable[..., Value]) -> None:
        self.emit, self.__doc__ = emit, emit.__doc__

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError("This function exists in compiled code only.")


def inner(*, fastmath: Sequence[str] = (), is_inlined: bool = False) -> Callable[[Any], Any]:
    """Return a decorator for functions that are compiled: what LLVM may do with their floats and with them.

    ``fastmath`` are LLVM's "fast-math flags"; with ``is_inlined`` a copy is made where one is called, always.
    """

    def noted(function: Any) -> Any:
        function.llvm_options = " ".join(sorted(fastmath)), is_inlined
        return function

    return noted


def constant(number: Any) -> Value:
    """A Python or NumPy number as a value; integers count as signed, as everywhere here."""
    if isinstance(number, bool | np.bool_):
        return Value("bool", "true" if number else "false")
    if isinstance(number, int | np.integer):
        if not -(2**63) <= number < 2**64:
            raise TypeError(f"{number} does not fit into 64 bits")
        return Value("int64", str(int(number)))
    if not isinstance(number, float | np.floating):
        raise TypeError(f"a number is needed, not {number!r}")
    # The bits of a double, for single precision, too.
    bits = struct.unpack("<Q", struct.pack("<d", float(number)))[0]
    return Value("float32" if isinstance(number, np.float32) else "float64", f"0x{bits:016X}")


def is_number(kind: Any) -> bool:
    return isinstance(kind, str) and kind in NUMBERS


def is_integer(value: Value) -> bool:
    """Whether a value is a constant integer."""
    return value.type in INTEGERS and value.text.lstrip("-").isdigit()


def is_address(kind: Any) -> bool:
    return isinstance(kind, str) and kind.endswith("*")


def common(first: Any, second: Any) -> str:
    """The type in which two numbers are added: float64 for a float and an integer, as in NumPy."""
    if not (is_number(first) and is_number(second)):
        raise TypeError(f"numbers are needed, not {first} and {second}")
    wider = max(first, second, key=ORDER.index)
    if wider in FLOATS and (first in INTEGERS or second in INTEGERS):
        return "float64"
    return "int64" if wider == "bool" else wider


@Instruction
def at(to: Any, address: Value, index: Value) -> Value:
    """The address of the element ``index`` behind an address: a row of a matrix."""
    return Value(address.type, to.element(address, index))


@Instruction
def like(to: Any, number: Value, address: Value) -> Value:
    """A number in the precision of what is at an address."""
    return to.cast(number, address.type[:-1])


@Instruction
def call(to: Any, function: Value, arguments: Value) -> Value:
    """Call the compiled function at an address, which is an integer, with a tuple of arguments."""
    given = []
    for kind, text in zip(arguments.type, arguments.text, strict=True):
        if is_address(kind):
            text = to.put(f"ptrtoint {to.llvm(kind)} {text} to i64")
        given.append(f"{'i64' if is_address(kind) else to.llvm(kind)} {text}")
    types = ", ".join(one.split()[0] for one in given)
    pointer = "ptr" if to.has_plain_pointers else f"i64 ({types})*"
    where = to.put(f"inttoptr i64 {function.text} to {pointer}")
    return Value("int64", to.put(f"call i64 {where}({', '.join(given)})"))
