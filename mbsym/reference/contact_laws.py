"""Contacts and tyres of the reference: rims by angles along their circles, slip by ratios and angles."""

from __future__ import annotations

from math import atan, atan2, copysign, cos, hypot, inf, pi, sin, tan
from typing import Any, Final

import numpy as np

from mbsym.reference.force_state import State
from mbsym.reference.rotations import Array, cross

FLAT: Final = 1e-3
"""Sine below which the lowest point of a disc goes to its centre."""


def contact_force(state: State, element: Any) -> None:
    """What a ball, point or rim and a surface do to each other."""
    middle, origin = state.place(element.body, element.center), state.place(element.on, element.surface_point)
    radius, circle, large = (state.of(value) for value in (element.radius, element.rim, element.surface_radius))
    inside = element.surface in ("bowl", "bore")
    along = state.unit(element.on, element.surface_axis)
    if circle:
        # Along the circle, the height over a plane and the square of the distance from a point go with the cosine of
        # an angle from where they are largest.
        up = along if element.surface == "plane" else middle - origin
        axis, hub = state.unit(element.body, element.axis), middle
        if element.surface == "cylinder":
            # Four times from the rim to the cylinder's axis and back, as the page on contacts says.
            for _ in range(4):
                foot = origin + along * (along @ (middle - origin))
                middle = _on_circle(hub, axis, circle, hub - foot, FLAT * large)
        else:
            middle = _on_circle(hub, axis, circle, -up if inside else up, FLAT * (large or 1.0))
    if element.surface == "plane":
        normal, out = along, float(along @ (middle - origin))
    else:
        foot = origin + along * (along @ (middle - origin)) if element.surface in ("cylinder", "bore") else origin
        far = float(np.linalg.norm(middle - foot))
        normal, out = (middle - foot) / far, far - large
        if inside:
            normal, out = -normal, -out
    depth = radius - out
    if depth <= 0:
        return
    place = middle - radius * normal
    slip = state.velocity(element.body, place) - state.velocity(element.on, place)
    rate = -float(normal @ slip)
    full = state.of(element.at_depth)
    pushed = state.of(element.stiffness) * full * (depth / full) ** state.of(element.exponent)
    load = pushed * (1 + state.of(element.damping) * rate) + state.of(element.dashpot) * rate
    if load <= 0:
        return
    sliding = slip - normal * (normal @ slip)
    rubbed = state.of(element.friction) * load / hypot(np.linalg.norm(sliding), state.of(element.transition_speed))
    _press(state, (element.body, element.on), place, load * normal - rubbed * sliding)


def tyre_force(state: State, element: Any) -> None:
    """What a wheel and a plane do to each other."""
    hub, origin = state.place(element.wheel, element.center), state.place(element.on, element.plane_point)
    normal, axis = state.unit(element.on, element.normal), state.unit(element.wheel, element.axis)
    rounding = state.of(element.profile)
    middle = _on_circle(hub, axis, state.of(element.radius) - rounding, normal, FLAT)
    place = middle - rounding * normal
    depth = -float(normal @ (place - origin))
    if depth <= 0:
        return
    velocity = state.velocity(element.wheel, place) - state.velocity(element.on, place)
    load = state.of(element.stiffness) * depth - state.of(element.damping) * float(normal @ velocity)
    if load <= 0:
        return
    forwards = cross(axis, normal)
    forwards /= np.linalg.norm(forwards)
    left = cross(normal, forwards)
    # As the wheel travels: its velocity there without what turning about its axle adds.
    turning = float(axis @ (state.angular_velocity(element.wheel) - state.angular_velocity(element.on)))
    travel = velocity - turning * cross(axis, place - hub)
    ahead, aside = float(forwards @ travel), float(left @ travel)
    tread = ahead - float(forwards @ velocity)
    speed = hypot(tread if element.law == "brush" else ahead, state.of(element.transition_speed))
    kappa, alpha = (tread - ahead) / speed, atan2(aside, speed)
    slip = hypot(kappa, tan(alpha))
    if slip > 0:
        longitudinal = load * _slip_force(state, element, "longitudinal", slip) * kappa / slip
        lateral = -load * _slip_force(state, element, "cornering", slip) * tan(alpha) / slip
    else:
        longitudinal = lateral = 0.0
    ends = element.wheel, element.on
    _press(state, ends, place, load * normal + longitudinal * forwards)
    _press(state, ends, place - _trail(state, element, slip) * forwards, lateral * left)


def _trail(state: State, element: Any, slip: float) -> float:
    """How far behind the lowest point the side force acts."""
    part = slip * state.of(element.cornering_stiffness) / (3 * state.of(element.cornering_friction))
    behind = (1 - part) ** 3 / (1 - part + part**2 / 3) if part < 1 else 0.0
    return state.of(element.trail) * behind


def _slip_force(state: State, element: Any, way: str, slip: float) -> float:
    """Force per load."""
    stiffness, friction = (state.of(getattr(element, f"{way}_{key}")) for key in ("stiffness", "friction"))
    if element.law == "linear":
        return min(stiffness * slip, friction)
    if element.law == "brush":
        sliding = 3 * friction / stiffness if stiffness else inf
        part = slip / sliding
        return friction * (3 * part - 3 * part**2 + part**3) if part < 1 else friction
    shape, curvature = state.of(getattr(element, f"{way}_shape")), state.of(getattr(element, f"{way}_curvature"))
    steepness = stiffness / (shape * friction)
    if not steepness:
        return 0.0
    phi = (1 - curvature) * slip + curvature / steepness * atan(steepness * slip)
    return friction * sin(shape * atan(steepness * phi))


def _on_circle(middle: Array, axis: Array, radius: float, up: Array, least: float) -> Array:
    """The lowest point of a circle about an axis; one nearer to its middle where up has less than ``least`` across."""
    first = cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    second = cross(axis, first)
    highest = atan2(float(up @ second), float(up @ first))
    share = min(1.0, hypot(float(up @ first), float(up @ second)) / least)
    angle = highest + copysign(pi, -highest)
    return middle + radius * share * (cos(angle) * first + sin(angle) * second)


def _press(state: State, bodies: tuple[str, str], place: Array, force: Array) -> None:
    """A force on the first body there, and its opposite on the second."""
    for name, sign in zip(bodies, (1, -1), strict=True):
        state.pull(name, place, sign * force)
