"""A module is derived again with what it was asked for."""

from __future__ import annotations

from pathlib import Path

import mbsym
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.verification.anew import derived_anew


def test_functions_of_frames_are_derived_again(tmp_path: Path) -> None:
    mbsym.generate("planar_3r", tmp_path, functions=["frame_pose"], frames=["link2"], frame_axes="base")
    manifest = read_manifest(tmp_path)
    found = derived_anew(read_native(TextSource("planar_3r.yaml", manifest["model"])), manifest)
    assert list(found.programs) == ["frame_pose"]
    assert [(frame["name"], frame["axes"]) for frame in manifest["frames"]] == [("link2", "base")]
