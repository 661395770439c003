"""What a damaged file says beside what is read of it: no change may be passed over without a word.

The file is taken apart here by other means than the readers': into words and numbers, without a notion of what they
mean. Where these differ from those of the sound file, the model must differ too, or a warning must say more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from typing import Any, Final
from xml.etree import ElementTree

import yaml

from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.mjcf import read_mjcf
from mbsym.formats.sdf import read_sdf
from mbsym.formats.text_source import TextSource, decoded
from mbsym.formats.urdf import read_urdf
from mbsym.model.system import Model
from mechanisms.damaged_models import SEEDS, Seed

DEFAULTS: Final = frozenset(
    {
        ("free_roots", ("false",)), ("accept_impossible_inertia", ("false",)),
        ("ixy", (0,)), ("ixz", (0,)), ("iyz", (0,)),
        ("coordinate", ("local",)), ("inertiafromgeom", ("auto",)), ("eulerseq", ("xyz",)), ("gravity", ("enable",)),
        ("density", (0,)), ("type", ("hinge",)), ("limited", ("false",)),
    }
)  # fmt: skip
"""What holds where nothing is said, so that saying it and not saying it is one."""

NOT_REACHED: Final = (
    "boundmass", "boundinertia", "balanceinertia", "inertiagrouprange", "group", "autolimits",
    "canonical_link", "placement_frame",
)  # fmt: skip
"""Attributes with bounds that no body of the seeds comes to, and with frames that nothing in them is placed in."""

SAYS_NOTHING: Final = frozenset(
    {("flag", ()), ("compiler", ()), ("axis", (), ("xyz", (1, 0, 0))), ("static", ("false",))}
)
"""Elements as they hold where they are not there."""

SEEN_ONLY: Final = ("visual", "collision", "material")
"""Elements and attributes of looks, of which only what is drawn is read."""

TOLD_AS_LEFT_OUT: Final = ("velocity_decay", "physics")
"""Elements of SDF that a warning names whatever they hold, or that only say how others are to cut loops."""

DIRECTIONS: Final = {"axisangle": (3,), "xyaxes": (3, 3), "zaxis": (3,), "quat": (4,), "xyz of SDF": (3,)}
"""Attributes and texts whose numbers are directions, whatever their length, with how many numbers each has."""

SAID_IN_ANY_CASE: Final = ("true", "false", "3d", "6d")
"""Words that mean the same in capitals."""

_ALL_READ: Final = LoadOptions(joint_dynamics="forces", actuators="inputs")
_READERS: Final[dict[str, Callable[[TextSource], Model]]] = {
    ".urdf": lambda source: read_urdf(source, _ALL_READ),
    ".xml": lambda source: read_mjcf(source, _ALL_READ),
    ".sdf": lambda source: read_sdf(source, _ALL_READ),
}


def silent_change(name: str, content: bytes) -> bool:
    """Whether a text that is taken in the place of a seed's says something else and gives the same model."""
    seed = SEEDS[name]
    sound, said = _sound(name)
    try:
        model = _read(seed, content)
    except FormatError:
        return False
    return model == sound and model.warnings == sound.warnings and _sayings(seed, content) != said


@cache
def _sound(name: str) -> tuple[Model, Hashable]:
    content = SEEDS[name].text.encode()
    return _read(SEEDS[name], content), _sayings(SEEDS[name], content)


def _read(seed: Seed, content: bytes) -> Model:
    return _READERS.get(seed.suffix, seed.read)(decoded(f"model{seed.suffix}", content))


# ---- what a text says -----------------------------------------------------------------------------------------------


def _sayings(seed: Seed, content: bytes) -> Hashable:
    text = content.decode("utf-8-sig")
    if "yaml" in seed.suffix:
        return _of_yaml(yaml.compose(text, Loader=yaml.CSafeLoader))
    return _of_xml(ElementTree.fromstring(text))


def _words(text: str | None) -> tuple[Hashable, ...]:
    """Words of a text; numbers by their value, and none where they are smaller than what readers round to."""
    found: list[Hashable] = []
    for word in (text or "").split():
        try:
            number = Fraction(word)
        except (ValueError, ZeroDivisionError):
            found.append(word.lower() if word.lower() in SAID_IN_ANY_CASE else word)
        else:
            found.append(number if abs(number) > 1e-8 else 0)
    return tuple(found)


def _of_yaml(node: Any) -> Hashable:
    """Keys in any order, since the seeds' orders of bodies and joints are compared by the models."""
    if isinstance(node, yaml.ScalarNode):
        return _words(node.value)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_of_yaml(item) for item in node.value)
    entries = [(_of_yaml(key), _of_yaml(value)) for key, value in node.value if not _is_default(key, value)]
    return tuple(sorted(entries, key=repr))


def _is_default(key: Any, value: Any) -> bool:
    return isinstance(value, yaml.ScalarNode) and (key.value, _words(value.value)) in DEFAULTS


def _of_xml(element: ElementTree.Element) -> tuple[Hashable, ...]:
    """Tag, attributes, texts and children of an element; nothing if it says nothing."""
    attributes = {key: _direction(key, value) or _words(value) for key, value in element.attrib.items()}
    unread = (*NOT_REACHED, *SEEN_ONLY)
    given = sorted(item for item in attributes.items() if item not in DEFAULTS and item[0] not in unread)
    own = _direction(f"{element.tag} of SDF", element.text or "") or _words(element.text)
    switched_off = attributes.get("active") == ("false",) or element.tag in TOLD_AS_LEFT_OUT
    if switched_off or (element.tag, own, *given) in SAYS_NOTHING:
        return ()
    children = sorted((_of_xml(child) for child in element if child.tag not in SEEN_ONLY), key=repr)
    children = [
        item
        for k, item in enumerate(children)
        if item[:1] not in (("compiler",), ("option",)) or item not in children[:k]
    ]
    texts = sorted((own, *(_words(child.tail) for child in element)), key=repr)
    return (element.tag, tuple(given), tuple(filter(None, texts)), tuple(filter(None, children)))


def _direction(key: str, text: str) -> tuple[Hashable, ...]:
    """Directions made of length one, nothing for other attributes."""
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return ()
    found: list[float] = []
    for count in DIRECTIONS.get(key, ()):
        part = numbers[len(found) : len(found) + count]
        # Of a second axis counts what is square to the first.
        along = sum(a * b for a, b in zip(found, part, strict=True)) if count == len(found) else 0.0
        part = [b - along * a for a, b in zip(found, part, strict=True)] if along else part
        length = math.hypot(*part) or 1.0
        found += [round(value / length, 8) for value in part]
    return (*found, *(round(value, 8) for value in numbers[len(found) :])) if found else ()
