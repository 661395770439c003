"""What a new format costs: one reader and one record. A chain of rods in a file of one line each is added here.

A line is ``rod NAME LENGTH MASS``: each rod hangs on the one before by a hinge about y.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mbsym
from mbsym.cli import main
from mbsym.errors import FormatError, MbsymError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.registry import FORMATS, ModelFormat
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model

TEXT = "rod upper 0.5 1.0\nrod lower 0.4 0.8\n"


def read_rods(path: Path, options: LoadOptions) -> Model:
    """The chain of a file; ``options`` are for formats that leave something open."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    end = "0"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        words = line.split()
        if len(words) != 4 or words[0] != "rod":
            raise FormatError(
                f"a line {line!r} where a rod belongs", where=f"{path}:{number}:1", remedy="write rod NAME LENGTH MASS"
            )
        _, name, length, mass = words
        about = f"{mass}*{length}**2/12"
        bodies.append(Body(name, mass, (0, 0, f"-{length}/2"), (about, about, 0, 0, 0, 0)))
        inner = bodies[-2].name if len(bodies) > 1 else "ground"
        hinge = Joint(
            f"hinge {name}", "revolute", inner, name, axis=(0, 1, 0), predecessor_placement=Placement((0, 0, end))
        )
        joints.append(hinge)
        end = f"-{length}"
    return Model(path.stem, tuple(bodies), tuple(joints))


RODS = ModelFormat("rods", "chains of rods, a line each", (".rods",), read_rods)


@pytest.fixture(autouse=True)
def rods() -> Iterator[None]:
    with FORMATS.including(RODS):
        yield


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.rods"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_it_is_the_double_pendulum(pendulum: Path) -> None:
    """The bundled example with its parameters folded in; its hinges turn the other way."""
    mine, theirs = mbsym.derive(pendulum), mbsym.derive("double_pendulum", symbolic_parameters="none")
    names = dict(zip(mine.coordinates, theirs.coordinates, strict=True))
    assert (mine.mass_matrix.subs(names) - theirs.mass_matrix).expand().is_zero_matrix


def test_every_verb_takes_it(pendulum: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", str(pendulum)]) == 0
    assert "hinge lower" in capsys.readouterr().out
    assert main(["generate", str(pendulum), "-o", str(tmp_path / "build"), "--language", "numpy"]) == 0
    assert main(["verify", str(tmp_path / "build"), "--states", "2"]) == 0
    assert main(["convert", str(pendulum), str(tmp_path / "pendulum.yaml")]) == 0
    assert mbsym.load(tmp_path / "pendulum.yaml").bodies == mbsym.load(pendulum).bodies


def test_messages_list_it(tmp_path: Path) -> None:
    (tmp_path / "a.bars").write_text(TEXT, encoding="utf-8")
    with pytest.raises(FormatError, match=r"\.rods"):
        mbsym.load(tmp_path / "a.bars")


def test_a_mistake_is_told_with_its_place(pendulum: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pendulum.write_text(TEXT + "bar third 1 1\n", encoding="utf-8")
    assert main(["label", str(pendulum)]) == 2
    assert capsys.readouterr().err.startswith(f"{pendulum}:3:1: a line 'bar third 1 1' where a rod belongs")


@given(st.integers(0, len(TEXT) - 1), st.integers(0, 6), st.text("rod 0.5-\n\0e", max_size=4))
def test_no_change_of_a_file_makes_the_reader_fail(position: int, length: int, insertion: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "a.rods"
        path.write_text(TEXT[:position] + insertion + TEXT[position + length :], encoding="utf-8")
        with contextlib.suppress(MbsymError):
            mbsym.load(path)
