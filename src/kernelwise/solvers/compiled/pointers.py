"""What compiled code does with addresses: arrays without shapes, and functions that are compiled apart.

Numba takes a third longer for code on arrays than for the same code on pointers. A function that is called by
its address is compiled by itself, once for its own types, and not again with every function that calls it:
the path need not know in which precision the Gram matrix is.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _at(typing: Any, pointer: Any, index: Any) -> Any:
    """The pointer to the element ``index`` behind a pointer: a row of a matrix."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.intp), generate


def _data(typing: Any, array: Any) -> Any:
    """The pointer to the first element of an array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), generate


def _pointer(typing: Any, address: Any) -> Any:
    """An address, which Python has as a number, as a pointer to anything."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.uintp), generate


def _like(typing: Any, value: Any, pointer: Any) -> Any:
    """A number in the precision of what a pointer points to."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.cast(builder, args[0], signature.args[0], signature.return_type)

    return pointer.dtype(value, pointer), generate


def _call(typing: Any, address: Any, arguments: Any) -> Any:
    """Call the compiled function at an address, which returns an int64, with a tuple of arguments."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = cgutils.unpack_tuple(builder, args[1], len(signature.args[1]))
        function = ir.FunctionType(ir.IntType(64), [value.type for value in values])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), values)

    return types.int64(types.uintp, arguments), generate


def _call_path(typing: Any, address: Any, arguments: Any) -> Any:
    """Call `smo_path`, arrays included, at the address of its machine code for C."""
    result = types.Tuple((types.int64, types.boolean, types.int64))

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = cgutils.unpack_tuple(builder, args[1], len(signature.args[1]))
        function = ir.FunctionType(context.get_value_type(result), [value.type for value in values])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), values)

    return result(types.uintp, arguments), generate


def _part_of(typing: Any, array: Any, begin: Any, n: Any) -> Any:
    """The n numbers behind the first ``begin`` ones of an array of one axis, as an array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = context.make_array(signature.return_type)(context, builder, args[0])
        made.data = builder.gep(made.data, [args[1]])
        made.shape = cgutils.pack_array(builder, [args[2]])
        made.nitems = args[2]
        return made._getvalue()

    return array(array, types.intp, types.intp), generate


at: Any = intrinsic(_at)
data: Any = intrinsic(_data)
pointer: Any = intrinsic(_pointer)
like: Any = intrinsic(_like)
call: Any = intrinsic(_call)
call_path: Any = intrinsic(_call_path)
part_of: Any = intrinsic(_part_of)
