"""Right angles that were rounded: what making them exact would save, as the command says it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
"""The fixture that runs the command line and returns status, out and err."""

ROUNDED = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
 <inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="hand"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
 <inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>
<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/>
 <origin xyz="0 0 1" rpy="1.5708 0 0"/></joint>
<joint name="fix" type="fixed"><parent link="hand"/><child link="tip"/><origin xyz="0 0 1" rpy="1.5708 0 0"/></joint>
</robot>"""


@pytest.mark.parametrize(
    "options",
    [
        ("--function", "bias_force"),
        ("--function", "bias_force", "--wrench-input", "tip"),
        ("--function", "frame_pose", "--frame", "tip"),
        ("--function", "bias_force", "--derivative-of", "gravity_force", "--with-respect-to", "q"),
    ],
)
def test_what_exact_right_angles_would_save_is_counted_on_what_was_asked_for(
    options: tuple[str, ...], tmp_path: Path, run: Run
) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(ROUNDED, encoding="utf-8")

    def counted(*more: str) -> tuple[int, str]:
        outcome = run("generate", path, "-o", tmp_path / "code", *options, *more)
        assert outcome.status == 0, outcome.err
        rows = [line.split() for line in outcome.out.splitlines()[1:] if not line.startswith("wrote")]
        return sum(int(row[1]) for row in rows), outcome.err

    before, said = counted()
    after, _ = counted("--snap-angles", "1e-4")
    assert before > after
    assert f"note: --snap-angles 0.0001 would save {before - after} of {before} operations" in said
