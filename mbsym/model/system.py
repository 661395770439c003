"""Model: a mechanism as the user describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

from mbsym import markup
from mbsym.constraints import ConstraintElement
from mbsym.conventions import STANDARD_GRAVITY
from mbsym.errors import ModelError
from mbsym.forces import ForceElement
from mbsym.model.body import COINCIDENT, Body
from mbsym.model.drive import DriveState
from mbsym.model.entry_units import in_si
from mbsym.model.frame import Frame
from mbsym.model.joint import Coupling, Joint
from mbsym.model.motion import PrescribedMotion
from mbsym.model.named_state import NamedState
from mbsym.model.shape import Shape
from mbsym.values.diagnostic import nearest
from mbsym.values.given import set_plain
from mbsym.values.numbers import value_names
from mbsym.values.parameter import ControlInput, NamedExpression, Parameter, Value, Vector
from mbsym.values.table import Table
from mbsym.values.units import set_si

if TYPE_CHECKING:
    from mbsym.model.beam import Beam
    from mbsym.model.labelling import ModelLabelling
    from mbsym.topology import Labelling


CoordinateOrder: TypeAlias = "Literal['file', 'labels'] | tuple[str, ...]"
"""The layout of q: as joints stand in the file, by label, or the joints named first."""


N = TypeVar("N", Body, Joint)

MOST_SHOWN: Final = 30
"""Rows of a table that a notebook shows."""


@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """Bodies, joints and forces under the user's names, in any order, numbering and direction.

    Attributes:
        name: names the generated files and functions.
        bodies: all bodies but ground.
        joints: in the user's order.
        forces: force elements.
        parameters: named constants.
        inputs: control inputs, the entries of u.
        couplings: gears that remove a coordinate.
        constraints: closure constraints that are no joints.
        motions: of joints that are driven along laws of time.
        drives: states besides coordinates and speeds, the entries of x, with their rates.
        frames: on bodies, besides those of bodies and joints.
        shapes: of bodies and ground, for pictures.
        states: that have names.
        outputs: what is to be known of a motion, the entries of y.
        tables: measured curves, functions in expressions of forces and outputs.
        gravity: in base axes [m/s^2].
        ground: the name that joints use for ground.
        free_roots: True gives a body that nothing connects to ground a virtual free joint.
        coordinate_order: in which order the coordinates of the joints stand in q, v and tau: as the joints stand here
            ("file"), as the regular labels ("labels"), or the joints named first.
        pinocchio_order: joints in the order in which Pinocchio reads the file, where that is a URDF.
        accept_impossible_inertia: inertias that no rigid body has, as measured or as others wrote them, are warnings.
        beams: elastic beams, whose bars, hinges and springs stand among bodies, joints and forces (``with_beams``).
        warnings: what the reader of the file noticed, one sentence each.
        directory: of the file that the model was read from, where files that it names are looked for.
    """

    name: str
    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    inputs: tuple[ControlInput, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    constraints: tuple[ConstraintElement, ...] = ()
    motions: tuple[PrescribedMotion, ...] = ()
    drives: tuple[DriveState, ...] = ()
    frames: tuple[Frame, ...] = ()
    shapes: tuple[Shape, ...] = ()
    states: tuple[NamedState, ...] = ()
    outputs: tuple[NamedExpression, ...] = ()
    tables: tuple[Table, ...] = ()
    gravity: Vector = STANDARD_GRAVITY
    ground: str = "ground"
    free_roots: bool = False
    description: str = ""
    coordinate_order: CoordinateOrder = "file"
    pinocchio_order: tuple[str, ...] = ()
    accept_impossible_inertia: bool = False
    beams: tuple[Beam, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)
    directory: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        set_si(self, {"gravity": "m/s^2"}, repr(self.name))
        for part, items in in_si(self).items():
            set_plain(self, part, items)

    def __repr__(self) -> str:
        parts = ("bodies", "joints", "couplings", "constraints", "motions", "drives", "forces", "inputs", "outputs")
        others = ("parameters", "frames", "shapes", "states", "tables")
        sizes = {part: len(getattr(self, part)) for part in (*parts, *others)}
        return f"<Model {self.name!r}: {', '.join(f'{size} {part}' for part, size in sizes.items() if size)}>"

    def _repr_html_(self) -> str:
        """For notebooks: what the model has, in tables."""
        bodies = ((body.name, _shown(body.mass)) for body in self.bodies[:MOST_SHOWN])
        joints = ((joint.name, joint.type, joint.predecessor, joint.successor) for joint in self.joints[:MOST_SHOWN])
        parameters = ((item.name, _shown(item.value), item.unit) for item in self.parameters[:MOST_SHOWN])
        return "".join(
            (
                markup.paragraph(repr(self)[1:-1]),
                markup.table(("body", "mass [kg]"), bodies),
                markup.table(("joint", "type", "from", "to"), joints),
                markup.table(("parameter", "value", "unit"), parameters),
            )
        )

    def body(self, name: str) -> Body:
        """The body of that name."""
        return self._named(self.bodies, "body", name)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return self._named(self.joints, "joint", name)

    def _named(self, items: Sequence[N], what: str, name: str) -> N:
        for item in items:
            if item.name == name:
                return item
        known = [item.name for item in items]
        raise ModelError(f"no {what} is named {name!r}", where=self.name, remedy=nearest(name, known))

    def frame(self, name: str) -> Frame:
        """The frame, body or joint (on its successor) of that name as a frame of that name; KIND:NAME says which.

        Raises:
            ModelError: there is nothing of that name, or there are several things in several places.
        """
        found = self.all_frames().get(name, ())
        if not found:
            known = [*(frame.name for frame in self.frames), *(body.name for body in self.bodies)]
            raise ModelError(f"there is no frame {name!r}", where=self.name, remedy=nearest(name, known))
        if len(found) > 1:
            raise ModelError(several_frames(name, found), where=self.name, remedy=which_frame(found))
        return replace(found[0], name=name)

    def all_frames(self) -> dict[str, tuple[Frame, ...]]:
        """What each name of a frame may mean: frames in different places, those of bodies and joints behind others.

        Names are those of frames, bodies, ground and joints, and KIND:NAME for all of these.
        """
        everything = [
            *self.frames,
            *(Frame(name, name, kind="body") for name in (self.ground, *(body.name for body in self.bodies))),
            *(Frame(item.name, item.successor, item.successor_placement, kind="joint") for item in self.joints),
        ]
        first: dict[str, Frame] = {}  # a joint that was read as a frame, too, stands where its frame does
        for frame in everything:
            first.setdefault(frame.full_name, frame)
        found: dict[str, tuple[Frame, ...]] = {}
        for frame in first.values():
            for name in dict.fromkeys((frame.name, frame.short_name, frame.full_name)):
                others = found.get(name, ())
                if all(frame.home != other.home for other in others):
                    found[name] = (*others, frame)
        return found

    @property
    def frames_of_functions(self) -> tuple[Frame, ...]:
        """Its frames without those that are only named in elements and expressions."""
        return tuple(frame for frame in self.frames if frame.in_functions)

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the joints that are marked as actuated or that a force or motion drives, in its order."""
        driven = {name for force in self.forces for name in force.driven_joints}
        driven |= {motion.joint for motion in self.motions}
        return tuple(joint.name for joint in self.joints if joint.actuated or joint.name in driven)

    @property
    def uses_time_or_inputs(self) -> bool:
        """True where the equations have the arguments t and u: there are control inputs or drives, or t is named."""
        return bool(self.inputs or self.drives) or self.uses_time

    @property
    def uses_time(self) -> bool:
        """True where a force, a motion, a drive or an output depends on time."""
        return any("t" in value_names(x) for x in self.expressions)

    @property
    def expressions(self) -> tuple[Value, ...]:
        """The values that may hold what moves, time and inputs: of forces, constraints, motions, drives and outputs."""
        of_forces = (x for force in self.forces for x in force.expressions)
        of_constraints = (x for constraint in self.constraints for x in constraint.expressions)
        of_motions = (motion.law for motion in self.motions)
        of_drives = (item.rate for item in self.drives)
        of_outputs = (item.expression for item in self.outputs)
        return (*of_forces, *of_constraints, *of_motions, *of_drives, *of_outputs)

    def label(self, *, order: str = "weight") -> ModelLabelling:
        """Cut joints, regular labels and orientation, found automatically.

        Raises:
            TopologyError: a body is not connected to ground, or demands on cut joints contradict each other.
        """
        from mbsym.model.clock import with_clock
        from mbsym.model.labelling import label_model

        return label_model(with_clock(self), order=order)


def several_frames(name: str, found: Sequence[Frame]) -> str:
    """A sentence on a name that means several frames."""
    words = [
        f"the body {frame.short_name}"
        if frame.home == (frame.short_name, COINCIDENT, "local") and frame.kind == "body"
        else f"the {frame.kind} {frame.short_name} on body {frame.body}"
        for frame in found
    ]
    return f"{name!r} may be {', '.join(words[:-1])} or {words[-1]}"


def which_frame(found: Sequence[Frame]) -> str:
    """Advice on a name that means several frames."""
    *others, last = (frame.full_name for frame in found)
    return f"say {', '.join(others)} or {last}"


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def with_cuts(model: Model, cut: Sequence[str] = (), keep: Sequence[str] = ()) -> Model:
    """The model with demands on what opens its loops, in place of those that these joints have.

    Args:
        model: that has the joints.
        cut: names of joints that must be cut.
        keep: names of joints that must not be cut.

    Raises:
        ModelError: there is no joint of a name, or a joint is to be cut and kept.
    """
    for name in (*cut, *keep):
        model.joint(name)
    for name in keep:
        if name in cut:
            raise ModelError(f"joint {name!r} is to be cut and kept", where=model.name, remedy="ask for one of them")
    demands: dict[str, Literal["cut", "tree"]] = {**dict.fromkeys(cut, "cut"), **dict.fromkeys(keep, "tree")}
    joints = tuple(replace(joint, cut=demands.get(joint.name, joint.cut)) for joint in model.joints)
    return replace(model, joints=joints)


def with_virtual_joints(model: Model, labelling: Labelling) -> Model:
    """The model with the free joints that the labelling added, as ordinary joints behind the user's own, and the clock
    that its constraints go by, if they do.

    In the order of the file their coordinates stand first, as those of a floating base do. A model that has them stays
    as it is.
    """
    from mbsym.model.clock import with_clock
    from mbsym.model.labelling import virtual_joints

    model = with_clock(model)
    known = {joint.name for joint in model.joints}
    added = tuple(joint for joint in virtual_joints(model.ground, labelling) if joint.name not in known)
    if not added:
        return model
    order = model.coordinate_order
    if order != "labels":
        named = () if order == "file" else order
        order = tuple(dict.fromkeys((*named, *(joint.name for joint in added))))
    return replace(model, joints=model.joints + added, coordinate_order=order, free_roots=False)
