"""Templates hold layout only, and use exactly the fields of their contexts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from jinja2 import meta, nodes
from jinja2.exceptions import UndefinedError

from mbsym.codegen.c.batch_drivers import DriverContext
from mbsym.codegen.c.batches import BatchHeaderContext, BatchSourceContext
from mbsym.codegen.c.views import HeaderContext, SourceContext
from mbsym.codegen.environment import (
    environment,
    fixed_text,
    render_template,
    runtime_directory,
    template_directory,
)
from mbsym.codegen.load_python import PythonCallsContext
from mbsym.codegen.numpy.views import ModuleContext, RoutineContext
from mbsym.consumers.acados import AcadosContext
from mbsym.consumers.cmake import CMakeContext
from mbsym.consumers.cpp import CppContext
from mbsym.consumers.cuda import CudaContext
from mbsym.consumers.external_function import ExternalContext
from mbsym.consumers.fmu import DescriptionContext, UnitContext
from mbsym.consumers.jax import JaxContext
from mbsym.consumers.python import PythonPackageContext
from mbsym.consumers.ros2 import PackageContext
from mbsym.consumers.rust import CrateContext
from mbsym.consumers.simulink import SFunctionContext
from mbsym.embedded.self_test import SelfTestContext
from mbsym.errors import CodegenError
from mbsym.verification.memory import CallsContext

CONTEXTS = {
    "c/batch.c.jinja": BatchSourceContext,
    "c/batch.h.jinja": BatchHeaderContext,
    "c/batch_driver.c.jinja": DriverContext,
    "c/header.h.jinja": HeaderContext,
    "c/python_calls.c.jinja": PythonCallsContext,
    "c/source.c.jinja": SourceContext,
    "c/selftest.c.jinja": SelfTestContext,
    "c/memory.c.jinja": CallsContext,
    "numpy/module.py.jinja": ModuleContext,
    "numpy/routine.py.jinja": RoutineContext,
    "consumers/CMakeLists.txt.jinja": CMakeContext,
    "consumers/acados.c.jinja": AcadosContext,
    "consumers/Cargo.toml.jinja": CrateContext,
    "consumers/build.rs.jinja": CrateContext,
    "consumers/jax.c.jinja": JaxContext,
    "consumers/jax.py.jinja": JaxContext,
    "consumers/lib.rs.jinja": CrateContext,
    "consumers/simulink.c.jinja": SFunctionContext,
    "consumers/pyproject.toml.jinja": PythonPackageContext,
    "consumers/python_module.c.jinja": PythonPackageContext,
    "consumers/python_package.py.jinja": PythonPackageContext,
    "consumers/setup.py.jinja": PythonPackageContext,
    "consumers/ros2_CMakeLists.txt.jinja": PackageContext,
    "consumers/ros2_controller.xml.jinja": PackageContext,
    "consumers/ros2_package.xml.jinja": PackageContext,
    "consumers/ros2_plugins.cpp.jinja": PackageContext,
    "consumers/ros2_solver.xml.jinja": PackageContext,
    "consumers/buildDescription.xml.jinja": DescriptionContext,
    "consumers/external.c.jinja": ExternalContext,
    "consumers/fmi2.c.jinja": UnitContext,
    "consumers/fmi3.c.jinja": UnitContext,
    "consumers/modelDescription2.xml.jinja": DescriptionContext,
    "consumers/modelDescription3.xml.jinja": DescriptionContext,
    "consumers/module.hpp.jinja": CppContext,
    "consumers/cuda.cu.jinja": CudaContext,
    "consumers/cuda.h.jinja": CudaContext,
}
# What a template may consist of; anything that computes is missing on purpose.
LAYOUT = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Getattr,
    nodes.For,
    nodes.If,
    nodes.Include,
    nodes.Const,
)


# Parts that other templates include; what they use counts as used there.
UNIT = tuple(f"consumers/{name}.c.jinja" for name in ("fmi_begin", "fmi_exchange", "fmi_values", "fmu_core", "motion"))
BODY = ("c/body.c.jinja",)
PARTS = (*UNIT, *BODY)
INCLUDED = {
    "consumers/fmi2.c.jinja": UNIT,
    "consumers/fmi3.c.jinja": UNIT,
    "consumers/simulink.c.jinja": UNIT[-1:],
    "c/source.c.jinja": BODY,
}


def source(name: str) -> str:
    return (template_directory() / name).read_text(encoding="utf-8")


def test_every_template_of_these_languages_has_a_context() -> None:
    found = [
        path for language in ("c", "numpy", "consumers") for path in (template_directory() / language).rglob("*.jinja")
    ]
    assert sorted(path.relative_to(template_directory()).as_posix() for path in found) == sorted({*CONTEXTS, *PARTS})


def names_in(template: str) -> set[str]:
    """What a template and its parts ask of their context."""
    texts = [source(template), *map(source, INCLUDED.get(template, ()))]
    undeclared = set().union(*(meta.find_undeclared_variables(environment().parse(text)) for text in texts))
    return undeclared - set(environment().globals)


@pytest.mark.parametrize("name", sorted(CONTEXTS))
def test_undeclared_variables_are_fields_of_the_context(name: str) -> None:
    assert names_in(name) <= {field.name for field in fields(CONTEXTS[name])}


@pytest.mark.parametrize("context", dict.fromkeys(CONTEXTS.values()))
def test_every_field_of_a_context_is_used(context: type) -> None:
    """By its template, or by one of the templates that write the files of one consumer."""
    used = set().union(*(names_in(name) for name, own in CONTEXTS.items() if own is context))
    assert {field.name for field in fields(context)} - set(environment().globals) == used


def test_both_versions_of_the_standard_say_the_same_of_a_unit() -> None:
    assert names_in("consumers/fmi2.c.jinja") == names_in("consumers/fmi3.c.jinja")


@pytest.mark.parametrize("name", sorted({*CONTEXTS, *PARTS}))
def test_templates_decide_nothing(name: str) -> None:
    tree = environment().parse(source(name))
    for node in tree.find_all(nodes.Node):
        assert isinstance(node, LAYOUT), f"{name}:{node.lineno}: {type(node).__name__}"


def test_a_missing_field_is_an_error() -> None:
    @dataclass(frozen=True, slots=True)
    class Empty:
        version: str = ""

    with pytest.raises(UndefinedError):
        render_template("c/source.c.jinja", Empty())


def test_fixed_text_begins_below_its_mark_and_bears_the_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c").write_text("typedef double MODEL_real;\n/* mbsym: copied from here */\nMODEL_real x;\n")
    (tmp_path / "b.c").write_text("MODEL_real x;\n")
    monkeypatch.setattr("mbsym.codegen.environment.runtime_directory", lambda: tmp_path)
    assert fixed_text("a.c", "arm_") == "arm_real x;"
    with pytest.raises(CodegenError, match="has no line"):
        fixed_text("b.c", "arm_")
    with pytest.raises(CodegenError, match=r"no runtime file c\.c"):
        fixed_text("c.c", "arm_")


def test_templates_are_free_of_programs() -> None:
    """What runs stands in the runtime directory, which the templates know nothing of."""
    files = [path for path in template_directory().rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {path.name for path in files if path.suffix != ".jinja"} == {"README.md"}
    programs = {path.suffix for path in runtime_directory().rglob("*.*") if "__pycache__" not in path.parts}
    assert programs == {".c", ".py", ".js", ".md"}
