"""The regressor by differentiating inverse dynamics with symbols for all parameters."""

from __future__ import annotations

from dataclasses import replace

from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.kinematics.observables import body_jacobian_columns
from mbsym.model.system import Model
from mbsym.regressors.columns import Column, of_element
from mbsym.regressors.parameters import standard_parameters, with_values
from mbsym.symbolic.compose import transplant
from mbsym.symbolic.differentiate import jacobian
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.parameter import Parameter


def with_symbols(model: Model) -> tuple[Model, tuple[str, ...]]:
    """The model with a symbol for each of its standard parameters, and their names; "" for shares, which are one."""
    taken = {*(item.name for item in model.parameters), *(item.name for item in model.inputs)}
    stem = "pi_"
    while any(name.startswith(stem) for name in taken):
        stem = f"p{stem}"
    parameters = standard_parameters(model)
    names = tuple(f"{stem}{k}" if item.kind != "share" else "" for k, item in enumerate(parameters))
    values = {item.name: name for item, name in zip(parameters, names, strict=True) if name}
    added = tuple(
        Parameter(name, item.value, item.unit, symbolic=True)
        for item, name in zip(parameters, names, strict=True)
        if name
    )
    # The numbers of the bodies are read before they are replaced.
    changed = with_values(model, values)
    return replace(changed, parameters=(*model.parameters, *added)), names


def extracted_columns(mechanism: Mechanism) -> list[Column]:
    """Columns of Y(q, v, vdot) in the mechanism's graph, in the order of ``standard_parameters``."""
    model, names = with_symbols(mechanism.model)
    asked = mechanism.symbolic_parameters
    if asked == "none":
        asked = ()
    symbols = tuple(name for name in names if name)
    other = build_mechanism(model, mechanism.labelling, asked if isinstance(asked, str) else (*asked, *symbols))
    graph, elements = other.graph, {element.name: element for element in model.forces}
    forces = TREE_FUNCTIONS["inverse_dynamics"](other)
    rows = iter(
        zip(*jacobian(graph, forces.output_references, [other.names[name].ref for name in symbols]), strict=True)
    )
    jacobians = body_jacobian_columns(other)
    entries: list[list[int]] = []
    for item in standard_parameters(mechanism.model):
        if item.kind == "share":
            column = of_element(other, elements[item.owner], jacobians)
            entries.append([column[row].ref for row in range(other.nv)])
        else:
            entries.append(list(next(rows)))
    refs = tuple(ref for column in entries for ref in column)
    found = Program("columns", graph, (), (Output("entries", (len(refs),), refs),))
    copied = iter(transplant(found, mechanism.graph).output_references)
    return [dict(enumerate(Scalar(mechanism.graph, next(copied)) for _ in column)) for column in entries]
