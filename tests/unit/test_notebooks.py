"""What objects are in notebooks and in the interpreter: short text, tables, formulas, figures and pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym import markup
from mbsym.codegen.load import load_c, load_numpy
from mbsym.errors import SimulationError
from mbsym.simulation.panels import panels_of
from mbsym.testing import compare_equations

LONGEST = 2000
"""Letters of a text by which an object names itself."""


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One of each thing that the public interface returns, of models that are not small."""
    place = tmp_path_factory.mktemp("code")
    arm, linkage = mbsym.load("puma560"), mbsym.load("four_bar")
    generation = mbsym.generate(linkage, place / "four_bar")
    m, l = sp.symbols("m_pole l")
    return {
        "model": arm,
        "quadruped": mbsym.load("quadruped"),
        "labelling": linkage.label(),
        "equations": mbsym.derive("cart_pole"),
        "form": mbsym.derive(arm).form("mass_matrix"),
        "comparison": compare_equations({"mass_matrix": sp.diag(m, l)}, "cart_pole"),
        "generation": generation,
        "certificate": mbsym.verify(place / "four_bar", states=2),
        "c": load_c(place / "four_bar"),
        "numpy": load_numpy(place / "four_bar" / "four_bar.py"),
        "motion": mbsym.simulate(linkage, 0.05),
        "linear": mbsym.linearise("cart_pole"),
        "symbols": mbsym.linearise("cart_pole").symbolic(),
        "equilibria": mbsym.equilibrium("double_pendulum"),
        "modes": mbsym.modes("double_pendulum", at="equilibrium"),
        "base": mbsym.base_parameters(arm),
    }


def within(item: object, depth: int) -> Iterator[object]:
    """An object of the package and those that its attributes lead to."""
    if not type(item).__module__.startswith("mbsym"):
        return
    yield item
    if depth == 0:
        return
    for name in dir(item):
        if not name.startswith("_") and not callable(getattr(type(item), name, None)):
            try:
                found = getattr(item, name)
            except mbsym.MbsymError:
                continue  # not of this model
            several = list(found.values()) if isinstance(found, Mapping) else found
            for each in several[:3] if isinstance(several, tuple | list) else [several]:
                yield from within(each, depth - 1)


def test_every_public_object_names_itself_shortly(objects: dict[str, Any]) -> None:
    kinds = {}
    for item in objects.values():
        for each in within(item, 2):
            kinds[type(each).__name__] = max(len(repr(each)), kinds.get(type(each).__name__, 0))
    assert {name: size for name, size in kinds.items() if size >= LONGEST} == {}
    assert len(kinds) > 40
    public = [getattr(mbsym, name) for name in mbsym.__all__]
    records = {kind.__name__ for kind in public if isinstance(kind, type) and dataclasses.is_dataclass(kind)}
    assert {"Body", "Joint", "Placement", "Parameter", "Model"} <= records & set(kinds)


class Balanced(HTMLParser):
    """Counts tags that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("model", "joint1"),
        ("labelling", "pattern"),
        ("equations", "<math"),
        ("generation", "mass_matrix"),
        ("certificate", "compared with"),
        ("motion", "energy"),
    ],
)
def test_tables_for_notebooks(objects: dict[str, Any], name: str, says: str) -> None:
    text = objects[name]._repr_html_()
    assert says in text
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []


def test_formulas_for_notebooks(objects: dict[str, Any]) -> None:
    latex = objects["equations"]._repr_latex_()
    assert latex.startswith("$") and r"\cos" in latex and "m_{\\mathrm{pole}}" in latex
    assert r"\begin{bmatrix}" in objects["labelling"]._repr_latex_()
    large = mbsym.derive("puma560")
    assert len(large._repr_html_()) < 200_000 and "operations, as named steps" in large._repr_latex_()


def test_a_plot_is_a_figure_with_what_is_not_zero(objects: dict[str, Any]) -> None:
    figure = objects["motion"].plot()
    labels = [axes.get_ylabel().partition("\n")[0] for axes in figure.axes]
    assert "coordinates" in labels and "closure gap" not in labels and "momentum drift" not in labels
    (axes,) = objects["motion"].plot("q_A").axes
    assert [line.get_label() for line in axes.get_lines()] == ["q_A"]
    assert len(objects["motion"].plot(["gap*", "kinetic"]).axes) == 2
    with pytest.raises(SimulationError, match="nothing to plot is called 'q_X'"):
        objects["motion"].plot("q_X")


def test_attitudes_are_plotted_as_angles() -> None:
    """A free body that turns about z alone: yaw grows past a half turn, roll and pitch are left out."""
    body = mbsym.Body("plate", 1, inertia=(1, 2, 2.5))
    model = mbsym.Model("thrown", (body,), (mbsym.Joint("free", "free", "ground", "plate"),))
    motion = mbsym.simulate(model, 2.0, initial={"v_free_wz": 3.0}, preparation=mbsym.Preparation("numpy"))
    curves = {name: values for panel in panels_of(motion) for name, values in panel.curves}
    assert not [name for name in curves if name.endswith(("_roll", "_pitch", "_w", "_qw"))]
    assert np.allclose(curves["q_free_yaw"], 3.0 * motion.t, atol=1e-6)


def test_an_animation_stands_in_a_frame(objects: dict[str, Any]) -> None:
    shown = objects["motion"].animation(300)
    assert shown._repr_html_().startswith("<iframe srcdoc=") and "height: 300px" in shown._repr_html_()
    assert "<script" not in shown._repr_html_() and len(repr(shown)) < 100


def test_a_picture_is_of_its_time(objects: dict[str, Any]) -> None:
    motion = objects["motion"]
    assert motion.picture().html.startswith("<svg") and "<title>crank</title>" in motion.picture().html
    assert motion.picture(0.0).html != motion.picture(0.05).html


def test_text_is_escaped() -> None:
    assert markup.table(("<a>",), [("<b>",)]).count("&lt;") == 2
    assert markup.table(("a",), []) == ""
