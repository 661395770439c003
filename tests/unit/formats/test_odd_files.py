"""Files that are no ordinary ones end politely, and so do those that are large, deep or written elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mbsym.errors import FormatError
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.mjcf.reader import LONGEST_STEM
from mbsym.formats.registry import load
from mbsym.formats.text_source import LARGEST, TextSource
from mbsym.formats.yaml_document import read_yaml

SUFFIXES = (".yaml", ".urdf", ".xml")
PENDULUM = """name: pendulum
bodies:
  rod: {mass: 1, inertia: [1, 1, 1]}
joints:
  pin: [revolute, ground, rod]
"""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_pipe_is_not_waited_for(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    with pytest.raises(FormatError, match="no ordinary file"):
        load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/random"])
def test_a_device_is_not_read(device: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"device{suffix}"
    path.symlink_to(device)
    with pytest.raises(FormatError, match="no ordinary file"):
        load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_directory_a_dangling_link_and_a_link_to_itself(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"directory{suffix}").mkdir()
    (tmp_path / f"dangling{suffix}").symlink_to(tmp_path / "nothing")
    (tmp_path / f"itself{suffix}").symlink_to(tmp_path / f"itself{suffix}")
    for name in ("directory", "dangling", "itself", "absent"):
        with pytest.raises(FormatError, match="cannot be read") as caught:
            load(tmp_path / f"{name}{suffix}")
        assert caught.value.where.endswith(f"{name}{suffix}:1:1")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_other_encodings_are_refused(suffix: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / f"other{suffix}"
    path.write_bytes(PENDULUM.encode(encoding))
    with pytest.raises(FormatError) as caught:
        load(path)
    assert caught.value.where.startswith(f"{path}:")


def test_a_byte_order_mark_and_the_line_ends_of_others_mean_nothing(tmp_path: Path) -> None:
    plain, marked, ends = (tmp_path / f"{name}.yaml" for name in ("plain", "marked", "ends"))
    plain.write_bytes(PENDULUM.encode())
    marked.write_bytes(PENDULUM.encode("utf-8-sig"))
    ends.write_bytes(PENDULUM.replace("\n", "\r\n").encode())
    assert load(plain) == load(marked) == load(ends)
    ends.write_bytes(PENDULUM.replace("\n", "\r\n").replace("mass: 1", "mass: x").encode())
    with pytest.raises(FormatError) as caught:
        load(ends)
    assert caught.value.where == f"{ends}:3:15"


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(PENDULUM.encode() + b"# " + b"x" * LARGEST)
    with pytest.raises(FormatError, match="more than 32 MB"):
        load(path)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 3000,
        "{a: " * 3000,
        "".join(f"{' ' * depth}a:\n" for depth in range(1000)),
        "- " * 3000,
        "a: &a [*a]",
        "a: &a {b: *a}",
    ],
)
def test_deep_and_endless_yaml(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_yaml(TextSource("x.yaml", text))
    assert caught.value.where.startswith("x.yaml:")
    assert caught.value.remedy


def nested(depth: int) -> str:
    body = '<body pos="0 0 1"><joint axis="0 1 0"/><geom size="0.1"/>\n'
    return "<mujoco><worldbody>\n" + body * depth + "</body>" * depth + "</worldbody></mujoco>"


def test_bodies_without_names_may_be_deep() -> None:
    model = read_mjcf(TextSource("deep.xml", nested(300)))
    names = [body.name for body in model.bodies]
    assert len(set(names)) == len(names) == 300
    assert names[:3] == ["world_2", "world_2_3", "world_2_3_4"]
    assert max(map(len, names)) <= LONGEST_STEM + 10


def test_deeper_ones_end_with_a_sentence() -> None:
    with pytest.raises(FormatError, match="nested too deeply"):
        read_mjcf(TextSource("deep.xml", nested(2000)))
