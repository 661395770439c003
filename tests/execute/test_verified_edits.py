"""Edits of generated texts that no drawn state reached: `verify` names them, though manifests are signed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbsym import verify
from mbsym.verification import memory
from mbsym.verification.certificate import UNWATCHED
from mbsym.verification.checks import WITHIN_ARRAYS
from mechanisms.examples import further
from mechanisms.text_edits import EDITS, MODULES, UNNAMED, edited, generated, named

SAMPLE = (
    "guard: four_bar.c: (guarded_values\\[0\\]\\)) > four_bar_VANISHES -> \\g<1> > 6",
    "branch: four_bar.c: x\\[j\\]",
    "status: four_bar.py: taken <",
    "module place: four_bar.py: (\\bcrank",
    "header place: four_bar.h: (\\bfour_bar_Q_B",
    "tolerance: four_bar.py: \\nENOUGH",
    "newton: four_bar.c: total",
    "memory: four_bar.c: four_bar_finite",
)
"""Beginnings of what edits say of themselves; all of them are made by a benchmark."""


@pytest.mark.parametrize(
    "sample", [SAMPLE[::4], *further((SAMPLE[2::4],), (SAMPLE[1::2],))], ids=["fourth", "even", "odd"]
)
def test_the_sample_of_edits_is_named(sample: tuple[str, ...], tmp_path: Path) -> None:
    whole = generated("four_bar", tmp_path / "whole")
    assert named(whole, states=2) == ()
    for number, start in enumerate(sample):
        (edit,) = (edit for edit in EDITS if str(edit).startswith(start))
        assert named(edited(edit, whole, tmp_path / str(number)), states=2), edit


def test_what_leaves_its_arrays_is_told_with_its_place_where_the_compiler_watches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (edit,) = (edit for edit in EDITS if str(edit).startswith("memory: ball.c: ball_finite"))
    found = verify(edited(edit, generated("ball", tmp_path / "ball"), tmp_path / "edited"), states=1)
    (failed,) = (check for check in found.checks if not check.passed)
    lines = (tmp_path / "edited/ball.c").read_text(encoding="utf-8").splitlines()
    loop = next(number for number, line in enumerate(lines, start=1) if "fabs(x[i]) < HUGE_VAL" in line)
    assert failed.against == f"{WITHIN_ARRAYS}: heap-buffer-overflow in ball.c, line {loop}"
    monkeypatch.setattr(memory, "FLAGS", ("-fsanitize=nothing-that-is-known",))
    found = verify(tmp_path / "edited", states=1)
    assert found.passed and UNWATCHED in found.summary()


@pytest.mark.parametrize("module", MODULES)
def test_every_edit_has_a_place(module: str, tmp_path: Path) -> None:
    whole = generated(module, tmp_path / "whole")
    for edit in EDITS:
        if edit.module == module:
            edited(edit, whole, tmp_path / "edited")
    assert len(EDITS) >= 100 and len(UNNAMED) <= len(EDITS) // 50
    for end in UNNAMED:
        assert sum(str(edit).endswith(end) for edit in EDITS) == 1, end
