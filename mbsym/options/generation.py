"""What a generation is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mbsym.codegen.interface import Real, Trigonometry
from mbsym.conventions import LARGEST_CODE
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.formulations.shared.style import Style
from mbsym.model.frame import FrameAxes


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """What to generate.

    Attributes:
        languages: names from ``codegen.languages``, empty for all.
        functions: names from the catalogue, empty for all that the mechanism has but those on request.
        formulation: name from ``registry.FORMULATIONS``; "auto" takes the fewest operations.
        real: floating-point type of the C code.
        symbolic_parameters: "" as the model says, "all", "none", or names; BODY.inertial stands for mass, first moment
            and inertia of a body.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.
        prefix: of C symbols and macros, and name of the files; "" for the model's name.
        frames: names of frames, bodies or joints to give the functions of frames for; ("all",) for all frames.
        frame_axes: in which their velocities, accelerations and Jacobians are; "" as the model says, else local.
        largest: estimated size of the code up to which it is made [MB].
        derivatives: of functions, by arguments and run-time parameters.
        compressed: functions on request and derivatives return of each matrix only what is not zero by structure.
        trigonometry: "libm" calls the library, "inline" has those of a C function side by side, "argument" takes them.
        batch: functions that C has for many states at once too; ("all",) for all.
        simplify: names from ``registry.SIMPLIFICATIONS``, "all" or "none".
        beside: "self-test" for a program that runs the C on its target and compares with frozen results;
            "safety-report" for what a safety case asks about the C.
        prepare: what depends on parameters alone is computed by a function of its own.
        style: "straight" writes every operation out, "shared" lets bodies of one kind share steps that loops call,
            where a function can be made so; "auto" does that for long mechanisms.
        threads: for how many the code divides the work of one state (OpenMP); 0 for code that knows of none.
        may_leave_out: where no functions are named, those that would be too large are left out and not refused.
    """

    languages: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    formulation: str = "auto"
    real: Real = "double"
    symbolic_parameters: str | tuple[str, ...] = ""
    order: str = "weight"
    prefix: str = ""
    frames: tuple[str, ...] = ()
    frame_axes: FrameAxes | Literal[""] = ""
    largest: float = LARGEST_CODE
    derivatives: tuple[DerivativeRequest, ...] = ()
    compressed: bool = False
    trigonometry: Trigonometry = "libm"
    batch: tuple[str, ...] = ()
    simplify: Literal["all", "none"] | tuple[str, ...] = "all"
    beside: tuple[str, ...] = ()
    prepare: bool = False
    style: Style = "straight"
    threads: int = 0
    may_leave_out: bool = False
