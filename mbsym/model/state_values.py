"""Values of the states that a model names, and checks of them."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.errors import ModelError
from mbsym.model.joint import Joint
from mbsym.model.named_state import NamedState
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.values.diagnostic import Findings, Path, nearest
from mbsym.values.numbers import evaluate, parameter_values


def state_values(model: Model, name: str) -> dict[str, float]:
    """Coordinates and speeds of a named state, by the names that they have in expressions.

    Those of joints that follow others by a coupling are left out, because they are not free.

    Raises:
        ModelError: there is no such state.
    """
    state = next((item for item in model.states if item.name == name), None)
    if state is None:
        known = [item.name for item in model.states]
        raise ModelError(f"there is no state {name!r}", where=model.name, remedy=nearest(name, known))
    numbers, names = parameter_values(model), expression_names(model)
    following = {coupling.joint for coupling in model.couplings}
    return {
        entry: evaluate(value, numbers)
        for table, entries in ((names.coordinates, state.q), (names.speeds, state.v))
        for joint, values in entries
        if joint not in following
        for entry, value in zip(table[joint], values, strict=True)
    }


def check_states(states: Sequence[NamedState], joints: dict[str, Joint], findings: Findings) -> None:
    """Notes values of joints that do not exist, too few or too many of them, and values that are no numbers."""
    for index, state in enumerate(states):
        for key, entries in (("q", state.q), ("v", state.v)):
            for joint, values in entries:
                path: Path = ("states", index, key, joint)
                if joint not in joints:
                    findings.error(
                        path,
                        f"state {state.name!r} is of joint {joint!r}, which does not exist",
                        nearest(str(joint), joints),
                    )
                    continue
                shape = joints[joint].shape
                count, kind = (shape.nq, "coordinates") if key == "q" else (shape.nv, "speeds")
                if len(values) != count:
                    word = f"{joints[joint].type} joint {joint!r}"
                    what = f"{word} has {count} {kind}, state {state.name!r} gives {len(values)}"
                    findings.error(path, what, f"give {count}")
                    continue
                numbers = findings.numbers_of(values, path)
                start = joints[joint].kind.quaternion if key == "q" else None
                if numbers is not None and start is not None and not any(numbers[start : start + 4]):
                    what = f"the quaternion of joint {joint!r} in state {state.name!r} is zero"
                    findings.error(path, what, "give one of length one")
