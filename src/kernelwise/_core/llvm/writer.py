"""Write single instructions of LLVM's language."""

from __future__ import annotations

import ast
from typing import Any

from kernelwise._core.llvm.values import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    ORDER,
    Value,
    common,
    constant,
    is_address,
    is_integer,
)

#: Instructions for integers and for floats.
OPERATORS: dict[type, tuple[str, str]] = {
    ast.Add: ("add", "fadd"),
    ast.Sub: ("sub", "fsub"),
    ast.Mult: ("mul", "fmul"),
    ast.Div: ("", "fdiv"),
    ast.FloorDiv: ("sdiv", ""),
    ast.Mod: ("srem", ""),
    ast.BitAnd: ("and", ""),
    ast.BitOr: ("or", ""),
    ast.BitXor: ("xor", ""),
    ast.LShift: ("shl", ""),
    ast.RShift: ("ashr", ""),
}
BITWISE = ast.BitAnd, ast.BitOr, ast.BitXor
COMPARISONS: dict[type, tuple[str, str]] = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


class Writer:
    """The lines of one function; ``flags`` are LLVM's fast-math flags of all its instructions."""

    def __init__(self, flags: str, has_plain_pointers: bool) -> None:
        self.flags, self.has_plain_pointers = flags, has_plain_pointers
        self.label = "start"  # of the block that is being written
        self._variables: list[str] = []
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        return "\n".join(["first:", *self._variables, "br label %start", "start:", *self._lines])

    def llvm(self, kind: Any) -> str:
        """LLVM's name of a type."""
        if kind is None:
            return "void"
        if isinstance(kind, tuple):
            return "{" + ", ".join(map(self.llvm, kind)) + "}"
        if kind.startswith("<"):  # a vector, such as "<8 x float>"
            return str(kind)
        if is_address(kind):
            return "ptr" if self.has_plain_pointers else f"{NUMBERS[kind[:-1]]}*"
        return NUMBERS[kind]

    def put(self, instruction: str) -> str:
        """Write an instruction that gives a value, and return its register."""
        register = self._next("%r")
        self._lines.append(f"{register} = {instruction}")
        return register

    def put_plain(self, instruction: str) -> None:
        """Write an instruction that gives none."""
        self._lines.append(instruction)

    def new_labels(self, number: int) -> list[str]:
        return [self._next("L") for _ in range(number)]

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.label = label
        self._lines.append(f"{label}:")

    def leave(self, instruction: str) -> None:
        """Write an instruction that leads elsewhere; what comes next in the source is never reached."""
        self._lines.append(instruction)
        self.begin(self._next("L"))

    def go(self, label: str) -> None:
        self._lines.append(f"br label %{label}")

    def branch(self, condition: Value, if_true: str, if_false: str) -> None:
        self._lines.append(f"br i1 {condition.text}, label %{if_true}, label %{if_false}")

    def new_variable(self, kind: Any) -> str:
        """The register with the address of a new variable in memory; LLVM turns variables into registers."""
        register = self._next("%v")
        self._variables.append(f"{register} = alloca {self.llvm(kind)}")
        return register

    def store(self, value: Value, address: str) -> None:
        kind = self.llvm(value.type)
        pointer = "ptr" if self.has_plain_pointers else f"{kind}*"
        self._lines.append(f"store {kind} {value.text}, {pointer} {address}")

    def load(self, kind: Any, address: str) -> Value:
        name = self.llvm(kind)
        pointer = "ptr" if self.has_plain_pointers else f"{name}*"
        return Value(kind, self.put(f"load {name}, {pointer} {address}"))

    def element(self, address: Value, index: Value) -> str:
        """The register with the address of an element."""
        if not is_address(address.type) or index.type not in INTEGERS:
            raise TypeError(f"an address and an integer are needed, not {address.type} and {index.type}")
        index, kind = self.cast(index, "int64"), NUMBERS[address.type[:-1]]
        where = f"{self.llvm(address.type)} {address.text}, i64 {index.text}"
        return self.put(f"getelementptr inbounds {kind}, {where}")

    def cast(self, value: Value, kind: str) -> Value:
        """A number in another type."""
        if value.type == kind:
            return value
        old, new = NUMBERS[value.type], NUMBERS[kind]
        widens = ORDER.index(value.type) < ORDER.index(kind)
        if kind == "bool":
            return self.compare(ast.NotEq(), value, constant(0))
        if value.type in INTEGERS and kind in INTEGERS:
            how = ("zext" if value.type == "bool" else "sext") if widens else "trunc"
        elif value.type in INTEGERS:
            how = "uitofp" if value.type == "bool" else "sitofp"
        elif kind in INTEGERS:
            how = "fptosi"
        else:
            how = "fpext" if widens else "fptrunc"
        return Value(kind, self.put(f"{how} {old} {value.text} to {new}"))

    def operate(self, operator: ast.AST, left: Value, right: Value) -> Value:
        """The result of an operator of Python's, such as +."""
        kind = common(left.type, right.type)
        if isinstance(operator, ast.Div) and kind in INTEGERS:
            kind = "float64"
        if isinstance(operator, BITWISE) and left.type == right.type == "bool":
            kind = "bool"
        name = OPERATORS[type(operator)][kind in FLOATS]
        if not name:
            raise TypeError(f"no operator {type(operator).__name__} for {kind}")
        left, right = self.cast(left, kind), self.cast(right, kind)
        if isinstance(operator, ast.Mult) and is_integer(left) and is_integer(right):  # for steps of range
            return constant(int(left.text) * int(right.text))
        flags, both = self.flags if kind in FLOATS else "", f"{NUMBERS[kind]} {left.text}, {right.text}"
        found = self.put(f"{name} {flags} {both}")
        return Value(kind, self._rounded_down(name, kind, both, found) if name in ("sdiv", "srem") else found)

    def _rounded_down(self, name: str, kind: str, both: str, found: str) -> str:
        """The quotient or remainder of integers: LLVM rounds quotients towards zero, Python down."""
        llvm, right = NUMBERS[kind], both.split()[-1]
        rest = self.put(f"srem {both}") if name == "sdiv" else found
        # The remainder must have the sign of the divisor, or be zero.
        is_other = self.put(f"icmp slt {llvm} {self.put(f'xor {llvm} {rest}, {right}')}, 0")
        is_off = self.put(f"and i1 {is_other}, {self.put(f'icmp ne {llvm} {rest}, 0')}")
        other = self.put(f"sub {llvm} {found}, 1" if name == "sdiv" else f"add {llvm} {found}, {right}")
        return self.put(f"select i1 {is_off}, {llvm} {other}, {llvm} {found}")

    def compare(self, operator: ast.AST, left: Value, right: Value) -> Value:
        """The truth of a comparison, such as <."""
        kind = common(left.type, right.type)
        left, right = self.cast(left, kind), self.cast(right, kind)
        how = COMPARISONS[type(operator)][kind in FLOATS]
        name = f"fcmp {self.flags}" if kind in FLOATS else "icmp"
        return Value("bool", self.put(f"{name} {how} {NUMBERS[kind]} {left.text}, {right.text}"))

    def _next(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"
