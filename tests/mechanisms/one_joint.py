"""A single body on a single joint."""

from __future__ import annotations

from typing import Any

from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model

BAR = Body("a", 1, (0.5, 0, 0), (0.01, 0.1, 0.1, 0, 0, 0))
SOLID = Body("b", 1, inertia=(1, 1, 1, 0, 0, 0))


def one_joint(kind: str = "revolute", body: Body = SOLID, **attributes: Any) -> Model:
    """Ground, the joint j with the given attributes, and a body."""
    return Model("one", (body,), (Joint("j", kind, "ground", body.name, **attributes),))
