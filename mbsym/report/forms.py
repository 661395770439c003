"""The forms that a quantity can be written in: closed or in steps as its size is, in vectors, in steps, written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import prod
from typing import Any, Final

from mbsym.errors import DerivationError
from mbsym.records import Registry
from mbsym.report.contents import Way, asked_section, numbered_entries, report_sections, written
from mbsym.report.equations import Equations
from mbsym.report.lengths import lengths
from mbsym.report.sections import Entries, Section, StepGroup, Steps, Table
from mbsym.report.vector_form import IN_VECTORS
from mbsym.report.velocity_products import VelocityProducts

IN_WORDS: Final = (
    "Vectors are named once. O_i is where the inboard joint of body i, which has its label, stands on it, C_i its "
    "centre of mass. Components are given in axes of one body, and R_i says how these turn; x is the cross product, a "
    "dot the scalar product and what a dyad makes of a vector."
)


COUNTED: Final = (
    "Operations are + - * / and powers as they are printed, with sines and cosines as letters; a product of vectors is "
    "one. Terms are those of the outermost sums."
)


@dataclass(frozen=True, slots=True)
class QuantityForm:
    """A form that quantities can be asked for in.

    Attributes:
        name: by which it is asked for.
        sentence: what it is.
        section: of a document, with a quantity.
        data: of a quantity, for JSON.
        asks: quantities that are meant where none is named; none for the whole document.
    """

    name: str
    sentence: str
    section: Callable[[Equations, str], Section]
    data: Callable[[Equations, str], dict[str, Any]]
    asks: tuple[str, ...] = tuple(IN_VECTORS)


def _in_vectors(equations: Equations, name: str) -> Section:
    found = equations.vectors(name)
    display = equations.display(name)
    items = tuple(item for item in (found.steps, found.defined, found.entries) if item.rows)
    return Section(
        f"{name}_in_vectors",
        f"{display.title} in vectors",
        (display.sentence, IN_WORDS),
        items if found.entries.rows else (Entries(display.letter, {}),),
        found.operations,
        f"{found.operations_of_entries} operations in the entries, the others in what they are made of; equal "
        "exactly to the closed form.",
    )


def _products(equations: Equations, name: str) -> VelocityProducts:
    if name != "bias_force":
        remedy = "ask for bias_force, or leave `form` out"
        raise DerivationError(f"{name} has no form in products of speeds", remedy=remedy)
    return equations.velocity_products()


def _in_products(equations: Equations, name: str) -> Section:
    found = _products(equations, name)
    display = equations.display(name)
    item = Steps(found.steps.groups, numbered_entries(display.letter, found.steps.outputs, 1))
    told = (display.sentence, "Speeds are rates of coordinates; coefficients that are equal have one name.")
    return Section(f"{name}_in_products", f"{display.title} in products of speeds", told, (item,), found.operations)


def _products_data(equations: Equations, name: str) -> dict[str, Any]:
    found = _products(equations, name)
    entries = [[str(value)] for value in found.steps.outputs]
    return {"entries": entries, "steps": steps_data(found.steps.groups), "operations": found.operations}


def _table_of_lengths(equations: Equations, name: str) -> Section:
    rows = ((each.form, str(each.terms), str(each.operations)) for each in lengths(equations, name))
    table = Table(("form", "terms", "operations"), tuple(rows))
    return Section(f"{name}_lengths", f"{equations.display(name).title}: lengths", (COUNTED,), (table,))


def _lengths_data(equations: Equations, name: str) -> dict[str, Any]:
    return {"lengths": [asdict(each) for each in lengths(equations, name)]}


def _as_values(way: Way) -> tuple[Callable[[Equations, str], Section], Callable[[Equations, str], dict[str, Any]]]:
    """The section and the data of values that are written so."""

    def data(equations: Equations, name: str) -> dict[str, Any]:
        form, found = equations.form(name), written(equations, name, way)
        columns = prod(form.shape[1:])
        values = [str(value) for value in found.outputs]
        return {
            "entries": [values[k : k + columns] for k in range(0, len(values), columns)],
            "steps": steps_data(found.groups) if found.groups else None,
            "operations": form.operations.as_dict(),
        }

    return partial(asked_section, way=way), data


FORMS: Final = Registry(
    "form of a quantity",
    (
        QuantityForm("closed", "in closed form, in steps where that would fill pages", *_as_values("closed"), ()),
        QuantityForm(
            "vectors",
            "in dot and cross products of named vectors: M and h",
            _in_vectors,
            lambda equations, name: equations.vectors(name).as_dict(),
        ),
        QuantityForm(
            "products",
            "h in products of speeds with named coefficients",
            _in_products,
            _products_data,
            ("bias_force",),
        ),
        QuantityForm("steps", "named steps, each used as often as it is needed", *_as_values("steps")),
        QuantityForm("flat", "each entry in one formula", *_as_values("flat")),
        QuantityForm("lengths", "no form but how long each is", _table_of_lengths, _lengths_data),
    ),
    DerivationError,
)


def steps_data(groups: Sequence[StepGroup]) -> list[dict[str, str]]:
    """Named steps, for JSON."""
    return [
        {"section": group.title, "name": left, "value": str(value)} for group in groups for left, value in group.steps
    ]


def asked_sections(equations: Equations, names: Sequence[str], form: str) -> tuple[Section, ...]:
    """Quantities of these names in a form, or the whole report where nothing is asked for.

    Raises:
        DerivationError: there is no such form or quantity, or it has no such form.
    """
    known = FORMS.named(form, where="`form`")
    wanted = tuple(names) or known.asks
    if not wanted:
        return report_sections(equations)
    return tuple(known.section(equations, name) for name in wanted)
