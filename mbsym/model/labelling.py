"""From the bodies and joints of a model to its labelling: which joints are cut, which labels everything gets."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

from mbsym.doors import sympy
from mbsym.errors import TopologyError
from mbsym.forces import ForceElement
from mbsym.joints.free import FREE
from mbsym.model.beam import Beam
from mbsym.model.beam_parts import parts_of
from mbsym.model.body import Body
from mbsym.model.joint import Coupling, Joint
from mbsym.model.motion import PrescribedMotion
from mbsym.model.names import NamedSystem, expression_names
from mbsym.topology.joint_weights import JointTraits, joint_weights
from mbsym.topology.labelling import Labelling, label
from mbsym.topology.matrices import fundamental_loops, incidence_matrix, path_matrix
from mbsym.topology.spanning_tree import assembly_order
from mbsym.values.numbers import value_names
from mbsym.values.parameter import Value


class JointedSystem(NamedSystem, Protocol):
    """What labelling asks of a model."""

    @property
    def bodies(self) -> tuple[Body, ...]: ...
    @property
    def forces(self) -> tuple[ForceElement, ...]: ...
    @property
    def expressions(self) -> tuple[Value, ...]: ...
    @property
    def couplings(self) -> tuple[Coupling, ...]: ...
    @property
    def motions(self) -> tuple[PrescribedMotion, ...]: ...
    @property
    def beams(self) -> tuple[Beam, ...]: ...
    @property
    def ground(self) -> str: ...
    @property
    def free_roots(self) -> bool: ...


class ModelLabelling(Labelling):
    """The labelling of a model, with its matrices in SymPy."""

    @cached_property
    def incidence_matrix(self) -> Any:
        """S0 and below it S as a SymPy matrix, (nb+1) x nb."""
        return _sympy_matrix(incidence_matrix(self.inboard, self.outboard, self.nb), self.nb + 1, self.nb)

    @cached_property
    def path_matrix(self) -> Any:
        """T as a SymPy matrix, nb x nb: T S = S T = E, S0 T = -1^T."""
        return _sympy_matrix(path_matrix(self.tree), self.nb, self.nb)

    @cached_property
    def loop_matrix(self) -> Any:
        """T S_cut as a SymPy matrix, nb x number of cut joints: the signed fundamental loops."""
        inboard, outboard = self.labels.inboard[self.nb :], self.labels.outboard[self.nb :]
        return _sympy_matrix(fundamental_loops(self.tree, inboard, outboard), self.nb, self.nj - self.nb)


def _sympy_matrix(rows: tuple[tuple[int, ...], ...], height: int, width: int) -> Any:
    return sympy.ImmutableMatrix(height, width, [entry for row in rows for entry in row])


def label_model(model: JointedSystem, *, order: str = "weight") -> ModelLabelling:
    """Labels the bodies and joints of a model regularly and picks its cut joints.

    A joint with a motor, or along which a spring, damper or rotor acts, stays in the tree where it can; joints of a
    coupling, and those inside a beam and at its root, always do: they are tied together.

    Args:
        model: bodies and joints in any order, numbering and direction.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``; "weight" takes the lightest joint first.

    Raises:
        TopologyError: there is no such order, a body is not connected to ground, or demands on cut joints contradict
            each other.
    """
    chosen = assembly_order(order, model.name)
    traits = joint_traits(model)
    found = label(
        [(joint.name, joint.predecessor, joint.successor) for joint in model.joints],
        base=model.ground,
        weights=joint_weights(traits, chosen.policy),
        method=chosen.method,
        forced={item.name: item.force for item in traits if item.force is not None},
        order="weight" if chosen.weighed else "input",
        bodies=[body.name for body in model.bodies],
        free_roots="add" if model.free_roots else "error",
    )
    return ModelLabelling(found.graph, found.assembly, found.labels, found.joint_weights, found.added_joints)


def joint_traits(model: JointedSystem) -> list[JointTraits]:
    """What decides the weight of each joint, in the model's order.

    Raises:
        TopologyError: a joint inside a beam is to be cut.
    """
    loaded = _loaded_joints(model)
    coupled = {name for coupling in model.couplings for name in (coupling.joint, coupling.source)}
    inside = {
        joint.name: beam for beam in model.beams for joint in parts_of(beam).joints if joint.name not in beam.ends
    }
    # A loop through a beam leaves it at its tip, so that roots and what lies behind them never close one.
    kept = coupled | {motion.joint for motion in model.motions} | {*inside} | {beam.ends[0] for beam in model.beams}
    traits = []
    for joint in model.joints:
        force = None if joint.cut == "auto" else joint.cut
        if force == "cut" and joint.name in inside:
            raise TopologyError(
                f"the joint lies inside beam {inside[joint.name].name}, which no cut may part",
                where=f"joint {joint.name}",
                remedy="cut a joint beside the beam",
            )
        traits.append(
            JointTraits(
                joint.name,
                joint.shape.nv,
                joint.kind.tie_break,
                actuated=not joint.kind.is_rigid and joint.actuated,
                loaded=not joint.kind.is_rigid and joint.name in loaded,
                reaction_wanted=joint.reaction_wanted,
                touches_ground=model.ground in (joint.predecessor, joint.successor),
                force="tree" if force is None and joint.name in kept else force,
                weight=joint.weight,
            )
        )
    return traits


def _loaded_joints(model: JointedSystem) -> set[str]:
    """Names of the joints along which something acts, or by whose coordinates and speeds a force is written."""
    loaded = {name for force in model.forces for name in force.named("joint")}
    loaded |= {joint.name for joint in model.joints if joint.armature != 0}
    named = {name for value in model.expressions for name in value_names(value)}
    if not named:
        return loaded
    known = expression_names(model)
    return loaded | {
        joint.name for joint in model.joints if named & {*known.coordinates[joint.name], *known.speeds[joint.name]}
    }


def virtual_joints(ground: str, labelling: Labelling) -> tuple[Joint, ...]:
    """The free joints that the labelling added, as ordinary joints."""
    graph = labelling.graph
    first = len(graph.joint_names) - len(labelling.added_joints)
    return tuple(
        Joint(str(graph.joint_names[k]), FREE.name, ground, str(graph.body_names[graph.successors[k]]))
        for k in range(first, len(graph.joint_names))
    )
