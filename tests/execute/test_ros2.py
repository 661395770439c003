"""Exports as a package for ROS 2, compiled against stubs of its headers, loaded and called."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

import mbsym
from mbsym.cli import main
from mechanisms.generated_c import require

STUBS = Path(__file__).with_name("stubs") / "ros2"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "ros2"

ARM = """
name: arm
parameters:
  load: {value: 1.5, unit: kg, symbolic: true}
bodies:
  upper: {mass: 2, center_of_mass: [0.2, 0, 0], inertia: [0.01, 0.02, 0.03]}
  lower: {mass: load, center_of_mass: [0.3, 0, 0], inertia: [0.01, 0.02, 0.03]}
joints:
  shoulder: {type: revolute, from: ground, to: upper, axis: y}
  elbow: {type: revolute, from: upper, to: lower, axis: y, at: [0.5, 0, 0]}
forces:
  oil: {type: joint_damper, joint: shoulder, damping: 0.4}
  coil: {type: joint_spring, joint: elbow, stiffness: 3, reference: 0.2}
"""

CHECKS = """
#include <cmath>
#include <cstdio>

#include <controller_interface/controller_interface.hpp>
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_loader.hpp>

struct Node : rclcpp::node_interfaces::NodeParametersInterface {
    bool get_parameter(const std::string &name, rclcpp::Parameter &found) const override
    {
        found = rclcpp::Parameter(4.0);
        return name == "arm.load";
    }
};

int main()
{
    pluginlib::ClassLoader<inverse_dynamics_solver::InverseDynamicsSolver> solvers("", "");
    pluginlib::ClassLoader<controller_interface::ControllerInterface> controllers("", "");
    const auto loaded = solvers.createSharedInstance("arm_dynamics/Solver");
    const auto plain = solvers.createSharedInstance("arm_dynamics/Solver");
    loaded->initialize(std::make_shared<Node>(), "arm");
    plain->initialize();
    Eigen::VectorXd q(2), v(2);
    q << 0.3, -0.4;
    v << 2.0, -1.0;
    const Eigen::VectorXd friction = plain->getFrictionVector(v);
    std::printf("%.17g %.17g ", friction[0], friction[1]);
    std::printf("%.17g %.17g ", plain->getGravityVector(q)[1], loaded->getGravityVector(q)[1]);
    const auto controller = controllers.createSharedInstance("arm_dynamics/GravityCompensation");
    controller->on_init();
    for (const auto &name : controller->command_interface_configuration().names) { std::printf("%s ", name.c_str()); }
    controller->state_interfaces_.resize(2);
    controller->command_interfaces_.resize(2);
    controller->state_interfaces_[0].set_value(q[0]);
    controller->state_interfaces_[1].set_value(q[1]);
    controller->update(rclcpp::Time(), rclcpp::Duration());
    std::printf("%.17g", controller->command_interfaces_[1].get_value());
    try {
        plain->getGravityVector(Eigen::VectorXd::Zero(3));
    } catch (const std::invalid_argument &) {
        return 0;
    }
    return 1;
}
"""


def built(directory: Path, name: str, program: Path) -> str:
    """What a program over the package prints."""
    require("gcc", "g++")
    eigen = Path(pytest.importorskip("casadi").__file__).parent / "include" / "eigen3"
    objects = directory / f"{name}.o"
    subprocess.run(["gcc", "-std=c99", "-c", str(directory / f"{name}.c"), "-o", str(objects)], check=True)
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-I", str(STUBS)]
    command += ["-isystem", str(eigen), "-I", str(directory), str(program), str(directory / f"{name}_plugins.cpp")]
    done = subprocess.run([*command, str(objects), "-o", str(directory / "program")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:3000]
    run = subprocess.run([str(directory / "program")], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    return run.stdout


def module(directory: Path, name: str, *functions: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    mbsym.generate(name, directory / "py", languages=["numpy"], functions=functions)
    exec(next((directory / "py").glob("*.py")).read_text(), names)
    return names


def test_the_example_prints_what_the_module_computes(tmp_path: Path) -> None:
    mbsym.export("puma560", "ros2", tmp_path)
    rows = [np.array(line.split(), float) for line in built(tmp_path, "puma560", EXAMPLES / "torques.cpp").splitlines()]
    names = module(tmp_path, "puma560", "mass_matrix", "gravity_force", "bias_force", "inverse_dynamics")
    q, v, a = np.array([0.1, -0.5, 0.8, 0.3, 1.2, -0.7]), np.array([1.0, -1, 2, 0, 1, 3]), np.full(6, 2.0)
    gravity = names["gravity_force"](q)
    expected = [names["mass_matrix"](q) @ a, names["bias_force"](q, v) - gravity, gravity, np.zeros(6)]
    for found, known in zip(rows, [*expected, names["inverse_dynamics"](q, v, a)], strict=True):
        np.testing.assert_allclose(found, known, rtol=1e-12, atol=1e-12)
    listed = yaml.safe_load((EXAMPLES / "controllers.yaml").read_text())
    assert (
        listed["controller_manager"]["ros__parameters"]["gravity_compensation"]["type"]
        in (tmp_path / "puma560_controller_plugins.xml").read_text()
    )


def test_friction_parameters_and_the_controller(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    mbsym.export(tmp_path / "arm.yaml", "ros2", tmp_path)
    (tmp_path / "checks.cpp").write_text(CHECKS)
    words = built(tmp_path, "arm", tmp_path / "checks.cpp").split()
    friction, gravity, loaded = [float(word) for word in words[:2]], float(words[2]), float(words[3])
    np.testing.assert_allclose(friction, [0.4 * 2.0, 0.0], atol=1e-14)
    assert loaded == pytest.approx(gravity * 4.0 / 1.5, rel=1e-14)
    assert words[4:6] == ["shoulder/effort", "elbow/effort"]
    assert float(words[6]) == gravity


def test_descriptions_are_xml_and_name_the_same_library(tmp_path: Path) -> None:
    mbsym.export("planar_3r", "ros2", tmp_path)
    assert ElementTree.parse(tmp_path / "package.xml").getroot().findtext("name") == "planar_3r_dynamics"
    for kind in ("solver", "controller"):
        root = ElementTree.parse(tmp_path / f"planar_3r_{kind}_plugins.xml").getroot()
        assert root.get("path") == "planar_3r_dynamics"
    assert "add_library(planar_3r_dynamics SHARED" in (tmp_path / "CMakeLists.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["four_bar"], "four_bar: the interface inverse_dynamics_solver is for open chains"),
        (["quadruped"], "one position, speed and torque a joint, and some joints of this model have more"),
        (["cart_pole"], "the interface has no time and no control inputs"),
        (["planar_3r", "--real", "float"], "ros2 cannot take float: the interface inverse_dynamics_solver has doubles"),
        (["planar_3r", "--function", "momentum"], "the package has the functions of its interface"),
    ],
)
def test_what_the_interface_cannot_express_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["export", "ros2", *arguments, "-o", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
