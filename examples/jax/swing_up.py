"""Pushes that swing a cart-pole up, by gradients through a simulation.

Forward dynamics are one call of compiled code; JAX differentiates the whole simulation through their exact Jacobian.

    python examples/jax/swing_up.py
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp

import mbsym

STEPS, DURATION = 60, 1.5
GOAL = jnp.zeros(4)
START = jnp.array([0.0, 3.14159, 0.0, 0.0])


def exported(directory: Path) -> Any:
    """The cart-pole's functions for JAX."""
    mbsym.export("cart_pole", "jax", directory, functions=["forward_dynamics"], symbolic_parameters="none")
    sys.path.insert(0, str(directory))
    return importlib.import_module("cart_pole_jax")


def cost_of(forward_dynamics: Callable[..., jax.Array]) -> Callable[[jax.Array], jax.Array]:
    """How far from upright and at rest pushes (STEPS,) lead, and how hard they are."""
    h = DURATION / STEPS

    def step(state: jax.Array, push: jax.Array) -> tuple[jax.Array, None]:
        q, v = state[:2], state[2:]
        v = v + h * forward_dynamics(q, v, jnp.zeros(2), 0.0, push[None])
        return jnp.concatenate([q + h * v, v]), None

    def cost(pushes: jax.Array) -> jax.Array:
        final, _ = jax.lax.scan(step, START, pushes)
        return jnp.sum((final - GOAL) ** 2) + 1e-4 * h * jnp.sum(pushes**2)

    return cost


def optimised(cost: Callable[[jax.Array], jax.Array], rounds: int) -> tuple[float, float]:
    """The cost before and after so many rounds of Adam."""
    value_and_slope = jax.jit(jax.value_and_grad(cost))
    pushes = 5 * jnp.sin(jnp.linspace(0, 9, STEPS))
    mean, square = jnp.zeros(STEPS), jnp.zeros(STEPS)
    first = float(cost(pushes))
    for k in range(1, rounds + 1):
        _, slope = value_and_slope(pushes)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        pushes = pushes - 0.3 * (mean / (1 - 0.9**k)) / (jnp.sqrt(square / (1 - 0.99**k)) + 1e-12)
    return first, float(cost(pushes))


def main() -> None:
    """Prints the cost before and after."""
    jax.config.update("jax_enable_x64", True)
    with TemporaryDirectory() as scratch:
        cost = cost_of(exported(Path(scratch)).forward_dynamics)
        before, after = optimised(cost, 400)
    print(f"cost {before:.3f} -> {after:.4f}")


if __name__ == "__main__":
    main()
