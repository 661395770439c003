"""Elastic beams as bars, hinges and springs: in files, in Python, in all formulations, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
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
from mbsym.model.own_units import Units, in_units
from mbsym.model.system import Model

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


def test_a_beam_is_bars_with_hinges_in_the_middle_of_its_pieces() -> None:
    model = read(FILE)
    bars = {body.name: body for body in model.bodies}
    joints = {joint.name: joint for joint in model.joints}
    assert list(bars) == ["load", "boom_0", "boom_1", "boom_2"]
    masses = [bars[name].mass for name in ("boom_0", "boom_1", "boom_2")]
    assert masses == [Fraction(3, 20), Fraction(3, 10), Fraction(3, 20)]
    assert bars["boom_1"].inertia[2] == Fraction(3, 10) * Fraction(6, 10) ** 2 / 12
    assert list(joints) == ["boom_root", "boom_1", "boom_2", "boom_tip"]
    places = [joint.predecessor_placement.translation[0] for joint in model.joints]
    assert places == [0, Fraction(3, 10), Fraction(3, 5), Fraction(3, 10)]
    assert {joints[name].type for name in ("boom_1", "boom_2")} == {"universal"}
    springs = {force.name: force for force in model.forces}
    assert springs["boom_1_y_spring"].stiffness == "((EI)*2)*5/6"  # type: ignore[attr-defined]
    assert len(springs) == 8


def test_a_static_load_bends_the_bars_as_it_bends_the_beam() -> None:
    """F L^3 / (3 EI) but for 1 - 1/(4 n^2), the midpoint rule's share, for a small force."""
    force = "forces:\n  w: {type: applied_wrench, body: load, force: [0, 1e-4, 0], point: [0.1, 0, 0]}\n"
    text = FILE.replace("name: crane", "name: crane\ngravity: [0, 0, 0]") + force
    found = mbsym.equilibrium(read(text.replace("bends: both", "bends: z").replace("[EI, 2*EI]", "EI")))[0]
    angles = found.q
    # The tip is three bars out: the last two turn by one and by both hinges.
    deflection = 0.6 * np.sin(angles[0]) + 0.3 * np.sin(angles.sum())
    assert deflection == pytest.approx(1e-4 * 1.2**3 / (3 * 2.5) * (1 - 1 / 16), rel=1e-6)


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
        ("to: load", "to: cargo", "crane.yaml:7:3", "refers to body 'cargo', which does not exist"),
        ("segments: 2", "segments: 0", "crane.yaml:7:3", "0 segments"),
        ("bends: both", "bends: z", "crane.yaml:7:3", "2 bending stiffnesses"),
        ("bends: both", "bends: w", "crane.yaml:13:12", "'w' is not known here"),
        ("[EI, 2*EI]", "[EI, ET]", "crane.yaml:12:29", "ET"),
    ],
)
def test_what_is_wrong_with_a_beam_is_told_with_its_place(old: str, new: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(FILE.replace(old, new, 1) if old != "mass: 0.6" else FILE.replace("    mass: 0.6", "    mass: 0"))
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
