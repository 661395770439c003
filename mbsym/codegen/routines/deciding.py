"""What sizes decide about a text before it is read: branches, loops and definitions that are left out."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache

from mbsym.codegen.routines.language import constant_of


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


def decided_body(body: Sequence[ast.stmt], sizes: Mapping[str, int]) -> Iterator[ast.stmt]:
    """Statements without what conditions on sizes, and loops that are never run, exclude."""
    for node in body:
        if isinstance(node, ast.If):
            truth = decided(node.test, sizes)
            if truth is not None:
                yield from decided_body(node.body if truth else node.orelse, sizes)
                continue
            test = _Choices(sizes).visit(node.test)
            inside, other = list(decided_body(node.body, sizes)), list(decided_body(node.orelse, sizes))
            if inside or other:
                yield ast.copy_location(ast.If(test, inside, other), node)
        elif isinstance(node, ast.While):
            inside = list(decided_body(node.body, sizes))
            yield ast.copy_location(ast.While(_Choices(sizes).visit(node.test), inside, []), node)
        elif isinstance(node, ast.For):
            inside = list(decided_body(node.body, sizes))
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


def without_unread(body: tuple[ast.stmt, ...], pure: Set[str], foreign: Set[str]) -> tuple[ast.stmt, ...]:
    """Statements without definitions of the function's own names that nothing reads, by what changes nothing else."""
    while True:
        read = {part.id for part in syntax_parts(body) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
        idle = {
            id(node)
            for node in syntax_parts(body)
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


def syntax_parts(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


@cache
def comments_of(text: str) -> Mapping[int, str]:
    """Comments that have a line to themselves, by line.

    The few texts of the runtime are asked for again with every module.
    """
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.strip() == token.string:
            found[token.start[0]] = token.string.lstrip("# ")
    return found
