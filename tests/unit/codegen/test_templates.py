"""Templates hold layout only, and use exactly the fields that they are filled with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Template, meta, nodes
from jinja2.exceptions import UndefinedError

import mbsym
from mbsym import examples
from mbsym.codegen.environment import (
    environment,
    fixed_text,
    render_template,
    runtime_directory,
    template_directory,
)
from mbsym.codegen.load import load_c
from mbsym.consumers.consumer import ExportOptions
from mbsym.consumers.export import export_files
from mbsym.consumers.registry import CONSUMERS
from mbsym.errors import CodegenError
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import generate_files
from mbsym.verification.memory import Calls

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
TEMPLATES = sorted(
    path.relative_to(template_directory()).as_posix()
    for language in ("c", "numpy", "consumers")
    for path in (template_directory() / language).rglob("*.jinja")
)
INCLUDED = {
    "consumers/fmi2.c.jinja": UNIT,
    "consumers/fmi3.c.jinja": UNIT,
    "consumers/simulink.c.jinja": UNIT[-1:],
    "c/source.c.jinja": BODY,
}


def source(name: str) -> str:
    return (template_directory() / name).read_text(encoding="utf-8")


def names_in(template: str) -> set[str]:
    """What a template and its parts ask of their context."""
    texts = [source(template), *map(source, INCLUDED.get(template, ()))]
    undeclared = set().union(*(meta.find_undeclared_variables(environment().parse(text)) for text in texts))
    return undeclared - set(environment().globals)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, frozenset[str]]:
    """The fields that templates are filled with where everything is written, of a tree and of closed loops."""
    found: dict[str, frozenset[str]] = {}
    render = Template.render

    def recorded(template: Template, fields: Mapping[str, Any]) -> str:
        found[str(template.name)] = frozenset(fields)
        return render(template, fields)

    tree, loop = examples.path("double_pendulum"), examples.load("four_bar")
    place = tmp_path_factory.mktemp("module")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "render", recorded)
        for name in CONSUMERS:
            for version in ("2.0", "3.0") if name == "fmu" else ("",):
                export_files(tree, name, ExportOptions(settings={"fmi": version} if version else {}))
        own = GenerationOptions(languages=("c", "numpy", "batch"), functions=("project_position",), batch=("all",))
        generate_files(loop, own)
        mbsym.generate(tree, place, functions=("gravity_force",), languages=("c",), self_test=True)
        module = load_c(place)
        calls = Calls(place, module.manifest)
        calls.keep(module, module.functions["gravity_force"], [[0.0, 0.0]], {})
        calls.checks()
    return found


def test_every_template_of_these_languages_is_filled(filled: Mapping[str, frozenset[str]]) -> None:
    assert sorted({*filled, *PARTS}) == TEMPLATES


def test_templates_use_their_fields_and_nothing_else(filled: Mapping[str, frozenset[str]]) -> None:
    """Each field is used by its template, or by one of those that are filled with the same."""
    alike: dict[frozenset[str], set[str]] = {}
    for name in TEMPLATES:
        if name not in PARTS:
            assert names_in(name) <= filled[name], name
            alike.setdefault(filled[name], set()).update(names_in(name))
    for fields, used in alike.items():
        assert fields == used


def test_both_versions_of_the_standard_say_the_same_of_a_unit() -> None:
    assert names_in("consumers/fmi2.c.jinja") == names_in("consumers/fmi3.c.jinja")


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_decide_nothing(name: str) -> None:
    tree = environment().parse(source(name))
    for node in tree.find_all(nodes.Node):
        assert isinstance(node, LAYOUT), f"{name}:{node.lineno}: {type(node).__name__}"


def test_a_missing_field_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_template("c/source.c.jinja")


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
