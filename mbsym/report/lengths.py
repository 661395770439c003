"""How long each form of a quantity is for a reader: terms and operations as they are printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod

from mbsym.errors import DerivationError
from mbsym.report.contents import written
from mbsym.report.equations import Equations
from mbsym.report.vector_form import IN_VECTORS
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.printed_size import PrintedSizes


@dataclass(frozen=True, slots=True)
class Length:
    """How long a form is.

    Attributes:
        form: its name, one of ``forms.FORMS``.
        terms: of the outermost sums of the entries and of what they are made of.
        operations: additions, multiplications, divisions and powers of all that is printed, sines and cosines as
            letters; products of vectors are one each. Entries below the diagonal of what is symmetric are not printed.
    """

    form: str
    terms: int
    operations: int


def lengths(equations: Equations, name: str) -> tuple[Length, ...]:
    """Lengths of a quantity in the forms that it has, the one that is written out first.

    Raises:
        DerivationError: there is no such quantity.
    """
    return tuple(_lengths(equations, name))


def _lengths(equations: Equations, name: str) -> Iterator[Length]:
    form = equations.form(name)
    sizes = PrintedSizes(form.program.graph, letters=True)

    def measured(kind: str, refs: Sequence[Reference]) -> Length:
        return Length(kind, sum(map(sizes.terms_of, refs)), sizes.of_all(refs))

    yield measured("flat", _printed(equations, name, form.references or form.program.outputs[0].values))
    if name == "bias_force":
        # Speeds may be no rates of coordinates, or it would fill pages.
        with suppress(DerivationError):
            yield measured("products", equations.velocity_products().steps.references)
    if name in IN_VECTORS:
        found = equations.vectors(name)
        yield Length("vectors", found.terms, found.operations)
    steps = written(equations, name, "steps").references
    first = len(steps) - prod(form.shape)
    yield measured("steps", (*steps[:first], *_printed(equations, name, steps[first:])))


def _printed(equations: Equations, name: str, refs: Sequence[Reference]) -> list[Reference]:
    """Those of an array's entries that are printed."""
    if not equations.display(name).symmetric:
        return list(refs)
    size = equations.form(name).shape[0]
    return [refs[size * i + j] for i in range(size) for j in range(i, size)]
