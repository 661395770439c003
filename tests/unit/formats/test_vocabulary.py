"""Words that a format does not know are never passed over where they bear on the mechanics."""

from __future__ import annotations

import pytest

from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.mjcf.words import MJCF_WORDS
from mbsym.formats.text_source import TextSource
from mbsym.formats.urdf import read_urdf
from mbsym.formats.urdf.reader import URDF_WORDS
from mbsym.formats.vocabulary import MOST_NAMED, Words, unknown_words
from mbsym.formats.xml_document import read_xml
from mbsym.model.system import Model

URDF = """<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0 0 1"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <joint name="j" type="revolute">
    <parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
    <dynamics damping="0.1"/>
  </joint>
</robot>
"""

MJCF = """<mujoco model="m">
  <option gravity="0 0 -9.81" timestep="0.01"/>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="j" axis="0 1 0" damping="0.1"/>
      <inertial pos="0 0 0.5" mass="1" diaginertia="1 1 1"/>
    </body>
  </worldbody>
</mujoco>
"""


def urdf(text: str, **options: bool) -> Model:
    return read_urdf(TextSource("r.urdf", text), LoadOptions(**options))  # type: ignore[arg-type]


def mjcf(text: str, **options: bool) -> Model:
    return read_mjcf(TextSource("m.xml", text), LoadOptions(**options))  # type: ignore[arg-type]


def test_known_words_say_nothing() -> None:
    assert not any("understood" in warning for warning in (*urdf(URDF).warnings, *mjcf(MJCF).warnings))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<axis xyz="0 1 0"/>', '<axis xzy="0 1 0"/>', "r.urdf:9:5: xzy in <axis> is not understood; did you"),
        ('<origin xyz="0 0 1" rpy', '<orgin xyz="0 0 1" rpy', "r.urdf:8:5: <orgin> in <joint> is not understood; did"),
        ('<origin xyz="0 0 1"/>', '<pose xyz="0 0 1"/>', "r.urdf:4:15: <pose> in <inertial> is not understood; known"),
        ('rpy="0 0 0"', 'quat="1 0 0 0"', "r.urdf:8:5: quat in <origin> is not understood; known here: xyz, rpy"),
        ('<mass value="1"/>', '<mass value="1"/><mass value="2"/>', "a second <mass> in the <inertial> of line 4"),
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><axis xyz="1 0 0"/>', "a second <axis> in the <joint> of line 6"),
        ('<origin xyz="0 0 1" rpy', '<origin xyz="1 0 0"/><origin xyz="0 0 1" rpy', "a second <origin> in the <joint>"),
        ('<origin xyz="0 0 1"/>', '<origin xyz="0 0 1"/><origin xyz="0 1 0"/>', "a second <origin> in the <inert"),
        ("</inertial>", '</inertial><inertial><mass value="2"/></inertial>', "a second <inertial> in the <link>"),
        ('damping="0.1"', 'dampin="0.1"', "dampin in <dynamics> is not understood; did you mean 'damping'?"),
        ("<inertial>", "<inertia>", "is not understood; did you mean 'inertial'?"),
        ("<inertial>", "<xacro:box m='1'/><inertial>", "r.urdf:4:5: this file is written in xacro"),
    ],
)  # fmt: skip
def test_misspelt_mechanics_in_urdf(old: str, new: str, message: str) -> None:
    text = URDF.replace(old, new, 1)
    if old == "<inertial>" and new == "<inertia>":
        text = text.replace("</inertial>", "</inertia>")
    assert text != URDF
    with pytest.raises(FormatError) as caught:
        urdf(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('axis="0 1 0"', 'axsi="0 1 0"', "m.xml:5:7: axsi in <joint> is not understood; did you mean 'axis'?"),
        ('diaginertia="1 1 1"', 'inertia="1 1 1"', "inertia in <inertial> is not understood; did you mean"),
        ('pos="0 0 1"', 'post="0 0 1"', "post in <body> is not understood; did you mean 'pos'?"),
        ("<joint name", "<jiont name", "<jiont> in <body> is not understood; did you mean 'joint'?"),
        ('gravity="0 0', 'gravty="0 0', "gravty in <option> is not understood; did you mean 'gravity'?"),
        ("<inertial", '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><inertial', "a second <inertial> in"),
    ],
)  # fmt: skip
def test_misspelt_mechanics_in_mjcf(old: str, new: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        mjcf(MJCF.replace(old, new, 1))
    assert message in str(caught.value)


def test_other_unknown_words_are_named_once_and_refused_where_that_is_asked_for() -> None:
    text = URDF.replace('lower="-1"', 'lower="-1" current="3"').replace(
        '<link name="base"/>', '<link name="base"><sparkles/></link>'
    )
    warnings = [warning for warning in urdf(text).warnings if "understood" in warning]
    assert warnings == ["not understood and left out: <sparkles> (line 2), current (line 10)"]
    with pytest.raises(FormatError, match="<sparkles> in <link> is not understood"):
        urdf(text, strict=True)


def test_disabled_flags_are_told() -> None:
    text = MJCF.replace('timestep="0.01"/>', 'timestep="0.01"><flag damper="disable"/></option>')
    assert any("damper are disabled in the file" in warning for warning in mjcf(text).warnings)


def test_many_unknown_words_are_counted() -> None:
    table = {"a": Words()}
    text = "<a " + " ".join(f'{letter}{letter}{letter}="1"' for letter in "bcdefghijkl") + "/>"
    source = TextSource("x.xml", text)
    (sentence,) = unknown_words(read_xml(source), table, strict=False)
    assert sentence.endswith(f"and {11 - MOST_NAMED} more")


@pytest.mark.parametrize("table", [URDF_WORDS, MJCF_WORDS])
def test_no_word_stands_in_two_lists(table: dict[str, Words]) -> None:
    for words in table.values():
        assert not set(words.silent) & {*words.attributes, *words.once, *words.many}
