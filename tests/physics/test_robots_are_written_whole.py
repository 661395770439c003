"""What convert writes of every robot file, read again, is the same model: frames, shapes, states, limits and order."""

from __future__ import annotations

from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

import mujoco
import pytest

from mbsym.errors import FormatError, ToolchainError
from mbsym.formats.native import read_native
from mbsym.formats.native_text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.pipeline import read

ROOT = Path(mujoco.__file__).parents[1]
URDF = sorted(Path(str(file.locate())) for file in files("example-robot-data") or () if file.suffix == ".urdf")
SDF = sorted(Path(str(file.locate())) for file in files("example-robot-data") or () if file.suffix == ".sdf")
MJCF = sorted(
    path for folder in ("dm_control/suite", "gymnasium/envs/mujoco/assets") for path in (ROOT / folder).glob("*.xml")
)
UNREADABLE = {"alex_psyonic_hands.urdf", "ur3.urdf"} | (set() if find_spec("trimesh") else {"dog.xml"})
"""Files with defects that tests of their own name."""


def is_same(path: Path) -> bool:
    model = read(path)
    text = dump_native(model)
    again = read_native(TextSource(f"{path.stem}.yaml", text))
    return again == model and dump_native(again) == text


@pytest.mark.parametrize("paths", [URDF, MJCF, SDF], ids=["urdf", "mjcf", "sdf"])
def test_every_robot(paths: list[Path]) -> None:
    readable = [path for path in paths if path.name not in UNREADABLE]
    assert [path.name for path in readable if not is_same(path)] == []
    assert len(readable) >= len(paths) - 2
    for path in set(paths) - set(readable):
        with pytest.raises((FormatError, ToolchainError)):
            read(path)
