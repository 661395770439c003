"""Edits of generated texts that no drawn state reached: `verify` names them, though manifests are signed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mechanisms.text_edits import EDITS, MODULES, UNNAMED, edited, generated, named

SAMPLE = (
    "guard: four_bar.c: (guarded_values\\[0\\]\\)) > four_bar_VANISHES -> \\g<1> > 6",
    "branch: four_bar.c: x\\[j\\]",
    "status: four_bar.py: taken <",
    "module place: four_bar.py: (\\bcrank",
    "header place: four_bar.h: (\\bfour_bar_Q_B",
    "tolerance: four_bar.py: \\nENOUGH",
)
"""Beginnings of what edits say of themselves; all of them are made by a benchmark."""


def test_the_sample_of_edits_is_named(tmp_path: Path) -> None:
    whole = generated("four_bar", tmp_path / "whole")
    assert named(whole, states=2) == ()
    for number, start in enumerate(SAMPLE):
        (edit,) = (edit for edit in EDITS if str(edit).startswith(start))
        assert named(edited(edit, whole, tmp_path / str(number)), states=2), edit


@pytest.mark.parametrize("module", MODULES)
def test_every_edit_has_a_place(module: str, tmp_path: Path) -> None:
    whole = generated(module, tmp_path / "whole")
    for edit in EDITS:
        if edit.module == module:
            edited(edit, whole, tmp_path / "edited")
    assert len(EDITS) >= 100 and len(UNNAMED) <= len(EDITS) // 50
    for end in UNNAMED:
        assert sum(str(edit).endswith(end) for edit in EDITS) == 1, end
