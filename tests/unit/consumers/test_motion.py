"""What consumers list: names, units and starts of all that a module reads and moves, in the order of its arrays."""

from __future__ import annotations

import pytest

from mbsym import examples
from mbsym.consumers.consumer import ExportOptions
from mbsym.consumers.export import export_files
from mbsym.consumers.motion import motion_fields, quantities
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource

CRANE = """name: crane
parameters: {m: {value: 2.5, unit: kg, symbolic: true}, v_lift_2: {value: 7, symbolic: true}}
inputs: {pull: {unit: N}, time_2: {unit: V}}
bodies:
  boom: {mass: m, inertia: [1, 2, 3]}
  load: {mass: v_lift_2, inertia: [1, 1, 1]}
joints:
  lift: {type: prismatic, from: boom, to: load, axis: z, initial: 0.4, speeds: [rate]}
  turn: {type: revolute, from: ground, to: boom, axis: z, initial: -0.3}
forces:
  hoist: {type: actuator, joint: lift, input: pull}
  motor: {type: actuator, joint: turn, input: time_2}
"""


def test_names_units_and_starts() -> None:
    exported, _ = export_files(read_native(TextSource("crane.yaml", CRANE)), "fmu", ExportOptions())
    found = quantities(exported)
    assert [(item.name, item.unit, item.start, item.sentence) for item in found.parameters] == [
        ("m", "kg", 2.5, "run-time parameter"), ("v_lift_2", "", 7.0, "run-time parameter")
    ]  # fmt: skip
    assert [(item.name, item.unit, item.start) for item in found.inputs] == [("pull", "N", 0.0), ("time_2", "V", 0.0)]
    assert [(item.name, item.unit, item.start, item.sentence) for item in found.coordinates] == [
        ("q_lift", "m", 0.4, "coordinate of lift"), ("q_turn", "rad", -0.3, "coordinate of turn")
    ]  # fmt: skip
    assert [(item.name, item.unit, item.start, item.sentence) for item in found.speeds] == [
        ("rate", "m/s", 0.0, "speed of lift"), ("v_turn", "rad/s", 0.0, "speed of turn")
    ]  # fmt: skip
    assert [(item.name, item.unit, item.start, item.sentence) for item in found.forces] == [
        ("tau_rate", "N", 0.0, "force at lift"), ("tau_turn", "N m", 0.0, "force at turn")
    ]  # fmt: skip


def test_names_are_unique_among_all() -> None:
    text = CRANE.replace("speeds: [rate]", "speeds: [tau_v_turn]").replace("time_2", "tau_turn")
    exported, _ = export_files(read_native(TextSource("crane.yaml", text)), "fmu", ExportOptions())
    found = quantities(exported)
    everything = (*found.parameters, *found.inputs, *found.forces, *found.coordinates, *found.speeds)
    names = [item.name for item in everything]
    assert len(set(names)) == len(names) and "tau_turn_2" in names and "time" not in names


@pytest.mark.parametrize(("model", "fails"), [("four_bar", True), ("puma560", False)])
def test_consumers_know_whether_the_dynamics_can_fail(model: str, fails: bool) -> None:
    """A template that is told no would go on with what a singular position leaves."""
    exported, _ = export_files(examples.load(model), "fmu", ExportOptions())
    found = motion_fields(exported)
    assert (found["dynamics_fail"], bool(found["position"])) == (fails, fails)
