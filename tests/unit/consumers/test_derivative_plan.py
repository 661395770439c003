"""Where the derivatives of a function are taken from: the shortest source that has them."""

from __future__ import annotations

import pytest

from mbsym import examples
from mbsym.consumers.derivative_plan import DerivativePlan, derivative_plan
from mbsym.pipeline import GenerationOptions, express
from mbsym.registry import available_functions


def plan(model: str, function: str) -> DerivativePlan:
    mechanism = express(examples.load(model), GenerationOptions())
    return derivative_plan(mechanism, available_functions(mechanism, "auto"), function)


@pytest.mark.parametrize(
    ("function", "result", "sources"),
    [
        ("forward_dynamics", "vdot", [("forward_dynamics_derivatives", f"dvdot_d{x}") for x in ("q", "v", "tau")]),
        (
            "inverse_dynamics",
            "tau",
            [("inverse_dynamics_derivatives", "dtau_dq"), ("inverse_dynamics_derivatives", "dtau_dv")],
        ),
    ],
)
def test_trees_have_recursions(function: str, result: str, sources: list[tuple[str, str]]) -> None:
    """What recursions do not have, parameters and inputs, is differentiated formally, and it alone."""
    found = plan("cart_pole", function)
    names = ("q", "v", "tau" if function == "forward_dynamics" else "vdot")
    assert [found.sources[result, name] for name in names][: len(sources)] == sources
    (request,) = found.requests
    assert request.names == ("t", "u", "m_cart", "m_pole", "l", "d")
    assert all(found.sources[result, name] == (request.name, f"d{result}_d{name}") for name in request.names)
    assert plan("puma560", function).requests == ()


def test_closed_loops_have_what_their_solver_differentiates() -> None:
    found = plan("four_bar", "forward_dynamics")
    assert found.functions == ("constrained_dynamics_derivatives",) and found.requests == ()
    held = plan("four_bar", "constrained_dynamics")
    wanted = {(result, name) for result in ("vdot", "lambda") for name in ("q", "v", "tau")}
    assert held.sources == {pair: (found.functions[0], f"d{pair[0]}_d{pair[1]}") for pair in wanted}
    assert plan("five_bar", "forward_dynamics").refusal == "with closed loops it has no derivatives by t, u"
    assert plan("four_bar", "project_position").refusal == "it iterates"
