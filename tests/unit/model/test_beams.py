"""Elastic beams as bars, hinges and springs: in files, in Python, in all formulations, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import FormatError, ModelError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.beam import Beam
from mbsym.model.beams_of_models import with_beams, without_beams
from mbsym.model.body import Body
from mbsym.model.own_units import Units, in_units
from mbsym.model.system import Model
from mbsym.model.validate import require_valid

FILE = """name: crane
parameters:
  EI: {value: 2.5, unit: N m^2, symbolic: true}
bodies:
  load: {mass: 0.3}
beams:
  boom:
    from: ground
    to: load
    length: 1.2
    mass: 0.6
    bending_stiffness: [EI, 2*EI]
    bends: both
    damping: 0.001
    segments: 2
    at: [0, 0, 1]
    at_tip: [0.1, 0, 0]
"""


def read(text: str) -> Model:
    return read_native(TextSource("crane.yaml", text))


def test_a_beam_is_bars_with_hinges_where_the_ends_count_least() -> None:
    """Hinges at 20/89 and 69/89 of the length: 49/89 from each other, 20/49 of that from ends that are held."""
    model = read(FILE)
    bars = {body.name: body for body in model.bodies}
    joints = {joint.name: joint for joint in model.joints}
    assert list(bars) == ["load", "boom_0", "boom_1", "boom_2"]
    share, whole = Fraction(20, 89), Fraction(49, 89)
    assert [bars[f"boom_{k}"].mass for k in range(3)] == [part * Fraction(3, 5) for part in (share, whole, share)]
    assert bars["boom_1"].inertia[2] == whole**3 * Fraction(3, 5) * Fraction(6, 5) ** 2 / 12
    assert list(joints) == ["boom_root", "boom_1", "boom_2", "boom_tip"]
    places = [joint.predecessor_placement.translation[0] for joint in model.joints]
    assert places == [0, share * Fraction(6, 5), whole * Fraction(6, 5), share * Fraction(6, 5)]
    assert {joints[name].type for name in ("boom_1", "boom_2")} == {"universal"}
    springs = {force.name: force for force in model.forces}
    # Each stands for a half of the beam.
    assert springs["boom_1_y_spring"].stiffness == "((EI)*2)*5/6"  # type: ignore[attr-defined]
    assert len(springs) == 8


def test_free_ends_and_lumped_masses_have_hinges_in_the_middle() -> None:
    free = with_beams(Model("m"), [Beam("b", "ground", 1, 1, (1,), segments=3)])
    assert [body.mass for body in free.bodies] == [Fraction(part, 285) for part in (40, 98, 98, 49)]
    lumped = with_beams(Model("m"), [Beam("b", "ground", 1, 1, (1,), segments=3, lumped=True)])
    assert [body.mass for body in lumped.bodies] == [Fraction(part, 6) for part in (1, 2, 2, 1)]
    single = with_beams(Model("m", (Body("e", 1),)), [Beam("b", "ground", 1, 1, (1,), tip="e", segments=1)])
    assert [body.mass for body in single.bodies] == [1, Fraction(1, 2), Fraction(1, 2)]


def test_a_static_load_bends_the_bars_as_it_bends_the_beam() -> None:
    """F L^3 / (3 EI) for a small force, but for a part that falls with the cube of the segments."""
    force = "forces:\n  w: {type: applied_wrench, body: load, force: [0, 1e-4, 0], point: [0.1, 0, 0]}\n"
    text = FILE.replace("name: crane", "name: crane\ngravity: [0, 0, 0]") + force
    text = text.replace("bends: both", "bends: z").replace("[EI, 2*EI]", "EI")
    losses = []
    for segments in (4, 8, 16):
        model = read(text.replace("segments: 2", f"segments: {segments}"))
        angles = np.cumsum(mbsym.equilibrium(model)[0].q)
        bars = 1.2 * np.array([49.0] * (segments - 1) + [20.0]) / (49 * segments - 9)
        losses.append(1 - float(bars @ np.sin(angles)) / (1e-4 * 1.2**3 / (3 * 2.5)))
    assert losses[-1] < 3e-4
    assert all(7 < a / b < 9 for a, b in pairwise(losses))


def test_what_stretches_and_twists_is_a_joint_before_each_hinge() -> None:
    """Cylindrical where it does both, a slide or a turn where it does one, of stiffness k n/L."""
    for given, kind in (
        ({"axial_stiffness": 6}, "prismatic"),
        ({"torsional_stiffness": 8, "torsional_inertia": "0.3"}, "revolute"),
        ({"axial_stiffness": 6, "torsional_stiffness": 8, "torsional_inertia": "0.3"}, "cylindrical"),
    ):
        beam = Beam("b", "ground", 2, 1, (1,), segments=2, tip="e", damping="0.01", **given)  # type: ignore[arg-type]
        model = with_beams(Model("m", (Body("e", 1),)), [beam])
        joints = {joint.name: joint for joint in model.joints}
        assert joints["b_2_x"].type == kind and (joints["b_2_x"].predecessor, joints["b_2"].predecessor) == (
            "b_1",
            "b_2_x",
        )
        springs = {force.name: force for force in model.forces}
        stiffness = [springs[f"b_1_x_{line}_spring"].stiffness for line in beam.lines]  # type: ignore[attr-defined]
        assert stiffness == [{"stretch": 6, "twist": 8}[line] for line in beam.lines]
        assert [springs[f"b_1_x_{line}_spring"].index for line in beam.lines] == [*range(len(beam.lines))]  # type: ignore[attr-defined]
        assert sum(body.inertia[0] for body in model.bodies) == (Fraction(3, 10) if "twist" in beam.lines else 0)
        assert model.label().cut_joints == ()
        assert require_valid(model) == ()
        assert read_native(TextSource("m.yaml", dump_native(model))) == model


def test_a_model_with_beams_is_written_with_them_and_read_back() -> None:
    model = read(FILE)
    text = dump_native(model)
    assert "boom_1" not in text
    assert read(text) == model
    assert without_beams(model).beams == ()
    assert len(without_beams(model).bodies) == 1
    other = mbsym.Model("crane", bodies=(mbsym.Body("load", 0.3),), parameters=model.parameters)
    beam = Beam("boom", "ground", "1.2", "0.6", ("EI", "2*EI"), "both", "load", "0.001", 2, (0, 0, 1), ("0.1", 0, 0))  # type: ignore[arg-type]
    assert with_beams(other, [beam]).joints == model.joints


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("length: 1.2", "length: -1", "crane.yaml:10:13", "the length of beam 'boom' is -1"),
        ("mass: 0.6", "mass: 0", "crane.yaml:11:11", "the mass of beam 'boom' is 0"),
        ("damping: 0.001", "damping: -1", "crane.yaml:14:14", "the damping of beam 'boom' is -1"),
        ("damping: 0.001", "axial_stiffness: 0", "crane.yaml:14:22", "the axial stiffness of beam 'boom' is 0"),
        ("damping: 0.001", "torsional_stiffness: 1", "crane.yaml:7:3", "a torsional stiffness and a torsional inertia"),
        ("damping: 0.001", "axial_stiffness: 1\n    modes: 2", "crane.yaml:7:3", "with modes does not stretch"),
        (
            "to: load",
            "to: ground\n    at_tip: [0, 0, 1]",
            "crane.yaml:7:3",
            "both its ends are at the same place of ground",
        ),
        ("    length: 1.2\n", "", "crane.yaml:7:3", "the entry 'length' is missing"),
        ("    mass: 0.6\n", "", "crane.yaml:7:3", "the entry 'mass' is missing"),
        ("    bending_stiffness: [EI, 2*EI]\n", "", "crane.yaml:7:3", "the entry 'bending_stiffness' is missing"),
        ("[EI, 2*EI]", "[EI, -2*EI]", "crane.yaml:12:29", "a bending stiffness of beam 'boom' is -5"),
        ("to: load", "to: cargo", "crane.yaml:7:3", "refers to body 'cargo', which does not exist"),
        ("segments: 2", "segments: 0", "crane.yaml:7:3", "0 segments"),
        ("bends: both", "bends: z", "crane.yaml:7:3", "2 bending stiffnesses"),
        ("bends: both", "bends: w", "crane.yaml:13:12", "'w' is not known here"),
        ("[EI, 2*EI]", "[EI, ET]", "crane.yaml:12:29", "ET"),
    ],
)
def test_what_is_wrong_with_a_beam_is_told_with_its_place(old: str, new: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        text = FILE.replace("    at_tip: [0.1, 0, 0]\n", "") if "at_tip" in new else FILE
        read(text.replace(f"    {old}", f"    {new}", 1) if f"    {old}" in text else text.replace(old, new, 1))
    assert place in str(caught.value)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_beams_of_one_name_are_refused() -> None:
    beam = Beam("b", "ground", 1, 1, (1,))
    with pytest.raises(ModelError, match="two beams are named 'b'"):
        with_beams(Model("m"), [beam, beam])


def test_no_unit_parts_a_beam() -> None:
    """A certificate labels the mechanism in units of its own size: cut inside a beam it is another mechanism."""
    frame = read(
        "name: portal\nbodies: {a: {}, e: {}}\njoints: {base: {type: fixed, from: ground, to: e, at: [1.2, 0, 1]}}\n"
        "beams:\n"
        "  x: {from: ground, to: a, at: [0, 0, 1], length: 0.6, mass: 1, bending_stiffness: 1, segments: 2}\n"
        "  y: {from: a, to: e, length: 0.6, mass: 1, bending_stiffness: 1, segments: 2}\n"
    )
    other = in_units(frame, Units(Fraction(1, 1000), Fraction(1000), Fraction(1, 1000)))
    assert other.label().joint_labels == frame.label().joint_labels
    assert other.beams[0].length == 600 and without_beams(other).bodies == other.bodies[:2]


def test_the_transfer_matrix_stepping_takes_a_beam_as_the_ordinary_methods_do() -> None:
    """A beam let go from a bend: second-order steps come to the other motion with the square of the step."""
    model = read(
        "name: rod\ngravity: [0, -9.81, 0]\nbeams:\n  b: {from: ground, length: 1, mass: 0.5, bending_stiffness: 1, "
        "segments: 2}\n"
    )
    here = mbsym.Preparation("numpy")
    end = mbsym.simulate(model, 0.1, output_step=0.1, preparation=here).q[-1]
    errors = []
    for step in (4e-3, 2e-3):
        other = mbsym.simulate(model, 0.1, method="transfer-matrix", step=step, output_step=0.1, preparation=here)
        errors.append(np.abs(other.q[-1] - end).max())
    assert errors[0] < 1e-2
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_the_command_tells_frequencies_of_beams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "beam.yaml"
    path.write_text(
        "name: beam\ngravity: [0, 0, 0]\nbeams:\n"
        "  b: {from: ground, length: 1, mass: 1, bending_stiffness: 1, segments: 2}\n"
    )
    line = ["modes", str(path), "--method", "transfer-matrix", "--count", "2"]
    assert main([*line, "--json"]) == 0
    modes = json.loads(capsys.readouterr().out)["modes"]
    assert modes[0]["rad/s"] == pytest.approx(1.8751040687119611**2, rel=1e-11)
    assert main(line) == 0
    assert "beams exact" in capsys.readouterr().out
    for wrong, word in (
        (["--beams", "exact"], "--beams means nothing"),
        (["--method", "magic"], "no method is called 'magic'"),
        (["--method", "transfer-matrix", "--beams", "soft"], "beams cannot be 'soft'"),
        (["--method", "transfer-matrix", "--count", "0"], "--count: 0 modes"),
        (["--method", "transfer-matrix", "--page", "a.htm"], "a.htm"),
        (["--method", "transfer-matrix", "--tau", "v_b_1=1"], "--tau means nothing to transfer matrices"),
    ):
        assert main(["modes", str(path), *wrong]) == 2
        assert word in capsys.readouterr().err


def test_the_example_is_the_model_of_the_page() -> None:
    root = Path(__file__).resolve().parents[3]
    text = (root / "examples" / "vibration" / "satellite.yaml").read_text(encoding="utf-8")
    assert f"```yaml\n{text}```" in (root / "docs" / "vibration.md").read_text(encoding="utf-8")
