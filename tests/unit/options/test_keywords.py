"""Functions with many options take them as keywords in one: what is listed of them is what the records say."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypedDict, Unpack

import pytest

import mbsym
from mbsym.errors import OptionError, SimulationError
from mbsym.linear.options import LinearOptions
from mbsym.option import made, options_of, takes
from mbsym.options.generation import GenerationOptions
from mbsym.simulation.options import SimulationOptions

TAKEN: dict[Callable[..., Any], tuple[type, set[str]]] = {
    mbsym.generate: (GenerationOptions, {"source", "directory", "force", "check", "progress"}),
    mbsym.export: (GenerationOptions, {"source", "consumer", "directory", "settings", "force", "progress"}),
    mbsym.simulate: (SimulationOptions, {"model", "duration", "tell", "progress"}),
    mbsym.linearise: (LinearOptions, {"model", "at", "progress"}),
    mbsym.equilibrium: (LinearOptions, {"model", "free", "at", "progress"}),
    mbsym.modes: (LinearOptions, {"model", "at", "progress"}),
    mbsym.frequency_response: (LinearOptions, {"model", "hertz", "at", "progress"}),
    mbsym.transfer_matrix_modes: (LinearOptions, {"model", "at", "progress"}),
    mbsym.transfer_matrix_system: (LinearOptions, {"model", "at", "progress"}),
}


@pytest.mark.parametrize("function", TAKEN)
def test_signature_and_help_list_each_option_of_the_records(function: Callable[..., Any]) -> None:
    kind, own = TAKEN[function]
    records = {item.name: item for item in options_of(kind)}
    text = " ".join((function.__doc__ or "").split())
    known = signature(function).parameters
    assert len(known) > len(own)
    assert all(item.kind != Parameter.VAR_KEYWORD for item in known.values())
    for name in set(known) - own:
        assert known[name].default == records[name].default, name
        said = (records[name].keyword or records[name].sentences[0]).replace("NAME=VALUE,...", "{NAME: VALUE, ...}")
        said = said.replace("SPEED=VALUE,...", "{SPEED: VALUE, ...}")
        assert f" {name}: {said.split(';')[0].split('.')[0]}" in text, name


@pytest.mark.parametrize(
    ("kind", "typed_only"),
    [(GenerationOptions, set()), (SimulationOptions, set()), (LinearOptions, {"symbols"})],
)
def test_each_option_can_be_given_in_python(kind: type, typed_only: set[str]) -> None:
    taken = {name for function, (own, _) in TAKEN.items() if own is kind for name in signature(function).parameters}
    assert {item.name for item in options_of(kind)} - taken == typed_only


class Asked(TypedDict, total=False):
    method: str
    count: int | None


@takes(LinearOptions, Asked)
def small(model: str, *places: int, **options: Unpack[Asked]) -> LinearOptions:
    """A function.

    Args:
        model: of any kind.
        places: where.
        **options: see below.
    """
    found: LinearOptions = made(LinearOptions, options)
    return found


def test_a_name_that_is_none_is_told_with_the_nearest() -> None:
    assert small("a", 1, count=3).count == 3
    assert [*signature(small).parameters] == ["model", "places", "method", "count"]
    assert "**options" not in (small.__doc__ or "")
    for name, told in (("metod", "did you mean 'method'?"), ("beams", "it has model, method, count")):
        with pytest.raises(OptionError) as caught:
            small("a", **{name: "equations"})  # type: ignore[arg-type]
        assert str(caught.value) == f"small has no argument {name!r}; {told}"


def test_a_simulation_starts_from_a_named_state_in_python_too() -> None:
    model = mbsym.load("double_pendulum")
    first, second = (joint.name for joint in model.joints)
    state = mbsym.NamedState("up", ((first, (0.5,)), (second, (0.25,))))
    model = mbsym.Model(model.name, model.bodies, model.joints, parameters=model.parameters, states=(state,))
    numpy = mbsym.Preparation("numpy")
    for initial, start in (("up", (0.5, 0.25)), (("up", f"q_{second}=0.1"), (0.5, 0.1))):
        found = mbsym.simulate(model, 0.01, initial=initial, preparation=numpy)
        assert tuple(found.q[0]) == start
    with pytest.raises(SimulationError, match=r"'down' gives no number a name.*write NAME=NUMBER or one of up"):
        mbsym.simulate(model, 0.01, initial="down", preparation=numpy)
