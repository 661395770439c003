"""A labelling as text for people and as data for programs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from mbsym.errors import TopologyError
from mbsym.markup import aligned
from mbsym.topology.labelling import Labelling
from mbsym.topology.matrices import Matrix, incidence_matrix, joint_matrices, path_matrix

MOST_IN_STEPS: Final = 16
"""Bodies, the base counted, up to which S is printed after each joint."""

LOOPS: Final = "motion over each cut joint, joints in regular direction"
"""What the fundamental loops say."""

_TOLD: Final = {
    "as given": "joints as given: predecessor and successor",
    "assembled": "assembled: the joint's number, zero if it is cut",
    "labelled": "labelled, as end bodies were taken off: {layers}",
    "sorted": "turned to point away from the base, and sorted",
}


def joint_matrices_to_json(labelling: Labelling) -> dict[str, list[list[int]]]:
    """Returns J as given, assembled, labelled and sorted, as lists of rows."""
    return {name: [list(row) for row in rows] for name, rows in _joint_matrices(labelling).items()}


def labelling_to_json(labelling: Labelling, name: str) -> dict[str, Any]:
    """Returns the labelling of the system ``name`` as lists and dictionaries that JSON can hold.

    User names become strings. Dictionaries by name follow the order given by the user, lists of names the labels.

    Raises:
        TopologyError: two names are the same as text, or the system is too large for dense matrices.
    """
    incidence = incidence_matrix(labelling.inboard, labelling.outboard, labelling.nb)
    return {
        "name": name,
        "bodies": _by_text(labelling.body_labels, "body"),
        "joints": _by_text(labelling.joint_labels, "joint"),
        "cut_joints": [str(joint) for joint in labelling.cut_joints],
        "flipped": [str(joint) for joint in labelling.flipped],
        "patterns": _by_text(labelling.patterns, "joint"),
        "weights": _by_text(labelling.weights, "joint"),
        "inboard": list(labelling.inboard),
        "incidence_matrix": [list(row) for row in incidence],
        "path_matrix": [list(row) for row in path_matrix(labelling.tree)],
        "loops": {
            str(cut): {str(joint): sign for joint, sign in loop.items()} for cut, loop in labelling.loops.items()
        },
    }


def labelling_table(labelling: Labelling) -> str:
    """Returns one line for each joint in label order, and below them how many there are."""
    lines = aligned(labelling_rows(labelling), right=(0, 7))
    lines.insert(1, "-" * max(map(len, lines)))
    if labelling.nj > labelling.nb:
        lines.insert(labelling.nb + 2, "-" * len(lines[1]))
    loops = labelling.nj - labelling.nb
    summary = (
        f"{_count(labelling.nb, 'body', 'bodies')}, {_count(labelling.nj, 'joint', 'joints')}, "
        f"{_count(loops, 'cut joint', 'cut joints')}" + (f": {listed(labelling.cut_joints)}" if loops else "")
    )
    lines += ["", summary]
    if labelling.added_joints:
        lines.append(f"free joints added: {listed(labelling.added_joints)}")
    return "\n".join(lines) + "\n"


def labelling_rows(labelling: Labelling) -> list[list[str]]:
    """Returns a head and a row for each joint in label order: the bodies it connects, and whether it is cut or flipped.

    The outboard body of a tree joint has the joint's label, so the first nb rows are those of the bodies, too.
    """
    bodies = labelling.body_names
    columns = ["label", "body", "parent", "joint", "cut", "flipped", "pattern"]
    if labelling.joint_weights:
        columns.append("weight")
    rows = [columns]
    patterns = labelling.assembly.patterns
    for label, (tail, head) in enumerate(zip(labelling.labels.inboard, labelling.labels.outboard, strict=True), 1):
        original = labelling.labels.joints[label - 1]
        cut = label > labelling.nb
        row = [
            str(label),
            f"{bodies[head]} ({head})" if cut else str(bodies[head]),
            f"{bodies[tail]} ({tail})",
            str(labelling.joint_names[label - 1]),
            "cut" if cut else "",
            "flipped" if labelling.labels.flipped[label - 1] else "",
            patterns[original],
        ]
        if labelling.joint_weights:
            row.append(str(labelling.joint_weights[original]))
        rows.append(row)
    return rows


def matrices_text(labelling: Labelling) -> str:
    """Returns J on its way, S0, S and T, and the signed fundamental loop of each cut joint, as text.

    Raises:
        TopologyError: the system is too large for dense matrices.
    """
    incidence = incidence_matrix(labelling.inboard, labelling.outboard, labelling.nb)
    blocks = [f"{told}\n{_named('J', rows)}" for _, told, rows in told_joint_matrices(labelling)]
    blocks += [_named("S0", incidence[:1]), _named("S", incidence[1:]), _named("T", path_matrix(labelling.tree))]
    if labelling.loops:
        blocks.append("\n".join([LOOPS, *aligned([[cut, f"= {way}"] for cut, way in loop_rows(labelling)])]))
    return "\n\n".join(blocks) + "\n"


def loop_rows(labelling: Labelling) -> list[tuple[str, str]]:
    """Returns the name of each cut joint and its loop, signed tree joints."""
    return [
        (str(cut), " ".join(f"{'+' if sign > 0 else '-'} {joint}" for joint, sign in loop.items()))
        for cut, loop in labelling.loops.items()
    ]


def history_text(labelling: Labelling) -> str:
    """Returns S after each joint of the assembly, as the sets of bodies that are connected then; small ones whole, too.

    Raises:
        TopologyError: the system is larger than the limit that the message states.
    """
    lines = aligned(history_rows(labelling), right=(0,))
    lines.insert(1, "-" * max(map(len, lines)))
    if len(labelling.graph.body_names) <= MOST_IN_STEPS:
        lines += ["", f"S, bodies in the order given: {listed(labelling.graph.body_names)}"]
        for count, taken in enumerate(labelling.steps, start=1):
            same = taken.pattern == "d"
            lines += ["", f"S{count} = S{count - 1}" if same else _named(f"S{count}", taken.matrix())]
    return "\n".join(lines) + "\n"


def history_rows(labelling: Labelling) -> list[list[str]]:
    """Returns a head and a row for each joint in the order of assembly: its pattern and the connected bodies."""
    rows = [["step", "joint", "pattern", "connected bodies"]]
    for step, item in enumerate(history_to_json(labelling), start=1):
        branches = "  ".join(f"{{{listed(branch)}}}" for branch in item["branches"])
        rows.append([str(step), item["joint"], item["pattern"], branches])
    return rows


def history_to_json(labelling: Labelling) -> list[dict[str, Any]]:
    """Returns the joint, its pattern and the connected bodies of each step of the assembly, all by user name.

    Bodies stand in the order given by the user, the base first, and so do the sets by their first body.

    Raises:
        TopologyError: the system is larger than the limit that the message states.
    """
    bodies, joints = labelling.graph.body_names, labelling.graph.joint_names
    return [
        {
            "joint": str(joints[step.joint]),
            "pattern": step.pattern,
            "branches": [[str(bodies[body]) for body in branch] for branch in step.branches()],
        }
        for step in labelling.steps
    ]


def told_joint_matrices(labelling: Labelling) -> list[tuple[str, str, Matrix]]:
    """Returns J on its way: what it is by then, what has happened to it, in words, and its rows."""
    layers = " ".join(f"{{{listed(layer)}}}" for layer in labelling.layers)
    return [(name, _TOLD[name].format(layers=layers), rows) for name, rows in _joint_matrices(labelling).items()]


def _joint_matrices(labelling: Labelling) -> dict[str, Matrix]:
    return joint_matrices(labelling.graph, labelling.assembly.patterns, labelling.labels)


def _by_text(values: Mapping[Hashable, Any], kind: str) -> dict[str, Any]:
    texts: dict[str, Any] = {}
    for name, value in values.items():
        text = str(name)
        if text in texts:
            raise TopologyError(
                f"two names are the same as text: {text}", where=kind, remedy=f"give each {kind} a name of its own"
            )
        texts[text] = value
    return texts


def listed(names: Iterable[Hashable]) -> str:
    """Names with commas between."""
    return ", ".join(map(str, names))


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _named(name: str, rows: Sequence[Sequence[int]]) -> str:
    lines = ["[" + " ".join(f"{entry:2d}" for entry in row) + "]" for row in rows]
    return "\n".join(
        f"{name if k == 0 else '':>{max(2, len(name))}} {'=' if k == 0 else ' '} {line}" for k, line in enumerate(lines)
    )
