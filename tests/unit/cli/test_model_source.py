"""The MODEL argument with its options."""

from __future__ import annotations

from math import pi
from pathlib import Path

import pytest

from mbsym.cli.model_source import read_model
from mbsym.errors import MbsymError

MASSLESS = "bodies: {a: {mass: 1}}\njoints: {j: [prismatic, ground, a]}\n"


def test_an_example_by_its_name_and_a_file_by_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert read_model("cart_pole").name == "cart_pole"
    path = tmp_path / "slide.yaml"
    path.write_text(MASSLESS, encoding="utf-8")
    assert [body.name for body in read_model(str(path)).bodies] == ["a"]
    assert capsys.readouterr().out == ""


def test_warnings_go_to_standard_error_and_end_it_only_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("bodies: {a: {mass: 1, inertia: [1, 1, 5]}}\njoints: {j: [revolute, ground, a]}\n"
                    "accept_impossible_inertia: true\n", encoding="utf-8")  # fmt: skip
    model = read_model(str(path))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("warning: ") == len(model.warnings) > 0
    with pytest.raises(MbsymError):
        read_model(str(path), strict=True)


@pytest.mark.parametrize("tolerance", [-1e-9, pi / 4, float("nan"), float("inf")])
def test_what_is_no_tolerance_of_angles_is_refused(tolerance: float) -> None:
    with pytest.raises(MbsymError, match="no tolerance of angles") as caught:
        read_model("cart_pole", snap_angles=tolerance)
    assert caught.value.where == "--snap-angles"
