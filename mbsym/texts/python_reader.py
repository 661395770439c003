"""Reads a NumPy module, as mbsym emits it, back into the neutral representation.

Kernels, which take ``function`` first and compute entry by entry, are read statement by statement. A public function is
read as what it hands to its kernel and what it returns of it. The rest of a module (what makes arrays of arguments, the
arithmetic of arrays that iterates) is kept in one spelling, without comments, to be compared.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from mbsym.errors import TextError
from mbsym.texts.representation import (
    Argument,
    Call,
    Do,
    Entry,
    Expression,
    Field,
    For,
    From,
    Function,
    If,
    Kind,
    Let,
    Listed,
    Name,
    Number,
    Operation,
    Return,
    Statement,
    Store,
    Text,
    While,
)

_BINARY: Final[Mapping[type, str]] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
_UNARY: Final[Mapping[type, str]] = {ast.USub: "negative", ast.Not: "not"}
_COMPARED: Final[Mapping[type, str]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_WORDS: Final[Mapping[type, str]] = {ast.And: "and", ast.Or: "or"}
_LIBRARY: Final = {"abs": "fabs", "min": "fmin", "max": "fmax"}
"""What C calls these."""
_ANY: Final = Kind("any")
_EVALUATORS: Final = ("_evaluate", "_judged")
AS_CALLED: Final = ", as it is called"
"""Behind the name of a public function, what makes arrays of its arguments and results."""

_ZERO: Final = Number(Fraction(0), "0", is_integer=True)
_ONE: Final = Number(Fraction(1), "1", is_integer=True)


@dataclass(frozen=True, slots=True)
class Module:
    """A NumPy module read back.

    Attributes:
        text: what could be read.
        unread: definitions that could not, by name, in one spelling without documentation.
    """

    text: Text
    unread: Mapping[str, str]


def read_python(source: str) -> Module:
    """A NumPy module in the neutral representation.

    Raises:
        TextError: it is no Python.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise TextError(f"no Python: {error.msg}", where=f"line {error.lineno}") from None
    lines = source.split("\n")
    functions: dict[str, Function] = {}
    constants: dict[str, Expression] = {}
    unread: dict[str, str] = {}
    for number, node in enumerate(tree.body):
        name = _name_of(node, number)
        try:
            if isinstance(node, ast.FunctionDef):
                if name in functions or name in unread:
                    raise TextError(f"{name} stands there twice", where=f"line {node.lineno}")
                functions[name] = _Reader(lines).function(node)
                if not name.startswith("_"):
                    unread[f"{name}{AS_CALLED}"] = ast.unparse(_without_documentation(node))
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                constants[name] = _Reader(lines).expression(_entries(node.value))
            else:
                raise TextError("not read")
        except TextError as error:
            if "twice" in error.what:
                raise
            unread[name] = ast.unparse(_without_documentation(node))
    return Module(Text(functions=functions, constants=constants), unread)


def _entries(value: ast.expr) -> ast.expr:
    """The list of an array of the module's own numbers, other values as they are."""
    if (
        isinstance(value, ast.Call)
        and value.args
        and ast.unparse(value) == f"np.array({ast.unparse(value.args[0])}, dtype=_REAL)"
    ):
        return value.args[0]
    return value


def _name_of(node: ast.stmt, number: int) -> str:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return f"statement {number}"


def _without_documentation(node: ast.stmt) -> ast.AST:
    """The definition without docstrings, its own and those inside."""
    for each in ast.walk(node):
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(each, clean=False) is not None:
            each.body = each.body[1:] or [ast.Pass()]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return ast.Pass()
    return node


@dataclass(slots=True)
class _Reader:
    """Of one definition.

    Attributes:
        lines: of the whole source.
        library: names that stand for functions of the library.
    """

    lines: Sequence[str]
    library: dict[str, str] = field(default_factory=dict)

    def function(self, node: ast.FunctionDef) -> Function:
        """A kernel, a step of one, or a public function."""
        names = [argument.arg for argument in node.args.args]
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if names[:1] == ["function"]:
            arguments = tuple(Argument(name, _ANY) for name in names[1:])
            return Function(node.name, arguments, _ANY, self.block(body), node.name.startswith("_"), node.lineno)
        if not node.name.startswith("_"):
            return self._public(node, body)
        raise TextError("no kernel")

    def _public(self, node: ast.FunctionDef, body: Sequence[ast.stmt]) -> Function:
        """What hands its arguments to a kernel."""
        given: dict[str, ast.expr] = {}
        evaluated: ast.Call | None = None
        for step in body:
            value = step.value if isinstance(step, (ast.Assign, ast.Return)) else None
            for inner in ast.walk(value) if value is not None else ():
                if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in _EVALUATORS:
                    evaluated = inner
            if isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name):
                given[step.targets[0].id] = step.value
        if evaluated is None or "arguments" not in given or not isinstance(evaluated.args[0], ast.Name):
            raise TextError("no public function of a kernel")
        arguments, values = [], []
        for name, value, shape in ast.literal_eval(_spelled(given["arguments"])):
            found = self.expression(ast.parse(value, mode="eval").body)
            if not (isinstance(found, (Name, Field)) and value.rpartition(".")[2] == name):
                raise TextError("an argument goes by another name", where=f"line {node.lineno}")
            sizes = tuple(Number(Fraction(size), str(size), is_integer=True) for size in shape)
            arguments.append(Argument(value, Kind("real", sizes, bool(sizes), is_constant=True)))
            values.append(Name(value))
        steps = (Return(Call(evaluated.args[0].id, tuple(values))),)
        return Function(node.name, tuple(arguments), _ANY, steps, False, node.lineno)

    # ---- statements --------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        """Statements in order."""
        return tuple(step for node in body for step in self.statement(node))

    def statement(self, node: ast.stmt) -> Sequence[Statement]:
        """What a statement says; names of library functions are learnt and say nothing."""
        line = node.lineno
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return self._assigned(node.targets[0], node.value, line)
        if isinstance(node, ast.AugAssign) and node.op.__class__ in _BINARY:
            operator = _BINARY[node.op.__class__]
            return (Store(self.expression(node.target), self.expression(node.value), operator, line),)
        if isinstance(node, ast.If):
            condition = self.expression(node.test)
            return (If(condition, self.block(node.body), self.block(node.orelse), line),)
        if isinstance(node, ast.While) and not node.orelse:
            return (While(self.expression(node.test), self.block(node.body), line),)
        if isinstance(node, ast.For) and not node.orelse and isinstance(node.target, ast.Name):
            return (self._for(node, node.target.id),)
        if isinstance(node, ast.Return):
            return (Return(None if node.value is None else self.expression(node.value), line),)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return (Do(self.expression(node.value), line),)
        raise TextError(f"{ast.unparse(node).splitlines()[0]}: kernels have no such statement", where=f"line {line}")

    def _assigned(self, target: ast.expr, value: ast.expr, line: int) -> Sequence[Statement]:
        if not isinstance(target, ast.Name):
            return (Store(self.expression(target), self.expression(value), "", line),)
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "function":
            self.library[target.id] = value.attr
            return ()
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List):
            if ast.unparse(value.left) != "[0.0]":
                raise TextError("a list that is no zeros", where=f"line {line}")
            kind = Kind("real", (self.expression(value.right),), is_array=True)
            return (Let(target.id, kind, Listed(()), line),)
        return (Let(target.id, _ANY, self.expression(value), line),)

    def _for(self, node: ast.For, variable: str) -> Statement:
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            raise TextError("a loop that counts nothing", where=f"line {node.lineno}")
        ends = [self.expression(each) for each in call.args]
        start, stop = (_ZERO, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        step = ends[2] if len(ends) > 2 else _ONE
        word = ">" if isinstance(step, Operation) else "<"
        condition = Operation(word, (Name(variable), stop))
        return For(variable, start, condition, step, self.block(node.body), node.lineno)

    # ---- expressions -------------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Expression:
        """What an expression says."""
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            return Name(node.id)
        if isinstance(node, ast.BinOp) and node.op.__class__ in _BINARY:
            return Operation(_BINARY[node.op.__class__], (self.expression(node.left), self.expression(node.right)))
        if isinstance(node, ast.UnaryOp) and node.op.__class__ in _UNARY:
            return Operation(_UNARY[node.op.__class__], (self.expression(node.operand),))
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call) and not node.keywords:
            return self._call(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            return Listed(tuple(self.expression(each) for each in node.elts))
        if isinstance(node, ast.IfExp):
            return Operation("choice", tuple(map(self.expression, (node.test, node.body, node.orelse))))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and node.ops[0].__class__ in _COMPARED:
            sides = (self.expression(node.left), self.expression(node.comparators[0]))
            return Operation(_COMPARED[node.ops[0].__class__], sides)
        if isinstance(node, ast.BoolOp):
            first, *rest = map(self.expression, node.values)
            for each in rest:
                first = Operation(_WORDS[node.op.__class__], (first, each))
            return first
        if isinstance(node, ast.Attribute):
            return Field(self.expression(node.value), node.attr)
        raise TextError(f"{ast.unparse(node)}: kernels have no such expression", where=f"line {node.lineno}")

    def _number(self, node: ast.Constant) -> Expression:
        if isinstance(node.value, bool):
            return Name(str(node.value).lower())
        if not isinstance(node.value, (int, float)):
            raise TextError(f"{node.value!r} is no number", where=f"line {node.lineno}")
        text = self.lines[node.lineno - 1][node.col_offset : node.end_col_offset] if self.lines else repr(node.value)
        return Number(Fraction(text), text, is_integer=isinstance(node.value, int))

    def _subscript(self, node: ast.Subscript) -> Expression:
        array = self.expression(node.value)
        if isinstance(node.slice, ast.Slice):
            if node.slice.lower is None or node.slice.upper is None:
                raise TextError("a slice without ends", where=f"line {node.lineno}")
            step = None if node.slice.step is None else self.expression(node.slice.step)
            return From(array, self.expression(node.slice.lower), self.expression(node.slice.upper), step)
        return Entry(array, self.expression(node.slice))

    def _call(self, node: ast.Call) -> Expression:
        function, arguments = node.func, node.args
        if isinstance(function, ast.Attribute) and ast.unparse(function.value) == "function":
            name = function.attr
        elif isinstance(function, ast.Name):
            name = self.library.get(function.id, function.id)
        else:
            raise TextError(f"{ast.unparse(function)} is no function of the text", where=f"line {node.lineno}")
        if arguments and isinstance(arguments[0], ast.Name) and arguments[0].id == "function":
            arguments = arguments[1:]
        return Call(_LIBRARY.get(name, name), tuple(map(self.expression, arguments)))


def _spelled(arguments: ast.expr) -> str:
    """The list of a public function's arguments, with the expression of each as text."""
    if not isinstance(arguments, ast.Tuple):
        raise TextError("no list of arguments")
    rows = []
    for row in arguments.elts:
        if not (isinstance(row, ast.Tuple) and len(row.elts) == 3):
            raise TextError("an argument is no name, value and shape")
        name, value, shape = row.elts
        rows.append(f"({ast.unparse(name)}, {ast.unparse(value)!r}, {ast.unparse(shape)}),")
    return f"({''.join(rows)})"
