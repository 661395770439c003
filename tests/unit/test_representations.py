"""Objects say what they are in a line or a few, or in their tables where these are small."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import mbsym

LONGEST = 2000


def test_every_object_is_shown_short(tmp_path: Path) -> None:
    model = mbsym.load("quadruped")
    generation = mbsym.generate(model, tmp_path, functions=["mass_matrix"])
    shown = {
        "model": model,
        "labelling": model.label(),
        "equations": mbsym.derive("four_bar"),
        "generation": generation,
        "derivation": generation.derivation,
        "mechanism": generation.derivation.mechanism,
        "certificate": mbsym.verify(tmp_path, states=1),
        "simulation": mbsym.simulate("four_bar", 0.01),
    }
    texts = {name: repr(item) for name, item in shown.items()}
    assert {name: len(text) for name, text in texts.items() if len(text) >= LONGEST} == {}
    assert texts["model"] == "<Model 'quadruped': 13 bodies, 13 joints, 2 parameters>"
    assert texts["equations"] == "<Equations of 'four_bar': 3 speeds, formulation auto>"
    assert texts["mechanism"] == "<Mechanism 'quadruped': 13 bodies, 19 coordinates, 18 speeds>"
    assert "drifts by" in texts["simulation"]


def test_large_models_too() -> None:
    (path,) = (file.locate() for file in files("example-robot-data") or () if file.name == "talos_full_v2.urdf")
    model = mbsym.load(str(path))
    assert len(repr(model)) < 200
    assert len(repr(model.label())) < 200


def test_results_show_their_tables_and_large_ones_their_heading() -> None:
    """At a prompt, printed and in notebooks the same that the command line prints."""
    modes = mbsym.modes("double_pendulum")
    assert repr(modes) == str(modes) == modes.text.rstrip("\n")
    assert modes.text.splitlines()[0] == "double_pendulum: small motions about an equilibrium"
    assert "mode 2" in repr(modes) and modes._repr_html_().startswith("<pre>double_pendulum: small")
    for found in (
        mbsym.linearise("cart_pole"),
        mbsym.equilibrium("double_pendulum", starts=2),
        mbsym.frequency_response("cart_pole", [1.0, 2.0]),
        mbsym.transfer_matrix_modes("double_pendulum"),
    ):
        assert repr(found) == found.text.rstrip("\n") and len(repr(found).splitlines()) > 2
    large = mbsym.linearise("quadruped", at={})
    assert str(large).startswith(repr(large).partition(" (")[0]) and repr(large).endswith("lines, which print shows)")
    assert len(repr(large)) < LONGEST
