"""M and h in vectors as sections of documents, as data, and as SymPy's replacements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from mbsym.doors import sympy
from mbsym.errors import DerivationError, ProofError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.kane.vector_form import Definition, VectorForm, vector_bias_force, vector_mass_matrix
from mbsym.formulations.quantity import LARGEST_CLOSED_FORM
from mbsym.kinematics.mechanism import Mechanism
from mbsym.report.closed_form import HOPELESS, unit_coordinates
from mbsym.report.plain_text import text_lines
from mbsym.report.sections import VectorRow, VectorRows
from mbsym.report.steps import matrix_in_steps, named_steps
from mbsym.report.vectors import PYTHON, operations
from mbsym.spatial.vector import symmetric_matrix
from mbsym.spatial.vector_formula import Formula, Number, Sum, parts
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.readable import has_long_numbers
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric

IN_VECTORS: Final[Mapping[str, tuple[str, Callable[[Mechanism], VectorForm]]]] = {
    "mass_matrix": ("M", vector_mass_matrix),
    "bias_force": ("h", vector_bias_force),
}
"""Letters and derivations of what there is in vectors."""


@dataclass(frozen=True, slots=True, repr=False)
class InVectors:
    """M or h in vectors; its text is the definitions and the entries.

    Attributes:
        name: "mass_matrix" or "bias_force".
        form: the formulas.
        steps: rows of numbers that components are in terms of, where these would fill pages.
        defined: rows of what is named, in order.
        entries: rows of the entries that are not zero, of M on and above the diagonal.
        operations: in all formulas and components as they are printed, sines and cosines as letters, a product of
            vectors as one.
        operations_of_entries: in the entries alone.
        terms: of the sums that all these formulas are.
    """

    name: str
    form: VectorForm
    steps: VectorRows
    defined: VectorRows
    entries: VectorRows
    operations: int
    operations_of_entries: int
    terms: int
    _symbols: Mapping[str, Any]

    def __str__(self) -> str:
        return "\n".join(line for rows in (self.steps, self.defined, self.entries) for line in text_lines(rows))

    def reduced(self) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], sympy.ImmutableMatrix]:
        """As ``sympy.cse`` has it: components of vectors in base axes as replacements, and M or h in their terms."""
        return matrix_in_steps(self.form.program, self._symbols)

    def as_dict(self) -> dict[str, Any]:
        """Definitions and entries with formulas in Python's syntax, ``dot`` and ``cross`` as NumPy has them.

        Components of a dyad and of a rotation are those of a matrix by rows; R_i takes those of body i to its ``axes``.
        """
        return {
            "definitions": [
                *({"name": row.left, "value": str(row.components[0])} for row in self.steps.rows),
                *(
                    {"name": PYTHON.vector(row.left), "meaning": each.sentence, **_said(each, row)}
                    for each, row in zip(self.form.definitions, self.defined.rows, strict=True)
                ),
            ],
            "entries": {
                ",".join(str(k + 1) for k in place): "".join(PYTHON.right_side(row))
                for place, row in zip(self.form.entries, self.entries.rows, strict=True)
            },
            "operations": self.operations,
        }


def _said(definition: Definition, row: VectorRow) -> dict[str, Any]:
    if row.formula is not None:
        return {"value": "".join(PYTHON.right_side(row))}
    return {"axes": definition.axes, "components": [str(value) for value in row.components]}


def in_vectors(mechanism: Mechanism, name: str, symbols: Mapping[str, Any]) -> InVectors:
    """M or h in vectors, equal exactly to the recursive derivation's.

    Args:
        mechanism: whose they are; with closed loops, of the tree.
        name: "mass_matrix" or "bias_force".
        symbols: what stands for symbols of the graph that have no printable name.

    Raises:
        DerivationError: there is no vector form of that.
        ProofError: it is not equal, which is a defect of mbsym.
    """
    if name not in IN_VECTORS:
        raise DerivationError(
            f"{name} has no form in vectors", remedy=f"ask for {' or '.join(IN_VECTORS)}, or leave `form` out"
        )
    letter, derive = IN_VECTORS[name]
    graph = mechanism.graph
    form = derive(mechanism)
    verdict = compare(form.program, TREE_FUNCTIONS[name](mechanism))
    if not verdict:
        raise ProofError(f"{name} in vectors is not what the recursive derivation gives: {verdict}", function=name)
    formulas = [each.formula for each in form.definitions if each.formula is not None]
    scalars = {number for formula in (*formulas, *form.entries.values()) for number in _numbers(formula)}
    scalars |= {entry for each in form.definitions for entry in _entries(each)}
    numbers, steps = _written(mechanism, form.program, sorted(scalars, key=lambda scalar: scalar.ref), symbols)
    values = {scalar: value for scalar, (value, _) in numbers.items()}
    short = {scalar: Scalar(graph, ref) for scalar, (_, ref) in numbers.items()}
    defined = tuple(_row(each, values) for each in form.definitions)
    places = {place: _placed(letter, place) for place in form.entries}
    entries = tuple(VectorRow(places[at], formula, values, is_number=True) for at, formula in form.entries.items())
    own, rest = _counted(form, short, [ref for _, _, ref in steps])
    named = VectorRows(tuple(VectorRow(left, None, {}, (value,), is_number=True) for left, value, _ in steps))
    terms = sum(len(each.terms) if isinstance(each, Sum) else 1 for each in (*formulas, *form.entries.values()))
    return InVectors(name, form, named, VectorRows(defined), VectorRows(entries), own + rest, own, terms, symbols)


def _counted(form: VectorForm, short: Mapping[Scalar, Scalar], steps: Sequence[Reference]) -> tuple[int, int]:
    """Operations of the entries, and of all that they name."""
    sizes = PrintedSizes(form.program.graph, letters=True)
    formulas = [each.formula for each in form.definitions if each.formula is not None]
    rest = sum(operations(formula, sizes, short) for formula in formulas)
    rest += sizes.of_all(short[entry].ref for each in form.definitions for entry in _entries(each))
    rest += sizes.of_all(steps)
    return sum(operations(formula, sizes, short) for formula in form.entries.values()), rest


def _written(
    mechanism: Mechanism, program: Program, numbers: Sequence[Scalar], symbols: Mapping[str, Any]
) -> tuple[dict[Scalar, tuple[Any, Reference]], list[tuple[str, Any, Reference]]]:
    """What numbers are in SymPy and in the graph; large ones, as forces of tyres, in terms of steps, which come too."""
    graph = mechanism.graph
    refs = [scalar.ref for scalar in numbers]
    if PrintedSizes(graph).of_all(refs) > HOPELESS * LARGEST_CLOSED_FORM:
        names = dict(graph.names)
        graph.forget_names()
        found = named_steps(replace(program, outputs=(Output("numbers", (len(refs),), tuple(refs)),)), symbols)
        graph.names.update(names)
        steps = [step for group in found.groups for step in group.steps]
        first = len(steps)
        values, shorter = found.outputs, found.references[first:]
        listed = [(left, value, ref) for (left, value), ref in zip(steps, found.references[:first], strict=True)]
        return dict(zip(numbers, zip(values, shorter, strict=True), strict=True)), listed
    tidy = [ref for ref in refs if not has_long_numbers(graph, ref)]
    simple = dict(zip(tidy, simplify_all_trigonometric(graph, tidy, unit_coordinates(mechanism)), strict=True))
    chosen = [simple.get(ref, ref) for ref in refs]
    written = zip(to_sympy(graph, chosen, symbols), chosen, strict=True)
    return dict(zip(numbers, written, strict=True)), []


def _placed(letter: str, place: tuple[int, ...]) -> str:
    join = "" if all(k < 9 for k in place) else ","
    return f"{letter}_{join.join(str(k + 1) for k in place)}"


def _numbers(formula: Formula) -> Iterator[Scalar]:
    if isinstance(formula, Number):
        yield formula.value
    if isinstance(formula, Sum):
        yield from (factor for factor, _ in formula.terms)
    for part in parts(formula):
        yield from _numbers(part)


def _entries(definition: Definition) -> tuple[Scalar, ...]:
    """Components in rows: those of a dyad as a symmetric matrix."""
    found = definition.components
    if len(found) != 6:
        return found
    xx, yy, zz, xy, xz, yz = found
    return tuple(entry for row in symmetric_matrix((xx, yy, zz, xy, xz, yz)) for entry in row)


def _row(definition: Definition, numbers: Mapping[Scalar, Any]) -> VectorRow:
    found = _entries(definition)
    components = tuple(numbers[entry] for entry in found)
    axes = f"; in axes of {definition.axes}" if components and not definition.name.startswith("R_") else ""
    return VectorRow(
        definition.name,
        definition.formula,
        numbers,
        components,
        3 if len(components) > 3 else 1,
        f"{definition.sentence}{axes}",
    )
