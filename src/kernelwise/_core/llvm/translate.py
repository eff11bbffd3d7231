"""Loops written in a small part of Python, in LLVM's language.

Numba translates nearly all of Python, and takes 5 ms a line. The loops here have numbers and addresses,
assignments, if, for over range, while, and calls of functions that are written in the same way; no objects.
A variable has the type of its first value. Integers have 64 bits and are not checked for overflow, nor for a
division by zero. An index is not checked: it is not negative, and nothing stops at the end of an array.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from kernelwise._core.llvm.values import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    ORDER,
    Instruction,
    Value,
    constant,
    is_address,
    is_integer,
    is_number,
)
from kernelwise._core.llvm.writer import Writer

NONE = Value(None, "")
ZERO, ONE, TRUE = constant(0), constant(1), constant(True)


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


class Translation(Writer):
    """The instructions of one function for given types."""

    def __init__(self, module: Module, function: Any) -> None:
        flags, is_inlined = getattr(function, "llvm_options", ("", False))
        super().__init__(flags, module.has_plain_pointers)
        self.module, self.function, self.is_inlined = module, function, bool(is_inlined)
        self._slots: dict[str, Value] = {}  # of each variable its type and address
        self._loops: list[tuple[str, str]] = []  # where "continue" and "break" lead
        self._returned: Any = None

    def whole(self, types: tuple[Any, ...]) -> Any:
        """Translate the function, and return the type of what it returns."""
        tree: Any = ast.parse(textwrap.dedent(inspect.getsource(self.function))).body[0]
        if len(tree.args.args) != len(types):
            raise Untranslatable(f"{self.function.__name__} does not take {len(types)} arguments.")
        for k, (parameter, kind) in enumerate(zip(tree.args.args, types, strict=True)):
            self._assign_name(parameter.arg, NONE if kind is None else Value(kind, f"%a{k}"))
        self._run(tree.body)
        if self._returned is not None and not _never_ends(tree.body):
            raise Untranslatable(f"{self.function.__name__} returns a value in some cases only.")
        self.put_plain("ret void" if self._returned is None else "unreachable")
        return self._returned

    def call(self, function: Any, arguments: Sequence[Value]) -> Value:
        """What a function gives that is written in Python, too."""
        name, kind = self.module.made(function, tuple(one.type for one in arguments))
        given = ", ".join(f"{self.llvm(t)} {text}" for t, text in arguments if t is not None)
        if kind is None:
            self.put_plain(f"call void {name}({given})")
            return NONE
        found = self.put(f"call {self.llvm(kind)} {name}({given})")
        if not isinstance(kind, tuple):
            return Value(kind, found)
        parts = range(len(kind))
        return Value(kind, tuple(self.put(f"extractvalue {self.llvm(kind)} {found}, {k}") for k in parts))

    # Statements

    def _run(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            try:
                self._do(node)
            except (TypeError, KeyError, AttributeError) as error:
                if isinstance(error, Untranslatable):
                    raise
                line = self.function.__code__.co_firstlineno + node.lineno - 1
                where = f"{self.function.__code__.co_filename}:{line}"
                raise Untranslatable(
                    f"{where}: {ast.unparse(node)[:80]!r} is not compiled: {error}"
                ) from error

    def _do(self, node: Any) -> None:
        match node:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target, value=ast.expr()):
                self._assign(target, self._value(node.value))
            case ast.AugAssign():
                self._update(node)
            case ast.If():
                self._if(node)
            case ast.For(
                iter=ast.Call(func=ast.Name("range"), args=bounds), target=ast.Name(name), orelse=[]
            ):
                self._for(name, [self._whole_number(bound) for bound in bounds], node)
            case ast.While(orelse=[]):
                self._while(node)
            case ast.Return():
                self._return(NONE if node.value is None else self._value(node.value))
            case ast.Break():
                self.leave(f"br label %{self._loops[-1][1]}")
            case ast.Continue():
                self.leave(f"br label %{self._loops[-1][0]}")
            case ast.Expr(value=ast.Constant(str())):
                pass  # a docstring
            case ast.Expr():
                self._value(node.value)
            case _:
                raise TypeError(f"statements such as {type(node).__name__} are unknown here")

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name("_"):
                pass  # nobody wants it
            case ast.Name(name):
                self._assign_name(name, value)
            case ast.Subscript(value=base, slice=index):
                address = self._value(base)
                place = self.element(address, self._value(index))
                self.store(self.cast(value, address.type[:-1]), place)
            case ast.Tuple(elts=targets):
                for one, kind, text in zip(targets, value.type, value.text, strict=True):
                    self._assign(one, Value(kind, text))
            case _:
                raise TypeError(f"nothing is assigned to {type(target).__name__} here")

    def _assign_name(self, name: str, value: Value) -> None:
        if name not in self._slots:
            address = "" if value is NONE else self.new_variable(value.type)
            self._slots[name] = Value(value.type, address)
        kind, address = self._slots[name]
        if value.type != kind:
            if not (
                is_number(kind) and is_number(value.type) and ORDER.index(value.type) < ORDER.index(kind)
            ):
                raise TypeError(f"{name} is of type {kind}, and no longer {value.type}")
            value = self.cast(value, kind)
        if value is not NONE:
            self.store(value, address)

    def _update(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            old, value = self._value(node.target), self._value(node.value)
            self._assign_name(node.target.id, self.operate(node.op, old, value))
            return
        assert isinstance(node.target, ast.Subscript)
        address = self._value(node.target.value)
        kind, place = address.type[:-1], self.element(address, self._value(node.target.slice))
        value = self.operate(node.op, self.load(kind, place), self._value(node.value))
        self.store(self.cast(value, kind), place)

    def _if(self, node: ast.If) -> None:
        known = self._known(node.test)
        if known is not None:
            self._run(node.body if known else node.orelse)
            return
        then, otherwise, end = self.new_labels(3)
        self.branch(self._truth(node.test), then, otherwise)
        for label, body in ((then, node.body), (otherwise, node.orelse)):
            self.begin(label)
            self._run(body)
            self.go(end)
        self.begin(end)

    def _for(self, name: str, bounds: list[Value], node: ast.For) -> None:
        start, stop = (ZERO, bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else ONE
        if not is_integer(step) or int(step.text) == 0:
            raise TypeError("the step of range must be a constant")  # its sign says where to stop
        counter = self.new_variable("int64")
        self.store(start, counter)
        head, body, after, end = self.new_labels(4)
        self.go(head)
        self.begin(head)
        count = self.load("int64", counter)
        operator = ast.Lt() if int(step.text) > 0 else ast.Gt()
        self.branch(self.compare(operator, count, stop), body, end)
        self.begin(body)
        self._assign_name(name, count)
        self._loop(node.body, after, end)
        self.begin(after)
        count = self.load("int64", counter)
        self.store(Value("int64", self.put(f"add nsw i64 {count.text}, {step.text}")), counter)
        self.go(head)
        self.begin(end)

    def _while(self, node: ast.While) -> None:
        head, body, end = self.new_labels(3)
        self.go(head)
        self.begin(head)
        self.branch(self._truth(node.test), body, end)
        self.begin(body)
        self._loop(node.body, head, end)
        self.begin(end)

    def _loop(self, body: Sequence[ast.stmt], after: str, end: str) -> None:
        self._loops.append((after, end))
        self._run(body)
        self._loops.pop()
        self.go(after)

    def _return(self, value: Value) -> None:
        if self._returned not in (None, value.type):
            raise TypeError(f"{self._returned} was returned before")
        self._returned, llvm = value.type, self.llvm(value.type)
        text = value.text
        if isinstance(value.type, tuple):
            text = "undef"
            for k, (kind, part) in enumerate(zip(value.type, value.text, strict=True)):
                text = self.put(f"insertvalue {llvm} {text}, {self.llvm(kind)} {part}, {k}")
        self.leave(f"ret {llvm} {text}")

    # Expressions

    def _value(self, node: Any) -> Value:
        match node:
            case ast.Constant(None):
                return NONE
            case ast.Constant(number):
                return constant(number)
            case ast.Name(name) if name in self._slots:
                kind, address = self._slots[name]
                return NONE if kind is None else self.load(kind, address)
            case ast.Name() | ast.Attribute():
                return constant(self._object(node))
            case ast.Tuple(elts=parts):
                values = [self._value(part) for part in parts]
                return Value(tuple(one.type for one in values), tuple(one.text for one in values))
            case ast.Subscript(value=base, slice=index):
                address = self._value(base)
                return self.load(address.type[:-1], self.element(address, self._value(index)))
            case ast.BinOp():
                return self.operate(node.op, self._value(node.left), self._value(node.right))
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp():
                return self._logic(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call(keywords=[]):
                return self._called(node)
        raise TypeError(f"expressions such as {type(node).__name__} are unknown here")

    def _whole_number(self, node: ast.expr) -> Value:
        value = self._value(node)
        if value.type not in INTEGERS:
            raise TypeError(f"an integer is needed, not {value.type}")
        return self.cast(value, "int64")

    def _truth(self, node: ast.expr) -> Value:
        return self.cast(self._value(node), "bool")

    def _known(self, node: ast.expr) -> bool | None:
        """Whether something is None, which its type tells; None if that is not the question."""
        match node:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]):
                return (self._value(left).type is None) == isinstance(node.ops[0], ast.Is)
        return None

    def _object(self, node: ast.Name | ast.Attribute) -> Any:
        """What a name outside of the function stands for."""
        if isinstance(node, ast.Attribute):
            assert isinstance(node.value, ast.Name)
            return getattr(self._object(node.value), node.attr)
        code = self.function.__code__
        if node.id in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            raise TypeError(f"{node.id} has no value before this line, or is of another function")
        scope = self.function.__globals__
        return scope[node.id] if node.id in scope else getattr(builtins, node.id)

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value("bool", self.put(f"xor i1 {self._truth(node.operand).text}, true"))
        value = self._value(node.operand)
        if isinstance(node.op, ast.UAdd):
            raise TypeError("a sign + does nothing")
        if isinstance(node.op, ast.Invert):
            return self.operate(ast.BitXor(), value, constant(-1))
        if value.type in FLOATS:
            return Value(value.type, self.put(f"fneg {self.flags} {self.llvm(value.type)} {value.text}"))
        if is_integer(value):  # so that steps of range are constants
            return constant(-int(value.text))
        return self.operate(ast.Sub(), ZERO, value)

    def _comparison(self, node: ast.Compare) -> Value:
        left, *others = (partial(self._value, one) for one in (node.left, *node.comparators))
        last = [left()]

        def one(operator: ast.cmpop, other: Callable[[], Value]) -> Value:
            last.append(other())
            return self.compare(operator, *last[-2:])

        return self._in_turn(True, [partial(one, *both) for both in zip(node.ops, others, strict=True)])

    def _logic(self, node: ast.BoolOp) -> Value:
        return self._in_turn(isinstance(node.op, ast.And), [partial(self._value, one) for one in node.values])

    def _in_turn(self, is_and: bool, parts: Sequence[Callable[[], Value]]) -> Value:
        """Whether all of the parts are true, or any; what follows is looked at only where it matters."""
        if len(parts) == 1:
            return parts[0]()
        [end] = self.new_labels(1)
        found = self.new_variable("bool")
        for part in parts:
            value = part()
            if value.type != "bool":  # Python's result would be the part itself
                raise TypeError(f"and, or: a comparison is needed, not {value.type}")
            self.store(value, found)
            [then] = self.new_labels(1)
            self.branch(value, *((then, end) if is_and else (end, then)))
            self.begin(then)
        self.go(end)
        self.begin(end)
        return self.load("bool", found)

    def _choice(self, node: ast.IfExp) -> Value:
        then, otherwise, end = self.new_labels(3)
        self.branch(self._truth(node.test), then, otherwise)
        found = []
        for label, one in ((then, node.body), (otherwise, node.orelse)):
            self.begin(label)
            found.append((self._value(one), self.label))
            self.go(end)
        (first, from_first), (second, from_second) = found
        if first.type != second.type:
            raise TypeError(f"either {first.type} or {second.type}")
        self.begin(end)
        ways = f"[{first.text}, %{from_first}], [{second.text}, %{from_second}]"
        return Value(first.type, self.put(f"phi {self.llvm(first.type)} {ways}"))

    def _called(self, node: ast.Call) -> Value:
        assert isinstance(node.func, ast.Name | ast.Attribute)
        function = self._object(node.func)
        arguments = [self._value(one) for one in node.args]
        if isinstance(function, Instruction):
            return function.emit(self, *arguments)
        if function is abs:
            [(kind, text)] = arguments
            name = {"float32": "float @llvm.fabs.f32(float", "float64": "double @llvm.fabs.f64(double"}[kind]
            return Value(kind, self.put(f"call {name} {text})"))
        if function in (np.float64, np.float32, np.int64):
            return self.cast(arguments[0], function.__name__)
        return self.call(function, arguments)


def _never_ends(body: Sequence[ast.stmt]) -> bool:
    """Whether these statements return in any case, or go on for ever."""
    match body[-1]:
        case ast.Return():
            return True
        case ast.If(body=then, orelse=[_, *_] as otherwise):
            return _never_ends(then) and _never_ends(otherwise)
        case ast.While(test=ast.Constant(True)) as loop:
            return not any(isinstance(node, ast.Break) for node in ast.walk(loop))
    return False


class Untranslatable(TypeError):
    """A line of a compiled function that this translation does not know, and why."""
