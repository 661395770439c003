"""What convert writes of every robot file, read again, is the same model: frames, shapes, states, limits and order.

Run this file as a script for the table of all files, with masses, bias forces and poses of all frames compared exactly,
in the field of 2^61 - 1 elements.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

import mujoco
import pytest

from mbsym.errors import FormatError, ToolchainError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.symbolic.equality import compare
from mechanisms.examples import further

ROOT = Path(mujoco.__file__).parents[1]
URDF = sorted(Path(str(file.locate())) for file in files("example-robot-data") or () if file.suffix == ".urdf")
SDF = sorted(Path(str(file.locate())) for file in files("example-robot-data") or () if file.suffix == ".sdf")
MJCF = sorted(
    path
    for folder in ("dm_control/suite", "gymnasium/envs/mujoco/assets", "mujoco/testdata")
    for path in (ROOT / folder).glob("*.xml")
)
UNREADABLE = {"alex_psyonic_hands.urdf", "ur3.urdf", "msh.xml"} | (set() if find_spec("trimesh") else {"dog.xml"})
"""Files with defects that tests of their own name."""


def written(path: Path) -> tuple[Model, Model, str]:
    """The model of a file, the model of what is written of it, and the text."""
    model = read(path)
    text = dump_native(model)
    return model, read_native(TextSource(f"{path.stem}.yaml", text)), text


def is_same(path: Path) -> bool:
    model, again, text = written(path)
    return again == model and dump_native(again) == text


@pytest.mark.parametrize(
    "paths",
    [URDF[::3], MJCF[::3], SDF, *further(URDF, MJCF)],
    ids=["some urdf", "some mjcf", "sdf", "urdf", "mjcf"],
)
def test_every_robot(paths: list[Path]) -> None:
    readable = [path for path in paths if path.name not in UNREADABLE]
    assert [path.name for path in readable if not is_same(path)] == []
    assert len(readable) >= len(paths) - 2
    for path in set(paths) - set(readable):
        with pytest.raises((FormatError, ToolchainError)):
            read(path)


def equal_functions(model: Model, again: Model) -> list[str]:
    """The functions of both that are equal for all states and motions, loops and couplings included."""
    mechanisms = [build_mechanism(each, each.label()) for each in (model, again)]
    names = ["mass_matrix", "bias_force", *(["frame_pose"] if model.frames else [])]
    functions = {**TREE_FUNCTIONS, **FRAME_FUNCTIONS}
    found = []
    for name in names:
        ours, theirs = (functions[name](mechanism.afresh()) for mechanism in mechanisms)
        found += [name] if compare(ours, theirs) else []
    return found


@pytest.mark.parametrize("name", ["panda.urdf", "cassie_v2.sdf", "quadruped.xml", *further("romeo.urdf", "dog.xml")])
def test_masses_bias_forces_and_frames_are_exactly_equal(name: str) -> None:
    if name in UNREADABLE:
        pytest.skip("masses come from files of meshes")
    (path,) = (path for path in (*URDF, *SDF, *MJCF) if path.name == name)
    model, again, _ = written(path)
    assert equal_functions(model, again) == ["mass_matrix", "bias_force", *(["frame_pose"] if model.frames else [])]
    assert "bias_force" not in equal_functions(model, replace(again, gravity=(0, 0, -9)))


def main() -> None:
    titles = ("file", "bodies", "joints", "frames", "shapes", "states", "the same model", "exactly equal")
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    for path in (*URDF, *SDF, *MJCF):
        try:
            model, again, _ = written(path)
        except FormatError as error:
            print(f"| {path.name} | {error.what} |")
            continue
        if not model.bodies:
            print(f"| {path.name} | no bodies |")
            continue
        sizes = (len(part) for part in (model.bodies, model.joints, model.frames, model.shapes, model.states))
        equal = ", ".join(equal_functions(model, again))
        print(f"| {path.name} | {' | '.join(map(str, sizes))} | {again == model} | {equal} |")


if __name__ == "__main__":
    main()
