"""Routines from their texts."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from mbsym.codegen.expressions import Array, Expression, Kind, NamedConstant
from mbsym.codegen.routines.bodies import BodyReader
from mbsym.codegen.routines.deciding import comments_of, decided_body, syntax_parts, without_unread
from mbsym.codegen.routines.language import FUNCTIONS, VECTORS, Routine, Signature, constant_of
from mbsym.codegen.statements import Formal, Function, Record, every
from mbsym.errors import CodegenError

_ALLOWED = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.If, ast.While, ast.For, ast.Return, ast.Break, ast.Continue,
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Subscript,
    ast.Attribute, ast.Starred, ast.Slice, ast.Tuple, ast.expr_context, ast.operator, ast.unaryop, ast.boolop,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
)  # fmt: skip
_KINDS: Mapping[str, Kind] = {"int": "int", "bool": "bool", "real": "real"}


def read_routine(
    text: str,
    name: str,
    sizes: Mapping[str, int],
    numbers: Mapping[str, int | float],
    kernels: Mapping[str, Signature],
    public: Mapping[str, Sequence[Formal] | None],
    extra: Sequence[Formal] = (),
    module: Mapping[str, int | float] | None = None,
) -> Routine:
    """A routine from its text.

    Args:
        text: of the file.
        name: of the file, without its extension.
        sizes: integers known from outside.
        numbers: constants that keep their names.
        kernels: derived functions that can be called.
        public: arguments of the public functions by name; None for those that the text says.
        extra: those among them that derived functions are handed on.
        module: constants that the module has by these names.

    Raises:
        CodegenError: the text is outside the language.
    """
    # The routine's own constants come before those of the module.
    known = {**(module or {}), **numbers}
    arguments = tuple((name, None if given is None else tuple(given)) for name, given in public.items())
    shared = frozenset(known) - frozenset(numbers)
    # As they are written, 1 and 1.0 are two, and so are 0.0 and -0.0.
    written = tuple((name, value, repr(value)) for name, value in known.items())
    settled = tuple(sizes.items()), written, tuple(kernels.items()), arguments, tuple(extra), shared
    return _read_once(text, name, *settled)


# Modules of the same sizes ask for the same routine: in C, in NumPy, with other parameters.
@lru_cache(maxsize=64)
def _read_once(
    text: str,
    name: str,
    sizes: tuple[tuple[str, int], ...],
    numbers: tuple[tuple[str, int | float, str], ...],
    kernels: tuple[tuple[str, Signature], ...],
    public: tuple[tuple[str, tuple[Formal, ...] | None], ...],
    extra: tuple[Formal, ...],
    module: frozenset[str],
) -> Routine:
    known = {name: value for name, value, _ in numbers}
    empty = Routine(name, dict(sizes), known, (), (), dict(kernels), {}, extra, module=module)
    return _Reader(empty, text, dict(public)).routine()


def read_memory(text: str, name: str, sizes: Mapping[str, int]) -> tuple[Array, ...]:
    """The scratch memory of a routine alone.

    Raises:
        CodegenError: a size is missing.
    """
    return _Reader(Routine(name, dict(sizes), {}, (), (), {}), text, {}).declared().memory


class _Reader:
    """One text on its way to a routine."""

    def __init__(self, empty: Routine, text: str, public: Mapping[str, Sequence[Formal] | None]) -> None:
        self.where, self.text, self.public = empty, text, public
        self.syntax: dict[str, tuple[ast.stmt, ...]] = {}
        # Functions that change nothing.
        self.pure = {*FUNCTIONS, *VECTORS, "range"}
        try:
            self.statements = ast.parse(text).body
        except SyntaxError as error:
            raise CodegenError(
                f"no Python: {error.msg}", where=f"runtime/{empty.name}.py:{error.lineno}", remedy="correct it"
            ) from None

    def declared(self) -> Routine:
        """Sizes, scratch memory and records; what is left are functions."""
        sizes = dict(self.where.sizes)
        self.where = replace(self.where, sizes=sizes, comments=comments_of(self.text))
        arrays, records = [], {}
        for node in self.statements:
            if isinstance(node, ast.Assign):
                self._sizes(node, sizes)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                arrays.append(self.where.array(node.target.id, node.annotation, node, scratch=True))
            elif isinstance(node, ast.ClassDef):
                records[node.name] = self._record(node)
            elif not (isinstance(node, (ast.ImportFrom, ast.FunctionDef)) or _is_text(node)):
                self.where.refuse(node, "neither a size, nor scratch memory, nor a function")
        self.where = replace(self.where, memory=tuple(arrays), records=records)
        return self.where

    def routine(self) -> Routine:
        """The whole."""
        self.declared()
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
        self.where = replace(self.where, functions=kept)
        read = tuple(self._read(function) for function in kept)
        used = {part.name for function in read for part in every(function.body) if isinstance(part, NamedConstant)}
        used |= {function.otherwise.name for function in read if isinstance(function.otherwise, NamedConstant)}
        numbers = {name: value for name, value in self.where.numbers.items() if name in used}
        return replace(self.where, functions=read, numbers=numbers)

    def _read(self, function: Function) -> Function:
        """The function with its body."""
        syntax = self.syntax[function.name]
        reader = BodyReader(self.where, function, syntax)
        body = reader.body(syntax)
        return replace(
            function,
            body=body,
            scalars=reader.scalars,
            own=tuple(reader.own.values()),
            views=tuple(reader.views.values()),
            records=reader.records,
        )

    def _sizes(self, node: ast.Assign, sizes: dict[str, int]) -> None:
        targets, values = node.targets[0], node.value
        names = targets.elts if isinstance(targets, ast.Tuple) else [targets]
        parts = values.elts if isinstance(values, ast.Tuple) else [values]
        for target, value in zip(names, parts, strict=True):
            number = constant_of(value, sizes)
            if number is None or not isinstance(target, ast.Name):
                self.where.refuse(node, "a size is a name for an integer known beforehand")
            sizes[target.id] = number

    def _record(self, node: ast.ClassDef) -> Record:
        fields: list[Array] = []
        comments = []
        lines = self.text.split("\n")
        for item in node.body:
            if _is_text(item):
                continue
            if not (isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)):
                self.where.refuse(item, "a record holds arrays and scalars")
            kind = _kind_of(item.annotation)
            name = item.target.id
            scalar = Array(name, (), writable=True, kind=kind or "real")
            fields.append(scalar if kind else self.where.array(name, item.annotation, item))
            _, mark, comment = lines[item.lineno - 1].partition("# ")
            comments += [(name, comment)] * bool(mark)
        return Record(node.name, " ".join((ast.get_docstring(node) or "").split()), tuple(fields), tuple(comments))

    def _formal(self, argument: ast.arg) -> Formal:
        kind = _kind_of(argument.annotation)
        if kind is not None:
            return Formal(argument.arg, kind)
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id in self.where.records:
            return Formal(argument.arg, None, None, self.where.records[argument.annotation.id])
        return Formal(argument.arg, None, self.where.array(argument.arg, argument.annotation, argument))

    def _formals(self, node: ast.FunctionDef) -> tuple[tuple[Formal, ...], ast.FunctionDef]:
        """The arguments of a function, and the function with their names; public ones have them from outside."""
        arguments = node.args
        if arguments.defaults or any(arguments.kw_defaults) or arguments.kwarg:
            self.where.refuse(node, "arguments are positional and have no defaults")
        extra = self.where.extra if arguments.vararg is not None else ()
        given = self.public.get(node.name)
        if given is None:
            return (*map(self._formal, arguments.args), *extra, *map(self._formal, arguments.kwonlyargs)), node
        names = [item.name for item in given]
        spoken = [item.arg for item in arguments.args]
        spoken += [*(item.name for item in extra), *(item.arg for item in arguments.kwonlyargs)]
        if len(spoken) != len(names) or (spoken != names and sorted(spoken) == sorted(names)):
            self.where.refuse(node, f"{node.name} takes {', '.join(names)}")
        return tuple(given), _Renamed(dict(zip(spoken, names, strict=True))).visit(node)

    def _function(self, node: ast.FunctionDef) -> Function:
        formals, node = self._formals(node)
        returns: Kind | int | None = _kind_of(node.returns)
        if node.returns is not None and returns is None:
            returns = self.where.array("the result", node.returns, node).size
        body = node.body[1:] if _is_text(node.body[0]) else node.body
        for statement in body:
            for part in ast.walk(statement):
                if not isinstance(part, _ALLOWED):
                    place = part if hasattr(part, "lineno") else statement
                    self.where.refuse(place, f"{type(part).__name__} is not in the routine language")
        foreign = {*(array.name for array in self.where.memory), *(item.name for item in formals)}
        kept = without_unread(tuple(decided_body(body, self.where.sizes)), self.pure, foreign)
        found = list(syntax_parts(kept))
        calls = frozenset(
            each.func.id for each in found if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
        )
        stores = (
            isinstance(each, (ast.Subscript, ast.Attribute)) and isinstance(each.ctx, ast.Store) for each in found
        )
        if calls <= self.pure and not any(stores):
            self.pure.add(node.name)
        otherwise, seldom = self._marks(node)
        documentation = " ".join((ast.get_docstring(node) or "").split())
        is_public = node.name in self.public
        self.syntax[node.name] = kept
        return Function(node.name, documentation, formals, returns, otherwise, is_public, calls, seldom)

    def _marks(self, node: ast.FunctionDef) -> tuple[Expression | None, bool]:
        otherwise: Expression | None = None
        seldom = False
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "otherwise":
                otherwise = BodyReader(self.where, Function()).scalar(mark.args[0])
            elif isinstance(mark, ast.Name) and mark.id == "seldom":
                seldom = True
            else:
                self.where.refuse(mark, "the only decorator is otherwise(value), beside seldom")
        return otherwise, seldom


class _Renamed(ast.NodeTransformer):
    """Puts other names in the place of a function's arguments."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)


def _kind_of(annotation: ast.expr | None) -> Kind | None:
    return _KINDS.get(annotation.id) if isinstance(annotation, ast.Name) else None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
