"""The routine language: a small part of Python in which what iterates is written once, for all languages.

A file of ``runtime`` holds, in this order, sizes (``LOAD = ANGLES + POINT``), scratch memory (``w: array[BODIES,
LOAD]``) and functions. A function takes ``int``, ``bool`` and ``real`` scalars, vectors that it reads (``vector[n]``)
and arrays that it fills (``array[n]``), and returns nothing, a scalar or a ``vector[n]``. Its body consists of

    x = 0.0                 scalars; a name keeps its type
    b = w[i]                a row or slice of an array, by another name, to read
    a = C * b + d[i][2:]    a vector of its own, of sums, multiples, ``zeros(n)`` and ``copy(b)``
    w[i] = a                entries, rows and slices of arrays, with =, += and so on, entry by entry
    S[i], e = kernel(W[i])  results of derived functions, and of functions that return a vector
    if, while, for i in range(...), return, break, continue

with comparisons, and, or, not, ``a if c else b``, int(x), and the functions of ``FUNCTIONS``. Functions that the
description of a module names are public and take their arguments from there; the last one, ``work``, is the scratch
memory and goes without saying. Sizes are numbers by the time the text is printed: what a condition on sizes alone
excludes is left out, and so are functions that nothing calls. ``@otherwise(X)`` says what a function returns where an
operation has no value and the language raises an error for that, where C goes on with infinities.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import prod
from typing import Final, Literal, NoReturn, TypeAlias

from mbsym.errors import CodegenError

Kind: TypeAlias = Literal["int", "bool", "real"]

FUNCTIONS: Final[Mapping[str, Kind]] = {
    "int": "int", "abs": "real", "sqrt": "real", "sin": "real", "cos": "real", "isfinite": "bool", "dot": "real",
}  # fmt: skip
"""Functions of the language with what they return; ``dot`` takes two vectors, the others a scalar."""

_VECTORS: Final = ("zeros", "copy")
_ARITHMETIC: Final[Mapping[type[ast.operator], str]] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_ALLOWED: Final = (
    ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.While, ast.For, ast.Return, ast.Break, ast.Continue,
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Subscript,
    ast.Slice, ast.Tuple, ast.expr_context, ast.operator, ast.unaryop, ast.boolop,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Array:
    """A name for numbers in memory: its extents, and whether they may be changed."""

    name: str
    extents: tuple[int, ...]
    writable: bool
    scratch: bool = False

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.extents)


@dataclass(frozen=True, slots=True)
class Signature:
    """A function whose results are vectors: extents of inputs (() for scalars) and of results."""

    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Formal:
    """An argument: a scalar of a kind, or an array."""

    name: str
    kind: Kind | None
    array: Array | None = None


@dataclass(frozen=True, slots=True)
class RoutineFunction:
    """A function of a routine.

    Attributes:
        returns: a kind, the size of a vector, or None.
        otherwise: what it returns where an operation has no value, or None.
        calls: functions of the routine and derived ones that the body calls.
    """

    name: str
    documentation: str
    formals: tuple[Formal, ...]
    returns: Kind | int | None
    otherwise: ast.expr | None
    body: tuple[ast.stmt, ...]
    is_public: bool
    calls: frozenset[str]


@dataclass(frozen=True, slots=True)
class Routine:
    """A routine with its sizes decided.

    Attributes:
        name: of its file.
        sizes: numbers that the text is specialised to.
        numbers: constants that keep their names, those that are used.
        memory: scratch arrays in order.
        functions: those that public functions need, in order.
        kernels: derived functions by name.
        comments: by line.
    """

    name: str
    sizes: Mapping[str, int]
    numbers: Mapping[str, int | float]
    memory: tuple[Array, ...]
    functions: tuple[RoutineFunction, ...]
    kernels: Mapping[str, Signature]
    comments: Mapping[int, str] = field(default_factory=dict)

    def function(self, name: str) -> RoutineFunction | None:
        """The function of that name."""
        return next((function for function in self.functions if function.name == name), None)

    def reaching(self, direct: Sequence[str]) -> frozenset[str]:
        """Names of the functions that are in ``direct`` or call such a function, at however many removes."""
        found = set(direct)
        while True:
            more = {function.name for function in self.functions if function.calls & found} - found
            if not more:
                return frozenset(found)
            found |= more

    def refuse(self, node: ast.AST, what: str, remedy: str = "see the routine language") -> NoReturn:
        """Raises the error of a place in the text."""
        raise CodegenError(what, where=f"runtime/{self.name}.py:{getattr(node, 'lineno', 0)}", remedy=remedy)


def read_routine(
    text: str,
    name: str,
    sizes: Mapping[str, int],
    numbers: Mapping[str, int | float],
    kernels: Mapping[str, Signature],
    public: Mapping[str, Sequence[Formal]],
) -> Routine:
    """A routine from its text.

    Args:
        text: of the file.
        name: of the file, without its extension.
        sizes: integers known from outside.
        numbers: constants that keep their names.
        kernels: derived functions that can be called.
        public: arguments of the public functions by name.

    Raises:
        CodegenError: the text is outside the language.
    """
    return _Reader(name, text, dict(sizes), numbers, kernels, public).routine()


def read_memory(text: str, name: str, sizes: Mapping[str, int]) -> tuple[Array, ...]:
    """The scratch memory of a routine alone.

    Raises:
        CodegenError: a size is missing.
    """
    return _Reader(name, text, dict(sizes), {}, {}, {}).memory()


class _Reader:
    """One text on its way to a routine."""

    def __init__(
        self,
        name: str,
        text: str,
        sizes: dict[str, int],
        numbers: Mapping[str, int | float],
        kernels: Mapping[str, Signature],
        public: Mapping[str, Sequence[Formal]],
    ) -> None:
        self.name, self.text = name, text
        self.sizes, self.numbers, self.kernels, self.public = sizes, numbers, kernels, public
        self.memory_names: list[str] = []
        # Functions that change nothing.
        self.pure = {*FUNCTIONS, *_VECTORS, "range"}
        self.where = Routine(name, sizes, numbers, (), (), kernels)
        try:
            self.statements = ast.parse(text).body
        except SyntaxError as error:
            raise CodegenError(
                f"no Python: {error.msg}", where=f"runtime/{name}.py:{error.lineno}", remedy="correct it"
            ) from None

    def memory(self) -> tuple[Array, ...]:
        """Reads sizes and scratch memory; what is left are functions."""
        arrays = []
        for node in self.statements:
            if isinstance(node, ast.Assign):
                self._sizes(node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                arrays.append(self._array(node.target.id, node.annotation, node, scratch=True))
            elif not (isinstance(node, (ast.ImportFrom, ast.FunctionDef)) or _is_text(node)):
                self.where.refuse(node, "neither a size, nor scratch memory, nor a function")
        self.memory_names = [array.name for array in arrays]
        return tuple(arrays)

    def routine(self) -> Routine:
        memory = self.memory()
        functions = {node.name: self._function(node) for node in self.statements if isinstance(node, ast.FunctionDef)}
        for name in self.public:
            if name not in functions:
                self.where.refuse(self.statements[-1], f"the function {name} is missing")
        needed = list(self.public)
        for name in needed:
            needed += [
                called for called in sorted(functions[name].calls) if called in functions and called not in needed
            ]
        kept = tuple(function for function in functions.values() if function.name in needed)
        used = {node.id for function in kept for node in _walk(function) if isinstance(node, ast.Name)}
        numbers = {name: value for name, value in self.numbers.items() if name in used}
        return Routine(self.name, self.sizes, numbers, memory, kept, self.kernels, _comments(self.text))

    def _sizes(self, node: ast.Assign) -> None:
        targets, values = node.targets[0], node.value
        names = targets.elts if isinstance(targets, ast.Tuple) else [targets]
        parts = values.elts if isinstance(values, ast.Tuple) else [values]
        for target, value in zip(names, parts, strict=True):
            number = constant_of(value, self.sizes)
            if number is None or not isinstance(target, ast.Name):
                self.where.refuse(node, "a size is a name for an integer known beforehand")
            self.sizes[target.id] = number

    def _array(self, name: str, annotation: ast.expr, node: ast.AST, scratch: bool = False) -> Array:
        if isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
            place = annotation.slice
            extents = [constant_of(x, self.sizes) for x in (place.elts if isinstance(place, ast.Tuple) else [place])]
            if annotation.value.id in ("array", "vector") and None not in extents:
                known = tuple(x for x in extents if x is not None)
                return Array(name, known, annotation.value.id == "array", scratch)
        self.where.refuse(node, f"{name} has no type", "use int, bool, real, vector[size] or array[size]")

    def _formal(self, argument: ast.arg) -> Formal:
        kind = _kind_of(argument.annotation)
        if kind is not None:
            return Formal(argument.arg, kind)
        return Formal(
            argument.arg, None, self._array(argument.arg, argument.annotation or ast.Constant(None), argument)
        )

    def _function(self, node: ast.FunctionDef) -> RoutineFunction:
        if node.args.defaults or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
            self.where.refuse(node, "arguments are positional and have no defaults")
        given = self.public.get(node.name)
        formals = tuple(given) if given is not None else tuple(self._formal(item) for item in node.args.args)
        if [item.arg for item in node.args.args] != [item.name for item in formals]:
            self.where.refuse(node, f"{node.name} takes {', '.join(item.name for item in formals)}")
        returns: Kind | int | None = _kind_of(node.returns)
        if node.returns is not None and returns is None:
            returns = self._array("the result", node.returns, node).size
        body = node.body[1:] if _is_text(node.body[0]) else node.body
        for statement in body:
            for part in ast.walk(statement):
                if not isinstance(part, _ALLOWED):
                    self.where.refuse(
                        part if hasattr(part, "lineno") else statement,
                        f"{type(part).__name__} is not in the routine language",
                    )
        foreign = {*self.memory_names, *(item.name for item in formals)}
        kept = _without_unread(tuple(_decided(body, self.sizes)), self.pure, foreign)
        calls = {
            part.func.id for part in _parts(kept) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
        }
        stores = any(isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store) for part in _parts(kept))
        if not stores and calls <= self.pure:
            self.pure.add(node.name)
        documentation = " ".join((ast.get_docstring(node) or "").split())
        return RoutineFunction(
            node.name, documentation, formals, returns, self._otherwise(node), kept, given is not None, frozenset(calls)
        )

    def _otherwise(self, node: ast.FunctionDef) -> ast.expr | None:
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "otherwise":
                return mark.args[0]
            self.where.refuse(mark, "the only decorator is otherwise(value)")
        return None


def constant_of(node: ast.expr, sizes: Mapping[str, int]) -> int | None:
    """The value of an expression of sizes and integers, None for any other."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return sizes.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant_of(node.operand, sizes)
        return None if value is None else -value
    if isinstance(node, ast.BinOp):
        left, right = constant_of(node.left, sizes), constant_of(node.right, sizes)
        if left is not None and right is not None:
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
    return None


def decided(node: ast.expr, sizes: Mapping[str, int]) -> bool | None:
    """The truth of a condition on sizes alone, None for any other."""
    value = constant_of(node, sizes)
    if value is not None:
        return bool(value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = decided(node.operand, sizes)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        known = [decided(part, sizes) for part in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in known:
            return decisive
        return None if None in known else not decisive
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = constant_of(node.left, sizes), constant_of(node.comparators[0], sizes)
        if left is not None and right is not None:
            kind = type(node.ops[0])
            if kind in (ast.Eq, ast.NotEq):
                return (left == right) is (kind is ast.Eq)
            if kind in (ast.Lt, ast.GtE):
                return (left < right) is (kind is ast.Lt)
            return (left > right) is (kind is ast.Gt)
    return None


def _decided(body: Sequence[ast.stmt], sizes: Mapping[str, int]) -> Iterator[ast.stmt]:
    """Statements without what conditions on sizes, and loops that are never run, exclude."""
    for node in body:
        if isinstance(node, ast.If):
            truth = decided(node.test, sizes)
            if truth is not None:
                yield from _decided(node.body if truth else node.orelse, sizes)
                continue
            test = _Choices(sizes).visit(node.test)
            inside, other = list(_decided(node.body, sizes)), list(_decided(node.orelse, sizes))
            if inside or other:
                yield ast.copy_location(ast.If(test, inside, other), node)
        elif isinstance(node, ast.While):
            inside = list(_decided(node.body, sizes))
            yield ast.copy_location(ast.While(_Choices(sizes).visit(node.test), inside, []), node)
        elif isinstance(node, ast.For):
            inside = list(_decided(node.body, sizes))
            count = node.iter.args[0] if isinstance(node.iter, ast.Call) and len(node.iter.args) == 1 else None
            if inside and not (count is not None and constant_of(count, sizes) == 0):
                steps = _Choices(sizes).visit(node.iter)
                yield ast.copy_location(ast.For(node.target, steps, inside, []), node)
        else:
            yield _Choices(sizes).visit(node)


class _Choices(ast.NodeTransformer):
    """Takes the decided parts out of ``a if c else b`` and of and, or."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        truth = decided(node.test, self.sizes)
        if truth is None:
            self.generic_visit(node)
            return node
        chosen: ast.expr = self.visit(node.body if truth else node.orelse)
        return chosen

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        left = [self.visit(part) for part in node.values if decided(part, self.sizes) is None]
        if len(left) == 1:
            only: ast.expr = left[0]
            return only
        return ast.copy_location(ast.BoolOp(node.op, left), node)


def _without_unread(body: tuple[ast.stmt, ...], pure: Set[str], foreign: Set[str]) -> tuple[ast.stmt, ...]:
    """Statements without definitions of the function's own names that nothing reads, by what changes nothing else."""
    while True:
        read = {part.id for part in _parts(body) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
        idle = {
            id(node)
            for node in _parts(body)
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id not in read | foreign
            and all(
                isinstance(part.func, ast.Name) and part.func.id in pure
                for part in ast.walk(node.value)
                if isinstance(part, ast.Call)
            )
        }
        if not idle:
            return body
        body = tuple(_kept(body, idle))


def _kept(body: Sequence[ast.stmt], idle: Set[int]) -> Iterator[ast.stmt]:
    for node in body:
        if id(node) in idle:
            continue
        if isinstance(node, (ast.If, ast.While, ast.For)):
            node.body = list(_kept(node.body, idle))
            node.orelse = list(_kept(node.orelse, idle))
            if not node.body and not node.orelse:
                continue
        yield node


def _parts(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _walk(function: RoutineFunction) -> Iterator[ast.AST]:
    yield from _parts(function.body)
    if function.otherwise is not None:
        yield from ast.walk(function.otherwise)


def _kind_of(annotation: ast.expr | None) -> Kind | None:
    if isinstance(annotation, ast.Name):
        if annotation.id == "int":
            return "int"
        if annotation.id == "bool":
            return "bool"
        if annotation.id == "real":
            return "real"
    return None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _comments(text: str) -> Mapping[int, str]:
    """Comments that have a line to themselves, by line."""
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.strip() == token.string:
            found[token.start[0]] = token.string.lstrip("# ")
    return found
