"""ROS 2: a package with a plugin of the interface inverse_dynamics_solver and a controller that compensates gravity."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.consumers.consumer import (
    Consumer,
    Exported,
    ExportOptions,
    NumberView,
    Request,
    takes_no_functions,
)
from mbsym.errors import CodegenError
from mbsym.kinematics.mechanism import Mechanism

FUNCTIONS: Final = ("mass_matrix", "bias_force", "gravity_force", "slotine_li")


def request(mechanism: Mechanism, options: ExportOptions) -> Request:
    """The functions that both plugins call.

    Raises:
        CodegenError: the interface cannot express the mechanism.
    """
    name = mechanism.model.name
    if mechanism.cut_joints or mechanism.model.constraints:
        raise CodegenError(
            "the interface inverse_dynamics_solver is for open chains, and this model has closed loops",
            where=name,
            remedy="export it to cpp, whose functions cover closed loops",
        )
    if any(body.v_range[1] - body.v_range[0] != 1 for body in mechanism.bodies if body.v_range[1] > body.v_range[0]):
        raise CodegenError(
            "the interface has one position, speed and torque a joint, and some joints of this model have more",
            where=name,
            remedy="export it to cpp",
        )
    if mechanism.extra_inputs:
        raise CodegenError(
            "the interface has no time and no control inputs or states of drives, on which forces of this model depend",
            where=name,
            remedy="leave these force elements out, or export it to cpp",
        )
    return Request(FUNCTIONS)


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """The package: description, build, plugins and their list."""
    name = exported.name
    names = exported.module.names
    bodies = [body for body in exported.mechanism.bodies_by_coordinates if body.v_range[1] > body.v_range[0]]
    fields = {
        "name": name,
        "title": escape(exported.mechanism.model.name),
        "package": f"{name}_dynamics",
        "size": exported.mechanism.nv,
        "joints": ", ".join(_text(body.joint.name) for body in bodies),
        "parameters": tuple(
            NumberView(names.parameters[item.name], _text(item.name)) for item in exported.module.parameters
        ),
        "actual": "&constants_, " if exported.module.parameters else "",
    }
    texts = {
        "package.xml": render_template("consumers/ros2_package.xml.jinja", **fields),
        "CMakeLists.txt": render_template("consumers/ros2_CMakeLists.txt.jinja", **fields),
        f"{name}_solver_plugins.xml": render_template("consumers/ros2_solver.xml.jinja", **fields),
        f"{name}_controller_plugins.xml": render_template("consumers/ros2_controller.xml.jinja", **fields),
        f"{name}_plugins.cpp": render_template("consumers/ros2_plugins.cpp.jinja", **fields),
    }
    return tuple(GeneratedFile(title, text) for title, text in texts.items())


def _text(name: str) -> str:
    """A string of C++."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


ROS2: Final = Consumer(
    name="ros2",
    sentence="a ROS 2 package: inverse_dynamics_solver plugin, controller that compensates gravity",
    reals=("double",),
    request=request,
    files=files,
    reason="the interface inverse_dynamics_solver has doubles",
    excludes=(
        takes_no_functions("ros2", "the package has the functions of its interface", "leave it out, or export to cpp"),
    ),
)
