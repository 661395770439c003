"""The report as one JSON document; expressions are exact, in Python syntax."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mbsym.report.contents import equation_of_motion, formulation_sections
from mbsym.report.equations import Equations
from mbsym.report.forms import FORMS, steps_data
from mbsym.report.sections import Entries, Equation, NamedMatrix, Pattern, Section, Steps
from mbsym.symbolic.show import show_number
from mbsym.topology.tables import labelling_to_json
from mbsym.version import __version__


def json_document(equations: Equations, names: Sequence[str] = (), form: str = "closed") -> str:
    """Labelling, symbols, matrices as rows of expressions, what the formulation adds, operation counts.

    Where a closed form would fill pages, ``steps`` lists named values in order of computation and ``entries`` are in
    terms of them. Where there are names, quantities of these stand alone.
    """
    content = {"mbsym": __version__, **equations_data(equations, names, form)}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def equations_data(equations: Equations, names: Sequence[str] = (), form: str = "closed") -> dict[str, Any]:
    """The same as lists and dictionaries."""
    mechanism = equations.mechanism
    wanted = tuple(names) or FORMS.named(form, where="`form`").asks
    return {
        "name": mechanism.model.name,
        "formulation": equations.formulation,
        "labelling": labelling_to_json(mechanism.labelling, mechanism.model.name),
        **{letter: [str(x) for x in column] for letter, column in equations.columns.items()},
        "parameters": [
            {"name": item.name, "value": show_number(item.default), "unit": item.unit} for item in mechanism.parameters
        ],
        "equation": equation_of_motion(equations).text,
        "loops": list(equations.loop_sentences),
        "quantities": {name: _quantity(equations, name, form) for name in wanted or equations.names},
        "own_quantities": {
            name: {"description": own.sentence, "shape": list(own.shape), "source": own.source}
            for name, own in equations.quantities.items()
        },
        **({} if wanted else _besides(equations)),
    }


def _besides(equations: Equations) -> dict[str, Any]:
    return {
        "sections": [_section(section) for section in formulation_sections(equations)],
        "operations": {name: count.as_dict() for name, count in equations.operation_counts().items()},
    }


def _quantity(equations: Equations, name: str, form: str) -> dict[str, Any]:
    return {
        "description": " ".join((equations.display(name).sentence, *equations.told(name))),
        "shape": list(equations.form(name).shape),
        **FORMS.named(form, where="`form`").data(equations, name),
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "key": section.key,
        "title": section.title,
        "sentences": list(section.sentences),
        "items": [_item(item) for item in section.items],
    }


def _item(item: Any) -> dict[str, Any]:
    if isinstance(item, Equation):
        return {"equation": item.text}
    if isinstance(item, Entries):
        return {
            "letter": item.letter,
            "entries": {",".join(map(str, k)): str(value) for k, value in item.values.items()},
        }
    if isinstance(item, NamedMatrix):
        rows = item.value.tolist() if hasattr(item.value, "tolist") else None
        return {
            "name": item.name,
            "value": str(item.value) if rows is None else [[str(x) for x in row] for row in rows],
        }
    if isinstance(item, Pattern):
        cells = [[i + 1, j + 1, text] for (i, j), text in item.cells.items()]
        return {"name": item.name, "rows": list(item.rows), "columns": list(item.columns), "blocks": cells}
    if isinstance(item, Steps):
        return {"steps": steps_data(item.groups), **_item(item.entries)}
    return {"header": list(item.header), "rows": [list(row) for row in item.rows]}
