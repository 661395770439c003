"""Odd texts and names come back from what is written, and names that mean something else get one of their own."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

import mbsym
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.model.validate import require_valid

ROD = """name: rod
bodies: {rod: {mass: m, inertia: [1, 1, 1]}}
joints: {pin: {type: revolute, from: ground, to: rod}}
parameters: {m: {value: 1, symbolic: true}}
inputs: {push: {}}
forces: {push: {type: actuator, joint: pin, input: push}}
"""
TEXTS = (
    "a\u2028b", "a\u2029b", "a\u0085b", "a\x7fb", "a\x9fb", "a\ufeffb", "a\ufffeb", "a\tb", "a\nb", "a\r\nb",
    "\x1b[31m", "null", "~", "yes", "1e5", "0x1F", "a: b", "a #b", "#a", "'a", 'a"b', "a\\b", "[a]", "{a", "@a",
    "*a", "&a", "!a", "%a",
    "=", "<<", "--- a", "- a", "? a", "...", " a", "a ", "\u00a0", "\u00e9", "\U0001d465", "\u65e5\u672c",
)  # fmt: skip


def rod(text: str) -> Model:
    """A model that has the text wherever any text may stand."""
    model = read_native(TextSource("rod.yaml", ROD))
    return replace(
        model,
        description=text.strip(),  # as it is read
        parameters=(replace(model.parameters[0], unit=text),),
        inputs=(replace(model.inputs[0], unit=text),),
    )


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_texts_come_back(text: str) -> None:
    assert read_native(TextSource("again.yaml", dump_native(rod(text)))) == rod(text)


@pytest.mark.parametrize("text", ["a\u2028b", "a\u0085b"], ids=ascii)
def test_what_is_generated_is_verified(text: str, tmp_path: Path) -> None:
    mbsym.generate(rod(text), tmp_path, functions=("mass_matrix",), languages=("numpy",))
    assert mbsym.verify(tmp_path, states=1).passed


@pytest.mark.parametrize("name", ["pi", "t", "sin", "class", "__x", "- a", "\u65e5\u672c", "1", "u_pi"])
def test_a_motor_of_any_name_is_an_input(name: str) -> None:
    text = f"""<mujoco model="m"><worldbody><body name="pi"><joint name="world"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><site name="t"/></body></worldbody>
    <actuator><motor name="{escape(name)}" joint="world" gear="3"/><motor name="u_pi2" joint="world"/>
    </actuator></mujoco>"""
    model = read_mjcf(TextSource("m.xml", text), LoadOptions(actuators="inputs"))
    require_valid(model)
    own, other = (item.name for item in model.inputs)
    assert own.isidentifier() and own != other
    again = read_native(TextSource("again.yaml", dump_native(model)))
    assert (again.inputs, again.forces, again.frames) == (model.inputs, model.forces, model.frames)
