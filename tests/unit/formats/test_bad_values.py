"""Whatever stands in a model file, it is taken, or refused with file, line and column; nothing ends in a traceback."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from mechanisms.damaged_models import BAD_VALUES, EVERYTHING, MJCF, SDF, SEEDS, URDF, outcome, replaced, scalars
from mechanisms.examples import further
from mechanisms.mutated_models import mutated
from mechanisms.silent_changes import silent_change

SAMPLE = 250
"""Replacements tried of each seed; ``tests/benchmarks/bad_values.py`` tries all."""


@pytest.mark.parametrize("name", SEEDS)
def test_seeds_are_taken(name: str) -> None:
    kind, sentence = outcome(SEEDS[name], SEEDS[name].text)
    topology_alone = "qi_closed_loops: no body has mass or inertia"
    assert kind == "taken" or sentence.startswith(topology_alone)
    assert len(scalars(SEEDS[name])) > 30


@pytest.mark.parametrize("name", SEEDS)
def test_bad_values_are_refused_with_their_place(name: str) -> None:
    seed = SEEDS[name]
    every = list(replaced(seed))
    assert len(every) == len(scalars(seed)) * len(BAD_VALUES)
    found = {"taken": 0, "refused": 0}
    for span, value, text in Random(17).sample(every, SAMPLE):
        kind, sentence = outcome(seed, text)
        place = f"{seed.text[slice(*span)]!r} of line {seed.text.count(chr(10), 0, span[0]) + 1} becomes {value!r}"
        assert kind in found, f"{place}: {sentence}"
        found[kind] += 1
    assert found["refused"] > found["taken"] / 2  # the values are bad


@pytest.mark.parametrize(
    ("suffix", "old", "new", "place", "message"),
    [
        (".yaml", "gravity: [0, 0, -9.81]", "gravity: [0, 1e400, -9.81]", "3:14", "is not a finite number"),
        (".yaml", "gravity: [0, 0, -9.81]", "gravity: [sqrt(-1), 0, 0]", "3:11", "has no real value"),
        (".yaml", "gravity: [0, 0, -9.81]", "gravity: [0, 0, 1/0]", "3:19", "division by zero"),
        (".xml", 'gravity="0 0 -9.81"', 'gravity="0 1e400 0"', "3:3", "gravity of <option>"),
        (".xml", 'gravity="0 0 -9.81"', 'gravity="0 0 down"', "3:3", "no finite number"),
        (".xml", 'size="0.1 0.2 0.3"', 'size="1e110 1e110 1e110"', "19:11", "the largest number that a model may hold"),
        (".xml", 'axis="0 1 0" pos', 'axis="1e200 0 1" pos', "10:7", "the largest number that a model may hold"),
        (".urdf", 'xyz="0 0.6 0.8"', 'xyz="1e200 0 1"', "24:68", "the largest number that a model may hold"),
        (".urdf", 'xyz="0 0.1 0" rpy="0.1 0.2 0.3"', 'xyz="1e300 0 0" rpy="1e300 0 0"', "28:5", "xyz of <origin>"),
        (".urdf", '<mass value="2"/>', '<mass value="1e-200"/>', "7:7", "the smallest number above zero"),
        (".sdf", ">0 0 -9.81<", ">0 0 down<", "4:5", "<gravity> is 'down', no finite number"),
        (".sdf", ">2</mass", ">1e110</mass", "11:11", "the largest number that a model may hold"),
        (".sdf", ">0 0 1 0 0 30<", ">0 0 1 0 30<", "6:7", "<pose> has 5 numbers; give 6"),
        (".sdf", ">0 0.6 0.8<", ">0 0 0<", "36:11", "the axis of joint 'shoulder' is zero"),
        (".yaml", "rpy: [0.1, 0.2, 0.3]", "rpy: [0.1, 1e400, 0.3]", "27:9", "not a finite number"),
        (".yaml", "[x, pi/2], [z, 0.1]", "[x, pi/2], [z, 1e400]", "28:46", "not a finite number"),
        (".yaml", "l: 0.5", "l: 1e-200", "9:6", "the smallest number above zero"),
        (".yaml", "mass: m,", "mass: 1e-200*1e-200,", "14:16", "too small for double precision"),
        (".yaml", "k: 2*l", "k: l*1e-300*1e-300", "10:6", "too small for double precision"),
        (".yaml", "second_joint: rail", "second_joint: hinge", "57:56", "couples joint 'hinge' with itself"),
        (".urdf", '<axis xyz="0 1 0"/>', 'axis xyz="0 1 0"/>', "15:3", "remove it, or add the < that it has lost"),
        (".xml", "<flag gravity", "flag gravity", "3:3", "text in <option>: 'flag gravity"),
        (".xml", 'inertiafromgeom="auto"', 'inertiafromgeom="aut"', "2:3", "use one of false, true, auto"),
        (".xml", 'limited="false"', 'limited="no"', "14:9", "limited of <joint> is 'no'"),
        (".xml", '<flag gravity="enable"', '<flag gravity="off"', "3:43", "use one of enable, disable"),
        (".xml", '<flag gravity="enable"', '<flag graviti="enable"', "3:43", "did you mean 'gravity'?"),
        (".xml", '<joint damping="0.1"/>', '<joint damping="0.1"/><joint damping="1"/>', "5:27", "a second <joint>"),
        (".xml", "<default>\n", '<default class="light">\n', "4:3", "are a class 'light'"),
        (".xml", '<default class="light">', '<default class="main">', "6:5", "a second default class 'main'"),
        (".xml", "<frame ", '<frame><joint axis="0 0 1"/></frame><frame ', "41:12", "<joint> of the world, which does"),
        (".xml", 'fullinertia="0.1', 'quat="1 0 0 0" fullinertia="0.1', "15:9", "fullinertia and quat"),
        (".xml", '<weld body1="fore"', '<weld body1="four"', "30:5", "did you mean 'fore'?"),
        (".yaml", "thread: {source: rail", "thread: {source: thread", "54:20", "go round in a circle"),
    ],
)  # fmt: skip
def test_what_was_silent_or_a_traceback(suffix: str, old: str, new: str, place: str, message: str) -> None:
    name, text = {
        ".yaml": ("everything", EVERYTHING),
        ".xml": ("mjcf", MJCF),
        ".urdf": ("urdf", URDF),
        ".sdf": ("sdf", SDF),
    }[suffix]
    assert old in text
    kind, sentence = outcome(SEEDS[name], text.replace(old, new, 1))
    assert kind == "refused"
    assert sentence.startswith(f"model{suffix}:{place}: ")
    assert message in sentence


def test_all_components_of_gravity_have_their_place() -> None:
    for index, bad in itertools.product(range(3), ("nothing", "1e400", "1/0", "[1]", "inf")):
        values = ["0", "0", "0"]
        values[index] = bad
        text = EVERYTHING.replace("[0, 0, -9.81]", f"[{', '.join(values)}]")
        kind, sentence = outcome(SEEDS["everything"], text)
        assert kind == "refused"
        offset = 2 if bad == "1/0" else 0  # the divisor
        assert sentence.startswith(f"model.yaml:3:{11 + 3 * index + offset}: ")


@pytest.mark.parametrize("name", ["everything", "four_bar", "urdf", "mjcf", "sdf", "loops", "pairs"])
@pytest.mark.parametrize("numbers", [range(40), *further(range(40, 100))], ids=["some", "more"])
def test_files_damaged_at_random(name: str, numbers: range) -> None:
    """``tests/benchmarks/mutated_files.py`` tries ten thousand of each."""
    for number in numbers:
        kind, sentence = outcome(SEEDS[name], mutated(SEEDS[name], number))
        assert kind in ("taken", "refused"), f"{number}: {sentence}"


@pytest.mark.parametrize("name", ["everything", "urdf", "mjcf", "sdf", "loops"])
@pytest.mark.parametrize("numbers", [range(100), *further(range(100, 300))], ids=["some", "more"])
def test_no_damage_is_passed_over_in_silence(name: str, numbers: range) -> None:
    for number in numbers:
        assert not silent_change(name, mutated(SEEDS[name], number)), number
