"""Simulink: a level-2 C S-function that moves the model."""

from __future__ import annotations

from typing import Final

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.consumers.consumer import Consumer, Exported, ExportOptions, Request, needs_dynamics, takes_no_functions
from mbsym.consumers.motion import motion_fields, motion_functions
from mbsym.kinematics.mechanism import Mechanism


def request(mechanism: Mechanism, options: ExportOptions) -> Request:
    """What moves the model and what keeps loops closed."""
    return Request(motion_functions(mechanism, options.generation.formulation))


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """NAME_sfun.c."""
    function = f"{exported.name}_sfun"
    text = render_template("consumers/simulink.c.jinja", **motion_fields(exported), function=function)
    return (GeneratedFile(f"{function}.c", text),)


SIMULINK: Final = Consumer(
    name="simulink",
    sentence="a level-2 C S-function that moves the model",
    reals=("double",),
    request=request,
    files=files,
    reason="continuous states of Simulink are doubles",
    excludes=(
        takes_no_functions(
            "simulink",
            "an S-function has states and rates, not functions",
            "leave it out, or call the functions of mbsym generate with a C Caller block",
        ),
        needs_dynamics("simulink"),
    ),
)
