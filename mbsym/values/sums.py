"""Sums in expressions whose terms are of two kinds by the units that are stated for names in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.errors import SymbolicError
from mbsym.symbolic.reader import syntax_tree
from mbsym.values.units import dimension_text, read_unit

Dimension: TypeAlias = tuple[Fraction, ...]
"""Powers of metre, kilogram and second; angles count as numbers."""

NUMBER: Final = (Fraction(0),) * 3

OF_FORMULAS: Final = (1, 2, 4)
"""Factors that stand in formulas; others, as in 100*q, may be a stiffness or another number with a unit."""


def dimensions(units: Mapping[str, str]) -> dict[str, Dimension]:
    """Dimensions of names by their units, without those whose unit is none or not known."""
    found = {}
    for name, unit in units.items():
        if unit not in ("", "1"):
            with suppress(SymbolicError):
                found[name] = tuple(map(Fraction, read_unit(unit).dimension[:3]))
    return found


def mixed_sum(text: str, known: Mapping[str, Dimension]) -> str:
    """The first sum of two terms of different dimensions, in words; nothing where there is none or nobody can tell.

    A term with a decimal or a whole factor but those of formulas is of any dimension, since that may hide a unit;
    so is what holds names without units.
    """
    return next(_Sums(known).mixed(syntax_tree(text)), "")


class _Sums:
    """Dimensions of the parts of expressions.

    Args:
        known: dimensions by name.
    """

    def __init__(self, known: Mapping[str, Dimension]) -> None:
        self._known = known

    def mixed(self, node: ast.expr) -> Iterator[str]:
        """Each sum of what is of two dimensions, from inside outwards."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from self.mixed(part)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            one, other = self._of(node.left), self._of(node.right)
            if one is not None and other is not None and one != other and NUMBER not in (one, other):
                terms = (
                    f"{ast.unparse(term)} [{dimension_text(dimension)}]"
                    for term, dimension in ((node.left, one), (node.right, other))
                )
                yield " and ".join(terms)

    def _of(self, node: ast.expr) -> Dimension | None:
        """The dimension of a part; None where it is not known."""
        match node:
            case ast.Name(name):
                return NUMBER if name == "pi" else self._known.get(name)
            case ast.Constant(int()):
                return NUMBER
            case ast.UnaryOp(_, inner):
                return self._of(inner)
            case ast.BinOp(left, ast.Pow(), ast.Constant(int(power))):
                base = self._of(left)
                return None if base is None else tuple(power * each for each in base)
            case ast.BinOp(ast.Constant(int(factor)), ast.Mult(), _) | ast.BinOp(
                _, ast.Mult(), ast.Constant(int(factor))
            ) if factor not in OF_FORMULAS:
                return None
            case ast.BinOp(left, ast.Mult() | ast.Div() | ast.Add() | ast.Sub() as operator, right):
                return self._together(self._of(left), operator, self._of(right))
            case ast.Call(ast.Name("sqrt"), [inner]):
                root = self._of(inner)
                return None if root is None else tuple(each / 2 for each in root)
        return None

    @staticmethod
    def _together(one: Dimension | None, operator: ast.operator, other: Dimension | None) -> Dimension | None:
        if isinstance(operator, ast.Add | ast.Sub):
            # An integer beside what has a dimension may be one of its unit.
            return other if one in (None, NUMBER) else one
        if one is None or other is None:
            return None
        sign = 1 if isinstance(operator, ast.Mult) else -1
        return tuple(a + sign * b for a, b in zip(one, other, strict=True))
