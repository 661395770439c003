"""Sines and cosines of all angles that follow from the arguments, side by side in front of the body.

What the library would do for each angle in turn takes longer than the arithmetic of an arm. The angles are put into
vectors of the compiler and not into an array: a vector that is loaded from what single stores have just left there
waits for all that came before, half of the time of an arm's inverse dynamics. The body then reads entries of two
arrays. Angles that depend on what the body computes, as in force laws of users, stay calls of the library.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from mbsym.codegen import expressions as ex
from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import Argument, Real, Trigonometry
from mbsym.codegen.environment import fixed_text
from mbsym.codegen.expressions import leaves, operands, operations, with_operands
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.limbs import LimbBody
from mbsym.codegen.lowered import Block, LoweredFunction, Result, StoreConstants
from mbsym.codegen.text import wrapped

ABREAST: Final = 4
"""The arrays' length is a multiple of this, as many as ``MODEL_FOUR`` in ``runtime/c/sincos_*.c`` takes."""
LONGEST_ANGLE: Final = 8
"""Operations of an angle up to which it is computed again in front."""
FEWEST: Final[Mapping[Trigonometry, int]] = {"auto": 2}
"""Angles that are worth it: for one alone the library takes about as long, and the code reads as the mathematics do."""
DEEPEST_ANGLE: Final = 6
"""Expressions within each other up to which an angle is followed."""


def rounding_sentence(real: Real, trigonometry: Trigonometry) -> str:
    """Where sines and cosines of the generated text are computed by it, and where not; see ``runtime/c/sincos_*.c``."""
    vectors = "" if trigonometry == "inline" else "the compiler has vectors and "
    return (
        f"Sines and cosines are computed here where {vectors}FLT_EVAL_METHOD rounds each step to {real}; elsewhere, "
        "and with -ffast-math, the library computes them, as accurately and more slowly."
    )


def sincos_text(real: Real, trigonometry: Trigonometry, prefix: str) -> str:
    """What computes the sines and cosines of many angles, its names behind a prefix.

    Compilers put it into each function that calls it only where ``inline`` asks for that: it makes calls 2 to 10 %
    faster, and code of many functions half as long again, which takes twice as long to compile.
    """
    text = fixed_text(f"c/sincos_{real}.c", prefix)
    if trigonometry != "inline":
        return text
    text = text.replace(f"static void {prefix}sincos(", f"static inline void {prefix}sincos(")
    vectors, own = f"#if {prefix}ABREAST > 1\n", f"#define {prefix}INLINE\n"
    return text.replace(vectors + own, own + vectors)


@dataclass(frozen=True, slots=True)
class Front:
    """What is done in front of a body.

    Attributes:
        body: what is left to do.
        angles: in the order of the arrays.
        angle, sine, cosine: identifiers of the arrays.
    """

    body: LoweredFunction
    angles: tuple[ex.Expression, ...]
    angle: str = ""
    sine: str = ""
    cosine: str = ""

    @property
    def length(self) -> int:
        """Of the arrays."""
        return -(-len(self.angles) // ABREAST) * ABREAST

    @property
    def arrays(self) -> tuple[tuple[Argument, str], ...]:
        """Sines and cosines as arguments of parts of a function."""
        return tuple((Argument(name, "in", (self.length,)), name) for name in (self.sine, self.cosine) if self.angles)

    @property
    def names(self) -> frozenset[str]:
        """Identifiers that occur in the angles."""
        found = (leaf for angle in self.angles for leaf in leaves(angle))
        return frozenset(
            leaf.array if isinstance(leaf, ex.Element) else leaf.identifier
            for leaf in found
            if isinstance(leaf, (ex.Element, ex.Variable))
        )

    def lines(self, prefix: str, printer: CPrinter) -> tuple[str, ...]:
        """Statements that fill the arrays.

        Args:
            prefix: of the module's names.
            printer: of expressions.
        """
        if not self.angles:
            return ()
        real = f"{prefix}_{printer.kind}"
        texts = [printer.expression(angle) for angle in self.angles]
        if printer.kind == "real":
            vector, length, function = f"{prefix}_angles", f"{self.length} / {prefix}_ABREAST", f"{prefix}_sincos"
            texts += [printer.expression(ex.Constant(Fraction(0)))] * (self.length - len(texts))
            fours = (", ".join(texts[place : place + ABREAST]) for place in range(0, self.length, ABREAST))
            texts = [f"{prefix}_FOUR({four})" for four in fours]
        else:
            vector, length, function = real, str(len(texts)), f"{real}_sincos"
        start = f"    const {vector} {self.angle}[{length}] = {{"
        return (
            f"{start}{wrapped(', '.join(texts), first=len(start) + 2, following=' ' * 8)}}};",
            f"    {real} {self.sine}[{self.length}];",
            f"    {real} {self.cosine}[{self.length}];",
            f"    {function}({len(self.angles)}, {self.angle}, {self.sine}, {self.cosine});",
        )


def in_front(body: LoweredFunction, outer: Scope, trigonometry: Trigonometry = "inline") -> Front:
    """The body with its sines and cosines taken out of it, as far as they can be.

    Args:
        body: of a function.
        outer: scope with the function's identifiers, besides those of the body's temporaries.
        trigonometry: what computes them; the library does it in the body.
    """
    if trigonometry == "libm" or not {"sin", "cos"} & set(body.calls):
        return Front(body, ())
    temporaries = {item.identifier: item.expression for block in body.blocks for item in block.assignments}
    scope = outer.inside(temporaries)
    finding = _Finding(temporaries, scope.claim("sine"), scope.claim("cosine"))
    blocks = finding.of_blocks(body.blocks)
    results = tuple(Result(item.identifier, item.shape, tuple(map(finding.of, item.entries))) for item in body.results)
    if len(finding.places) < FEWEST.get(trigonometry, 1):
        return Front(body, ())
    left = finding.kept | (set(body.calls) - {"sin", "cos"})
    # Temporaries that only angles needed are left without a use.
    whole = replace(body, blocks=blocks, results=results, calls=tuple(sorted(left)))
    whole = replace(whole.pruned(), used=body.used)
    return Front(whole, tuple(finding.places), scope.claim("angle"), finding.sine, finding.cosine)


def limbs_in_front(
    limbs: LimbBody, body: LoweredFunction, outer: Scope, trigonometry: Trigonometry
) -> tuple[LimbBody, Front]:
    """The statements of a body with its limbs side by side behind its sines and cosines, as far as they can be.

    Args:
        limbs: the statements.
        body: of the same function, straight.
        outer: scope with the function's identifiers, besides those of temporaries.
        trigonometry: what computes sines and cosines.
    """
    if trigonometry == "libm":
        return limbs, Front(body, ())
    temporaries = [each for block in limbs.blocks for each in block.assignments]
    scope = outer.inside(each.identifier for each in temporaries)
    scalars = {each.identifier: each.expression for each in temporaries if not each.width}
    finding = _Finding(scalars, scope.claim("sine"), scope.claim("cosine"), limbs.used)
    blocks = finding.of_blocks(limbs.blocks)
    if len(finding.places) < FEWEST.get(trigonometry, 1):
        return limbs, Front(body, ())
    front = Front(body, tuple(finding.places), scope.claim("angle"), finding.sine, finding.cosine)
    return replace(limbs, blocks=blocks), front


class _Finding:
    """Puts entries of the arrays into the place of calls."""

    __slots__ = ("_arrays", "_temporaries", "cosine", "kept", "places", "sine")

    def __init__(
        self, temporaries: Mapping[str, ex.Expression], sine: str, cosine: str, arrays: Container[str] | None = None
    ) -> None:
        self._temporaries = temporaries
        self._arrays = arrays
        self.sine = sine
        self.cosine = cosine
        self.places: dict[ex.Expression, int] = {}
        self.kept: set[str] = set()

    def of_blocks(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        """Blocks anew."""
        return tuple(
            Block(
                block.title,
                tuple(
                    replace(item, expression=self.of(item.expression))
                    for item in block.statements
                    if not isinstance(item, StoreConstants)
                ),
            )
            for block in blocks
        )

    def of(self, expression: ex.Expression) -> ex.Expression:
        """The expression anew."""
        parts = operands(expression)
        if not parts:
            return expression
        if isinstance(expression, ex.Call) and expression.function in ("sin", "cos"):
            angle = self._outside(parts[0])
            if angle is not None and operations(angle) <= LONGEST_ANGLE:
                place = self.places.setdefault(angle, len(self.places))
                return ex.Element(self.sine if expression.function == "sin" else self.cosine, place)
            self.kept.add(expression.function)
        changed = tuple(map(self.of, parts))
        if all(new is old for new, old in zip(changed, parts, strict=True)):
            return expression
        return with_operands(expression, changed)

    def _outside(self, expression: ex.Expression, depth: int = 0) -> ex.Expression | None:
        """The expression in terms of arguments and parameters alone; None where that would need calls or much else."""
        if isinstance(expression, ex.Call) or depth > DEEPEST_ANGLE:
            return None
        if self._arrays is not None and isinstance(expression, ex.Element) and expression.array not in self._arrays:
            return None
        if isinstance(expression, ex.Variable) and expression.identifier in self._temporaries:
            return self._outside(self._temporaries[expression.identifier], depth + 1)
        parts = [self._outside(part, depth + 1) for part in operands(expression)]
        known = tuple(part for part in parts if part is not None)
        if len(known) < len(parts):
            return None
        return with_operands(expression, known) if known else expression
