"""The side file that closes the loops of a tree-shaped robot description.

It holds joints and constraints in native form, or pairs of frames, as the public set of parallel robots has them:
``closed_loop`` lists pairs of names of links or joints, ``type`` says for each whether the two frames stay one (``6d``)
or share their origin (``3d``). ``joint_name`` and ``joint_type`` make joints of the URDF spherical, universal or fixed,
which it cannot say, and ``name_mot`` names the actuated ones. What joins the pairs is cut: the coordinates are those of
the URDF.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from mbsym.constraints import ConstraintElement
from mbsym.errors import FormatError
from mbsym.formats.angles import SAME_ANGLE
from mbsym.formats.findings import listing
from mbsym.formats.native.reader import read_native_parts, read_tables
from mbsym.formats.text_source import FilePlace, TextSource, read_text
from mbsym.formats.yaml_document import Document, DocumentPath, read_yaml
from mbsym.joints.fixed import FIXED
from mbsym.joints.record import JointType
from mbsym.joints.spherical import SPHERICAL
from mbsym.joints.universal import UNIVERSAL
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.values.diagnostic import nearest
from mbsym.values.parameter import Vector

ALLOWED: Final = ("joints", "constraints")
"""What a file in native form may hold."""

PAIRS: Final = "closed_loop"
"""The key by which a file of pairs is known."""

KEYS: Final = (PAIRS, "type", "name_mot", "joint_name", "joint_type")
CLOSURES: Final[dict[str, JointType]] = {"3d": SPHERICAL, "6d": FIXED}
AXES: Final[dict[str, Vector]] = {"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1)}
TURNING: Final = "UJOINT_"
CHANGES: Final = ("SPHERICAL", "FIXED", *(f"{TURNING}{a}{b}" for a in AXES for b in AXES if a != b))


@dataclass(frozen=True, slots=True)
class LoopFile:
    """Joints, constraints and couplings that close loops.

    Attributes:
        joints: between bodies of the description that they belong to.
        constraints: likewise.
        places: of them, by kind and name.
        couplings: of its joints.
    """

    joints: tuple[Joint, ...]
    constraints: tuple[ConstraintElement, ...]
    places: dict[tuple[str, ...], FilePlace]
    couplings: tuple[Coupling, ...] = ()

    def applied(self, model: Model) -> Model:
        """The tree with its loops closed."""
        return replace(
            model,
            joints=(*model.joints, *self.joints),
            constraints=(*model.constraints, *self.constraints),
            couplings=(*model.couplings, *self.couplings),
        )


@dataclass(frozen=True, slots=True)
class FramePairs:
    """Pairs of frames that close loops, and what else the file says of the joints of its URDF.

    Attributes:
        document: the file.
        pairs: names of two frames each, with the type of joint between them.
        changes: types of joints of the URDF, by name.
        motors: names of actuated joints.
        places: of the joints between them, by kind and name.
    """

    document: Document
    pairs: tuple[tuple[str, str, JointType], ...]
    changes: Mapping[str, str]
    motors: tuple[str, ...]
    places: dict[tuple[str, ...], FilePlace]

    def applied(self, model: Model) -> Model:
        """The model of the URDF with its joints as the file has them and its loops closed.

        Raises:
            FormatError: the model has no frame or joint of a name.
        """
        names = [joint.name for joint in model.joints]
        for key, wanted in (("joint_name", [*self.changes]), ("name_mot", self.motors)):
            for position, name in enumerate(wanted):
                if name not in names:
                    raise self._unknown((key, position), f"there is no joint {name!r}", name, names)
        joints = [self._changed(joint) for joint in model.joints]
        ends = _Ends(model)
        for position, (first, second, kind) in enumerate(self.pairs):
            one, other = (self._end(ends, name, (PAIRS, position, k)) for k, name in enumerate((first, second)))
            joints.append(Joint(_name(first, second), kind.name, one, other, cut="cut"))
        moving = {joint.name for joint in joints if not joint.kind.is_rigid}
        # What acts along the axis of the URDF has no coordinate in a joint of another type.
        acted_on = [getattr(force, "joint", "") for force in model.forces]
        lost = [name for name in self.changes if name in acted_on]
        note = f"damping and friction of {len(lost)} joints ({listing(lost)}) that are of another type now are left out"
        return replace(
            model,
            joints=tuple(joints),
            forces=tuple(force for force, name in zip(model.forces, acted_on, strict=True) if name not in lost),
            pinocchio_order=tuple(name for name in model.pinocchio_order if name in moving),
            warnings=(*model.warnings, note) if lost else model.warnings,
        )

    def _end(self, ends: _Ends, name: str, path: DocumentPath) -> str:
        """The body that a name in a pair means."""
        bodies = ends.plain.get(name) or ends.full.get(name, set())
        if not bodies:
            raise self._unknown(path, f"there is no link or joint {name!r}", name, list(ends.plain))
        if len(bodies) > 1:
            what, remedy = f"{name!r} is a link and, elsewhere, a joint", f"say body:{name} or joint:{name}"
            raise self.document.error(path, what, remedy)
        return next(iter(bodies))

    def _changed(self, joint: Joint) -> Joint:
        """A joint of the type that the file gives it; what the URDF says of one coordinate no longer holds."""
        driven = joint.actuated or joint.name in self.motors
        kind = self.changes.get(joint.name)
        if kind is None:
            return replace(joint, actuated=driven)
        made = replace(joint, actuated=driven, lower=(), upper=(), effort=(), velocity=())
        if kind.startswith(TURNING):
            first, second = (AXES[letter] for letter in kind.removeprefix(TURNING))
            return replace(made, type=UNIVERSAL.name, axis=first, second_axis=second)
        return replace(made, type=(FIXED if kind == CHANGES[1] else SPHERICAL).name)

    def _unknown(self, path: DocumentPath, what: str, name: str, known: list[str]) -> Exception:
        return self.document.error(path, what, nearest(name, known))


class _Ends:
    """The bodies that names of links and joints mean, by the plain name and with the kind before it."""

    def __init__(self, model: Model) -> None:
        self.plain: dict[str, set[str]] = {}
        self.full: dict[str, set[str]] = {}
        links = [("body", name, name) for name in (*(body.name for body in model.bodies), model.ground)]
        for kind, name, body in (*links, *(("joint", joint.name, joint.successor) for joint in model.joints)):
            self.plain.setdefault(name, set()).add(body)
            self.full[f"{kind}:{name}"] = {body}


Closing: TypeAlias = LoopFile | FramePairs
"""What closes the loops of a tree."""


def loops_beside(path: str | Path) -> Path | None:
    """The file beside a robot description that closes its loops, None if there is none.

    That is NAME.loops.yaml, or NAME.yaml where it pairs frames; of that name a native model may be.
    """
    own, shared = (Path(path).with_suffix(suffix) for suffix in (".loops.yaml", ".yaml"))
    if own.is_file():
        return own
    if not shared.is_file():
        return None
    try:
        text = read_text(shared).text
    except FormatError:
        return None
    return shared if re.search(rf"^{PAIRS}\s*:", text, re.MULTILINE) else None


def read_loops(path: str | Path, snap_angles: float = SAME_ANGLE) -> Closing:
    """What closes loops by a file ``NAME.loops.yaml``, or by one that pairs frames.

    Raises:
        FormatError: the file cannot be read, or holds anything but joints and constraints, or pairs of frames.
    """
    return parse_loops(read_text(path), snap_angles)


def parse_loops(source: TextSource, snap_angles: float = SAME_ANGLE) -> Closing:
    """What closes loops by a text; errors as ``read_loops``."""
    document = read_yaml(source)
    if isinstance(document.data, dict) and PAIRS in document.data:
        return _frame_pairs(document)
    table = read_tables(document, snap_angles)
    for key in document.data:
        if key not in ALLOWED:
            remedy = f"keep to {' and '.join(ALLOWED)}, or write a native file"
            raise document.error((key,), f"{key!r} has no place in a file of loops", remedy, of_key=True)
    joints, constraints = read_native_parts(table)
    places = {tuple(map(str, path)): source.at(place) for path, place in document.keys.items() if len(path) == 2}
    return LoopFile(joints, constraints, places)


def _frame_pairs(document: Document) -> FramePairs:
    """The pairs of frames of a file that has the key ``closed_loop``.

    Raises:
        FormatError: a key or a type is unknown, or a list does not fit another.
    """
    for key in document.data:
        if key not in KEYS:
            remedy = f"keep to {', '.join(KEYS)}"
            raise document.error((key,), f"{key!r} has no place beside {PAIRS}", remedy, of_key=True)
    kinds, named, types = (_words(document, key) for key in ("type", "joint_name", "joint_type"))
    pairs = []
    places: dict[tuple[str, ...], FilePlace] = {}
    entries = document.data[PAIRS]
    for position, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        path: DocumentPath = (PAIRS, position)
        if not isinstance(entry, list) or len(entry) != 2 or not all(isinstance(name, str) for name in entry):
            raise document.error(path, "this is no pair of frames", "give [FRAME, FRAME]")
        kind = kinds[position] if position < len(kinds) else "6d"
        if kind.lower() not in CLOSURES:
            remedy = f"say {' or '.join(CLOSURES)}"
            raise document.error(("type", position), f"there is no closure {kind!r}", remedy)
        first, second = str(entry[0]), str(entry[1])
        pairs.append((first, second, CLOSURES[kind.lower()]))
        places["joints", _name(first, second)] = document.source.at(document.place(path))
    for key, given, others, count in (
        ("type", kinds, PAIRS, len(pairs)),
        ("joint_type", types, "joint_name", len(named)),
    ):
        if len(given) != count and (given or key != "type"):
            path = (key if key in document.data else others,)
            raise document.error(path, f"{key} has {len(given)} entries, {others} has {count}", "give one for each")
    for position, (name, kind) in enumerate(zip(named, types, strict=True)):
        if name in named[:position]:
            raise document.error(("joint_name", position), f"joint {name!r} is given two types", "keep one")
        if kind not in CHANGES:
            raise document.error(("joint_type", position), f"there is no joint type {kind!r}", nearest(kind, CHANGES))
    changes = dict(zip(named, types, strict=True))
    return FramePairs(document, tuple(pairs), changes, tuple(_words(document, "name_mot")), places)


def _words(document: Document, key: str) -> list[str]:
    """The list of names under a key, empty where there is none."""
    entries = document.data.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise document.error((key,), f"{key} is no list of names", "give [NAME, NAME]")
    return [str(entry) for entry in entries]


def _name(first: str, second: str) -> str:
    return f"{first}-{second}"
