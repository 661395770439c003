"""The sections of a report on a mechanism's equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any, Final, Literal, TypeAlias

from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.records import Registry
from mbsym.report.constraint_force_sections import constraint_force_sections
from mbsym.report.equations import LARGEST_WRITTEN_OUT, Equations, size_in_words
from mbsym.report.kane_sections import kane_sections
from mbsym.report.lagrange_sections import lagrange_sections
from mbsym.report.sections import Entries, Equation, NamedMatrix, Section, Steps, Table
from mbsym.report.steps import NamedSteps, named_steps
from mbsym.report.transfer_matrix_sections import transfer_matrix_sections
from mbsym.report.vector_form import IN_VECTORS
from mbsym.symbolic.show import show_number

Way: TypeAlias = Literal["closed", "steps", "flat"]
"""How values are written: in closed form or in steps as their size is, in steps, or each in one formula."""

TOO_LARGE: Final = (
    "The closed form would fill pages, so the steps that compute it are listed instead, with names for what is "
    "used more than once."
)

OF_RECURSION: Final = (
    "This is the closed form of the recursive derivation, to which the formulation's own is equal exactly: that one "
    "would fill pages."
)

OF_TREES: Final = Equation(
    "M(q) vdot + h(q, v) = tau",
    r"M(q)\,\dot v + h(q, v) = \tau",
    "<mi>M</mi><mo>(</mo><mi>q</mi><mo>)</mo><mspace width='0.2em'/>"
    "<mover><mi>v</mi><mo>&#x2D9;</mo></mover><mo>+</mo>"
    "<mi>h</mi><mo>(</mo><mi>q</mi><mo>,</mo><mi>v</mi><mo>)</mo><mo>=</mo><mi>τ</mi>",
)

OF_LOOPS: Final = Equation(
    "M(q) vdot + h(q, v) = tau + G(q)^T lambda,  G(q) vdot = gamma(q, v)",
    r"M(q)\,\dot v + h(q, v) = \tau + G(q)^{\mathsf T} \lambda, \qquad G(q)\,\dot v = \gamma(q, v)",
    OF_TREES.mathml + "<mo>+</mo><msup><mi>G</mi><mi mathvariant='normal'>T</mi></msup><mi>λ</mi><mo>,</mo>"
    "<mspace width='1.5em'/><mi>G</mi><mover><mi>v</mi><mo>&#x2D9;</mo></mover><mo>=</mo>"
    "<mi>γ</mi><mo>(</mo><mi>q</mi><mo>,</mo><mi>v</mi><mo>)</mo>",
)


def report_title(equations: Equations) -> str:
    """The heading of a report."""
    return f"{equations.mechanism.model.name}: equations of motion ({equations.formulation})"


def equation_of_motion(equations: Equations) -> Equation:
    """With the forces of the closed loops where there are any, whether or not anything is said of them."""
    return OF_LOOPS if equations.is_closed else OF_TREES


def report_sections(equations: Equations) -> tuple[Section, ...]:
    """Topology, equations, all quantities in closed form or steps, what the formulation adds, operation counts.

    Raises:
        DerivationError: the formulation does not cover the mechanism.
    """
    path = Section(
        "path_matrix",
        "Path matrix T",
        items=(NamedMatrix("", equations.path_matrix),),
        remark="-1 where the joint of the row is on the way from ground to the body of the column.",
    )
    motion = Section(
        "equations",
        "Equations of motion",
        tuple(f"{sentence}." for sentence in equations.loop_sentences),
        (equation_of_motion(equations),),
        remark="Numbers of more than twelve digits are rounded to them; the JSON document has them exactly.",
    )
    quantities = tuple(quantity_section(equations, name) for name in equations.names)
    return (path, motion, *_parameters(equations), *quantities, *formulation_sections(equations), _counts(equations))


def written(equations: Equations, name: str, way: Way = "closed") -> NamedSteps:
    """A quantity as documents write it: its values, perhaps in terms of steps.

    Args:
        equations: whose it is.
        name: of the quantity.
        way: "closed", in terms of steps where the closed form would fill pages; "steps"; "flat", without steps.

    Raises:
        DerivationError: it is flat, and would be a megabyte and more.
    """
    form = equations.form(name)
    if way == "steps":
        return named_steps(form.shortest_program, equations.symbols)
    size = equations.written_out(name)
    if way == "flat" and size > LARGEST_WRITTEN_OUT:
        vectors = (
            f"{equations.vectors(name).operations} operations in `form vectors`, or " if name in IN_VECTORS else ""
        )
        raise DerivationError(
            f"{name} written out has {size_in_words(size)}",
            where=equations.mechanism.model.name,
            remedy=f"take {vectors}{form.operations.arithmetic} operations in `form steps`",
        )
    if form.is_expanded or way == "flat":
        return NamedSteps((), tuple(equations.matrix(name)), form.references or form.program.outputs[0].values)
    return named_steps(form.program, equations.symbols)


def asked_section(equations: Equations, name: str, way: Way = "closed") -> Section:
    """A quantity that was asked for by its name: the same with its size and its source."""
    section = quantity_section(equations, name, way)
    shape = " x ".join(map(str, equations.form(name).shape)) or "a scalar"
    size = size_in_words(equations.written_out(name))
    told = (f"Written out it would have {size}.",) if isinstance(section.items[0], Steps) else ()
    if equations.display(name).symmetric:
        told = ("Entries below the diagonal are those above it.", *told)
    told = (*told, *equations.told(name))
    own = equations.quantity(name)
    remark = f"{shape}; source: {own.source}." if own is not None else f"{shape}."
    return replace(section, sentences=(*section.sentences, *told), remark=remark)


def quantity_section(equations: Equations, name: str, way: Way = "closed") -> Section:
    """One quantity in closed form, or as steps."""
    form = equations.form(name)
    display, found = equations.display(name), written(equations, name, way)
    sentences = [display.sentence]
    columns = prod(form.shape[1:])
    entries = numbered_entries(form.symbol, found.outputs, columns, display.symmetric)
    if form.is_of_recursion:
        sentences.append(OF_RECURSION)
    if way == "closed" and not form.is_expanded:
        sentences.append(TOO_LARGE)
    item = Steps(found.groups, entries) if found.groups else entries
    operations = equations.written_out(name) if way == "flat" else form.operations.arithmetic
    return Section(name, display.title, tuple(sentences), (item,), operations)


def numbered_entries(letter: str, values: Sequence[Any], columns: int, symmetric: bool = False) -> Entries:
    """Values, row-major, by their places; those that are zero, or below the diagonal of what is symmetric, left out."""
    places: dict[tuple[int, ...], Any] = {}
    for k, value in enumerate(values):
        row, column = divmod(k, columns)
        if value != 0 and not (symmetric and column < row):
            places[(row + 1,) if columns == 1 else (row + 1, column + 1)] = value
    return Entries(letter, places)


@dataclass(frozen=True, slots=True)
class FormulationSections:
    """What the formulation of that name has to show besides the equations."""

    name: str
    sections: Callable[[Mechanism], tuple[Section, ...]]


FORMULATION_SECTIONS: Final = Registry(
    "section of a formulation",
    (
        FormulationSections("kane", kane_sections),
        FormulationSections("lagrange", lagrange_sections),
        *(
            FormulationSections(name, partial(constraint_force_sections, formulation=name))
            for name in ("cfa", "cfa-elimination", "cfa-serial", "cfa-kkt")
        ),
        FormulationSections("transfer-matrix", transfer_matrix_sections),
    ),
    DerivationError,
)
"""Formulations without a record here show the equations alone."""


def formulation_sections(equations: Equations) -> tuple[Section, ...]:
    """What a formulation has to show besides the equations."""
    own = FORMULATION_SECTIONS.get(equations.formulation)
    return own.sections(equations.mechanism) if own is not None else ()


def _parameters(equations: Equations) -> tuple[Section, ...]:
    rows = tuple((item.name, show_number(item.default), item.unit) for item in equations.mechanism.parameters)
    table = Table(("name", "value", "unit"), rows, symbols=(0,))
    return (Section("parameters", "Parameters", items=(table,)),) if rows else ()


def _counts(equations: Equations) -> Section:
    counts = equations.operation_counts()
    rows = tuple((name, str(count.arithmetic), str(count.sincos)) for name, count in counts.items())
    table = Table(("function", "+ - * /", "sin, cos pairs"), rows)
    return Section("operations", "Operations of the generated functions", items=(table,))
