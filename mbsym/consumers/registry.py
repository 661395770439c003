"""Who takes generated C."""

from __future__ import annotations

from typing import Final

from mbsym.consumers.acados import ACADOS
from mbsym.consumers.casadi import CASADI
from mbsym.consumers.cmake import CMAKE
from mbsym.consumers.cpp import CPP
from mbsym.consumers.cuda import CUDA
from mbsym.consumers.fmu import FMU
from mbsym.consumers.jax import JAX
from mbsym.consumers.python import PYTHON
from mbsym.consumers.ros2 import ROS2
from mbsym.consumers.rust import RUST
from mbsym.consumers.simulink import SIMULINK
from mbsym.errors import CodegenError
from mbsym.records import Registry

_ALL: Final = (CASADI, ACADOS, JAX, CPP, CMAKE, PYTHON, RUST, CUDA, FMU, SIMULINK, ROS2)

CONSUMERS: Final = Registry("consumer", _ALL, CodegenError)
"""All consumers; each is listed in help and exported to by ``mbsym export``."""
