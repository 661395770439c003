"""From joints in any numbering, naming and direction to regular labels, cut joints and the matrices S and T."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from mbsym import markup
from mbsym.errors import TopologyError
from mbsym.topology.assembly import Assembly, AssemblyStep, assembly_history
from mbsym.topology.disassembly import RegularLabels, regular_labels
from mbsym.topology.graph import JointGraph, read_graph, require_ground, with_free_joints
from mbsym.topology.joint_weights import POLICIES, JointTraits, joint_weight
from mbsym.topology.matrices import Matrix, fundamental_loops, incidence_matrix, path_matrix
from mbsym.topology.spanning_tree import Method, spanning_tree
from mbsym.topology.tree import SpanningTree

Order = Literal["weight", "input"]
FreeRoots = Literal["error", "add"]

MOST_SHOWN: Final = 30
"""Joints that a table in a notebook has at most, and bodies above which it shows no matrix."""


@dataclass(frozen=True, eq=False, repr=False)
class Labelling:
    """A system of bodies and joints in regular labels.

    Bodies are labelled 0 (base) to nb, tree joints 1 to nb, cut joints nb+1 to nj. What is keyed by user names and
    every matrix is made when first asked for; the labels themselves take memory linear in bodies and joints.

    Attributes:
        graph: bodies and joints in original numbers, added free joints included.
        assembly: order of assembly and patterns.
        labels: the maps between original numbers and labels, and the incidence arrays of all joints.
        joint_weights: weight of each joint in original numbers; empty if none were given.
        added_joints: names of the virtual free joints that were added for branches without ground.
    """

    graph: JointGraph
    assembly: Assembly
    labels: RegularLabels
    joint_weights: tuple[int, ...] = ()
    added_joints: tuple[Hashable, ...] = ()

    def __repr__(self) -> str:
        return f"Labelling({self.nb} bodies, {self.nj} joints, {self.nj - self.nb} of them cut)"

    def _repr_html_(self) -> str:
        """For notebooks: bodies and joints by label, with their patterns."""
        flipped, cut = set(self.flipped), set(self.cut_joints)
        ends_of = zip(*self.matrix[:2], strict=True)
        rows = (
            (label, joint, *(self.body_names[end] for end in ends), self.patterns[joint],
             ", ".join(word for word, named in (("cut", cut), ("flipped", flipped)) if joint in named))
            for label, (joint, ends) in enumerate(zip(self.joint_names, ends_of, strict=True), 1)
            if label <= MOST_SHOWN
        )  # fmt: skip
        return markup.paragraph(repr(self)) + markup.table(("label", "joint", "from", "to", "pattern", ""), rows)

    def _repr_latex_(self) -> str:
        """For notebooks: the path matrix T."""
        rows = (
            r" \\ ".join(" & ".join(map(str, row)) for row in path_matrix(self.tree))
            if self.nb <= MOST_SHOWN
            else r"\dots"
        )
        return rf"$\displaystyle T = \begin{{bmatrix}} {rows} \end{{bmatrix}}$"

    @property
    def nb(self) -> int:
        """Number of bodies, the base not counted; also the number of tree joints."""
        return self.graph.nb

    @property
    def nj(self) -> int:
        """Number of joints, cut joints counted."""
        return self.graph.nj

    @cached_property
    def body_labels(self) -> dict[Hashable, int]:
        """I_B: label of each body by user name, in original order, the base first with 0."""
        return dict(zip(self.graph.body_names, self.labels.body_labels, strict=True))

    @cached_property
    def joint_labels(self) -> dict[Hashable, int]:
        """I_J: label of each joint by user name, in the order given."""
        return dict(zip(self.graph.joint_names, self.labels.joint_labels, strict=True))

    @cached_property
    def body_names(self) -> tuple[Hashable, ...]:
        """User name of each body label 0..nb."""
        names = self.graph.body_names
        return tuple(names[body] for body in self.labels.bodies)

    @cached_property
    def joint_names(self) -> tuple[Hashable, ...]:
        """User name of each joint label; joint j is at index j - 1."""
        names = self.graph.joint_names
        return tuple(names[joint] for joint in self.labels.joints)

    @property
    def cut_joints(self) -> tuple[Hashable, ...]:
        """User names of the cut joints in label order (ascending original number)."""
        return tuple(self.graph.joint_names[joint] for joint in self.labels.joints[self.nb :])

    @cached_property
    def flipped(self) -> tuple[Hashable, ...]:
        """User names of the joints that point against the user's direction, in label order.

        The coordinates, speeds, forces and wrenches of these joints keep the user's sense in every output.
        """
        names = self.graph.joint_names
        return tuple(
            names[joint] for joint, turned in zip(self.labels.joints, self.labels.flipped, strict=True) if turned
        )

    @property
    def orientation(self) -> tuple[int, ...]:
        """+1 for each joint by label (index j - 1) that keeps the user's direction, -1 for a flipped one."""
        return tuple(1 - 2 * turned for turned in self.labels.flipped)

    @cached_property
    def patterns(self) -> dict[Hashable, str]:
        """Assembly pattern a, b, c or d of each joint by user name, in the order given; d is a cut joint."""
        return dict(zip(self.graph.joint_names, self.assembly.patterns, strict=True))

    @cached_property
    def weights(self) -> dict[Hashable, int]:
        """Weight of each joint by user name, in the order given; zero where no weights were given."""
        return dict(zip(self.graph.joint_names, self.joint_weights or (0,) * self.nj, strict=True))

    @property
    def assembly_order(self) -> tuple[Hashable, ...]:
        """User names of the joints in the order of assembly."""
        return tuple(self.graph.joint_names[joint] for joint in self.assembly.order)

    @property
    def matrix(self) -> Matrix:
        """The regular 3 x nj matrix: rows H+, H- and joint label, columns in label order."""
        return (self.labels.inboard, self.labels.outboard, tuple(range(1, self.nj + 1)))

    @property
    def inboard(self) -> tuple[int, ...]:
        """i+(1..nb): inboard body of each tree joint, which is the parent of the body with the joint's label."""
        return self.labels.inboard[: self.nb]

    @property
    def outboard(self) -> tuple[int, ...]:
        """i-(1..nb) = 1..nb: outboard body of each tree joint."""
        return self.labels.outboard[: self.nb]

    @cached_property
    def tree(self) -> SpanningTree:
        """The spanning tree in labels, for paths, subtrees, common ancestors and levels."""
        return SpanningTree.from_inboard(self.inboard)

    @cached_property
    def loops(self) -> dict[Hashable, dict[Hashable, int]]:
        """Tree joints of the fundamental loop of each cut joint with their signs, all by user name, in label order.

        The motion over the cut joint from its inboard to its outboard body is the sum of sign times joint motion,
        joints in their regular direction. Costs the total length of all loops.
        """
        names = self.joint_names
        cut = zip(self.cut_joints, self.labels.inboard[self.nb :], self.labels.outboard[self.nb :], strict=True)
        return {
            name: {names[joint - 1]: sign for joint, sign in self.tree.loop(tail, head).items()}
            for name, tail, head in cut
        }

    @property
    def layers(self) -> tuple[tuple[Hashable, ...], ...]:
        """User names of the bodies in each layer of the disassembly, end bodies first."""
        layers = []
        end = self.nb + 1
        for size in self.labels.layer_sizes:
            layers.append(self.body_names[end - size : end])
            end -= size
        return tuple(layers)

    @property
    def levels(self) -> tuple[tuple[Hashable, ...], ...]:
        """User names of the bodies 1, 2, ... joints away from the base, by label in each level."""
        return tuple(tuple(self.body_names[body] for body in level) for level in self.tree.levels_by_depth)

    @cached_property
    def steps(self) -> tuple[AssemblyStep, ...]:
        """S after each joint of the assembly, in original numbers.

        Raises:
            TopologyError: the system is larger than the limit that the message states.
        """
        return assembly_history(self.graph, self.assembly.order)

    @cached_property
    def history(self) -> tuple[tuple[frozenset[Hashable], ...], ...]:
        """``steps`` as the sets of connected bodies by user name; raises as they do."""
        names = self.graph.body_names
        return tuple(
            tuple(frozenset(names[body] for body in branch) for branch in step.branches()) for step in self.steps
        )

    @cached_property
    def connectivity_matrices(self) -> tuple[Matrix, ...]:
        """``steps`` as (nb+1) x (nb+1) zeros and ones in original body numbers; raises as they do."""
        return tuple(step.matrix() for step in self.steps)


class GraphLabelling(Labelling):
    """The labelling of a bare graph, with its matrices as rows of integers."""

    @cached_property
    def incidence_matrix(self) -> Matrix:
        """S0 and below it S: nb+1 rows for the bodies 0..nb, nb columns for the tree joints."""
        return incidence_matrix(self.inboard, self.outboard, self.nb)

    @cached_property
    def path_matrix(self) -> Matrix:
        """T, nb x nb, rows for the tree joints and columns for the bodies 1..nb; T S = S T = E, S0 T = -1^T."""
        return path_matrix(self.tree)

    @cached_property
    def cut_incidence_matrix(self) -> Matrix:
        """Columns of the cut joints: nb+1 rows for the bodies 0..nb; S_cut is all but the first row."""
        return incidence_matrix(self.labels.inboard[self.nb :], self.labels.outboard[self.nb :], self.nb)

    @cached_property
    def loop_matrix(self) -> Matrix:
        """T S_cut, nb rows for the tree joints, a column for each cut joint: its signed fundamental loop."""
        return fundamental_loops(self.tree, self.labels.inboard[self.nb :], self.labels.outboard[self.nb :])


def label(
    joints: Iterable[Sequence[Any]],
    base: Hashable = 0,
    weights: Mapping[Any, int] | Sequence[int] | None = None,
    method: Method = "kruskal",
    forced: Mapping[Any, str] | None = None,
    order: Order = "weight",
    bodies: Iterable[Hashable] | None = None,
    free_roots: FreeRoots = "error",
) -> GraphLabelling:
    """Labels a system of joints regularly and picks its cut joints.

    Args:
        joints: triples ``(name, H+, H-)``; names and bodies are any hashables, the joint points from H+ to H-.
        base: the body that is ground.
        weights: weight of each joint, by name or in the order given; the heavier joint of a loop is cut. None
            leaves it to the order given, of which the later joint is cut.
        method: "kruskal" (minimum-weight spanning tree), "depth-first" or "breadth-first" search from the base.
        forced: joints that must be cut, or must not be, by name: "cut" or "tree".
        order: "weight" uses the weights; "input" assembles in the order given whatever the weights.
        bodies: every body, in the order that numbers them; default is ascending if all bodies are integers, else the
            order of first mention. With it, a joint to any other body is an error.
        free_roots: what happens to a branch that nothing connects with the base: "error", or "add" a virtual free
            joint from the base to its first body.

    Raises:
        TopologyError: the input is no system of joints on one ground, or demands contradict each other.
    """
    if order not in ("weight", "input"):
        raise TopologyError(f"there is no order {order!r}", where="order", remedy="use weight or input")
    if free_roots not in ("error", "add"):
        raise TopologyError(f"free_roots cannot be {free_roots!r}", where="free_roots", remedy="use error or add")
    graph = read_graph(joints, base, bodies)
    demands: dict[str, list[Hashable]] = {"cut": [], "tree": []}
    for name, demand in (forced or {}).items():
        if demand not in demands:
            raise TopologyError(f"it cannot be forced to {demand!r}", where=f"joint {name}", remedy="say cut or tree")
        demands[demand].append(name)
    given = graph.nj
    weight_values = _weight_values(graph, weights)
    if free_roots == "add":
        graph = with_free_joints(graph)
        if weight_values:
            # Nothing else grounds the branch, so the weight decides no more than the joint's place in the order.
            free = joint_weight(JointTraits("free joint", dof=6), POLICIES["type-only"])
            weight_values = [*weight_values, *(free for _ in range(graph.nj - given))]
    require_ground(graph)
    assembly = spanning_tree(
        graph,
        weight_values if weight_values and order == "weight" else None,
        method,
        *(graph.joint_numbers(names, f"forced_{demand}") for demand, names in demands.items()),
    )
    return GraphLabelling(
        graph,
        assembly,
        regular_labels(graph, assembly.patterns),
        tuple(weight_values),
        graph.joint_names[given:],
    )


def _weight_values(graph: JointGraph, weights: Mapping[Any, int] | Sequence[int] | None) -> list[int]:
    """Returns the weights in original joint order, checked; the empty list if none are given."""
    if weights is None:
        return []
    if isinstance(weights, Mapping):
        missing = [name for name in graph.joint_names if name not in weights]
        if missing:
            raise TopologyError(
                "the joint has no weight", where=f"joint {missing[0]}", remedy="give every joint a weight"
            )
        known = set(graph.joint_names)
        unknown = [name for name in weights if name not in known]
        if unknown:
            raise TopologyError(
                "a weight is given to a joint that does not exist",
                where=f"joint {unknown[0]}",
                remedy="use the names of the joints",
            )
        values = [weights[name] for name in graph.joint_names]
    else:
        values = list(weights)
        if len(values) != graph.nj:
            raise TopologyError(
                f"there are {len(values)} weights for {graph.nj} joints",
                where="weights",
                remedy="give every joint one weight",
            )
    for name, value in zip(graph.joint_names, values, strict=True):
        if not isinstance(value, int):
            raise TopologyError(
                f"the weight {value!r} is no integer", where=f"joint {name}", remedy="use integers as weights"
            )
    return values
