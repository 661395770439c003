"""Base parameters as an engineer writes them, and as data."""

from __future__ import annotations

import textwrap
from fractions import Fraction
from typing import Final

from mbsym.doors import sympy
from mbsym.regressors.base_parameters import CLOSED_LOOPS, BaseParameter, BaseParameters
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_sympy

WIDTH: Final = 120
_DIGITS: Final = 6
_NOTHING: Final = 1e-12
_ROUNDED: Final = "printed numbers are rounded to 6 digits; `json` has them as they are"
_LONG: Final = 1000
"""Denominators above which a fraction that is no short decimal is rounded."""

_SHORT: Final = 10
"""Digits up to which a decimal is written whole."""


def relations_text(found: BaseParameters) -> str:
    """All base parameters with what they group, what has no effect, and what the count rests on."""
    lines = [
        f"{found.mechanism.model.name}: {len(found.base)} base parameters of {len(found.columns)} standard ones",
        proof(found),
        *([_ROUNDED] if any(_is_rounded(number) for item in found.base for number in item.terms.values()) else []),
        "",
    ]
    lines += relation_lines(found)
    if found.without_effect:
        names = ", ".join(found.columns[place].name for place in found.without_effect)
        lines += ["", *_wrapped(f"without effect on any force: {names}")]
    return "\n".join(lines) + "\n"


def relation_lines(found: BaseParameters, width: int = WIDTH) -> list[str]:
    """A relation for each base parameter, wrapped."""
    return [line for item in found.base for line in _wrapped(relation(found, item), width)]


def proof(found: BaseParameters) -> str:
    """What the count rests on, as a sentence."""
    if found.how == CLOSED_LOOPS:
        counted, left = found.gap
        return (
            f"as many as the rank of {found.points} rows of the regressor along the motions that the loops leave;\n"
            f"{counted:.1e} at least of a column that counts stands clear of others, {left:.1e} at most of any other"
        )
    points = f"{found.points} random point{'s' if found.points != 1 else ''}"
    sentence = f"as many as the rank of the regressor at {points} of the field of 2^61 - 1 elements"
    if found.blurred:
        sentence += f", less {found.blurred} that only the rounding of the model's numbers tells apart"
    return sentence if found.exact else f"{sentence}; some coefficients are rounded"


def relation(found: BaseParameters, item: BaseParameter) -> str:
    """NAME = sum of standard parameters, those of equal coefficients together; just the name where it is one."""
    shown = {column: number for column, number in item.terms.items() if not _is_nothing(number)}
    if len(shown) == 1:
        return item.name if len(item.terms) == 1 else f"{item.name} = {found.columns[item.column].name}"
    groups: dict[str, list[tuple[int, str]]] = {}
    for column, coefficient in shown.items():
        sign, text = _signed(coefficient)
        groups.setdefault(text, []).append((sign, found.columns[column].name))
    parts = []
    for text, members in groups.items():
        outer = members[0][0]
        inner = "".join(f" {'+' if sign == outer else '-'} {name}" for sign, name in members)[3:]
        if not text:
            parts += [f"{'+' if sign > 0 else '-'} {name}" for sign, name in members]
        elif len(members) == 1:
            parts.append(f"{'+' if outer > 0 else '-'} {text}*{inner}")
        else:
            parts.append(f"{'+' if outer > 0 else '-'} {text}*({inner})")
    return f"{item.name} = {' '.join(parts).removeprefix('+ ')}"


def relations_data(found: BaseParameters) -> dict[str, object]:
    """The same for programs; coefficients as exact text and as numbers at the model's values."""
    matrix, values = found.matrix(), found.values()
    return {
        "name": found.mechanism.model.name,
        "standard": len(found.columns),
        "count": len(found.base),
        "proof": {
            "rank": found.how,
            "points": found.points,
            "exact": found.exact,
            "told_apart_by_rounding": found.blurred,
            **({"gap": list(found.gap)} if found.how == CLOSED_LOOPS else {}),
        },
        "base": [
            {
                "name": item.name,
                "unit": item.unit,
                "value": float(values[row]),
                "terms": [
                    {"parameter": found.columns[column].name, "coefficient": exact_text(number),
                     "value": float(matrix[row, column])}
                    for column, number in item.terms.items()
                ],
            }
            for row, item in enumerate(found.base)
        ],
        "without_effect": [found.columns[place].name for place in found.without_effect],
    }  # fmt: skip


def exact_text(coefficient: Scalar) -> str:
    """A fraction, or an expression."""
    if coefficient.constant is not None:
        return str(coefficient.constant)
    sign, text = _expression(coefficient)
    return f"{'-' if sign < 0 else ''}{text}"


def _signed(coefficient: Scalar) -> tuple[int, str]:
    """Sign, and the text of the size, which is empty for one."""
    number = coefficient.constant
    if number is not None:
        text = _number(abs(number))
        return (-1 if number < 0 else 1), "" if text == "1" else text
    return _expression(coefficient)


def _is_nothing(coefficient: Scalar) -> bool:
    """Whether a number is the rounding of an angle and no coefficient."""
    return coefficient.constant is not None and abs(coefficient.constant) < _NOTHING


def _is_rounded(coefficient: Scalar) -> bool:
    number = coefficient.constant
    return number is not None and abs(number) not in (0, 1) and Fraction(_number(abs(number))) != abs(number)


def _number(size: Fraction) -> str:
    whole = f"{float(size):.{_SHORT}g}"
    if Fraction(whole) == size:
        return whole
    if size.denominator <= _LONG:
        return str(size)
    return f"{float(size):.{_DIGITS}g}"


def _expression(coefficient: Scalar) -> tuple[int, str]:
    value = sympy.expand(to_sympy(coefficient.graph, [coefficient.ref])[0])
    sign = -1 if value.could_extract_minus_sign() else 1
    long = {each: sympy.Float(each, _DIGITS) for each in value.atoms(sympy.Rational) if each.q > _LONG}
    text = str((sign * value).xreplace(long))
    return sign, f"({text})" if isinstance(value, sympy.Add) else text


def _wrapped(line: str, width: int = WIDTH) -> list[str]:
    return textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="      ", break_long_words=False)
