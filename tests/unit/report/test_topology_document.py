"""The labelling as LaTeX and as a page: every matrix, read back, is the labelling's."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mbsym import examples
from mbsym.cli import main
from mbsym.errors import TopologyError
from mbsym.report.topology_document import MOST_ON_PAGE, topology_latex, topology_page
from mbsym.topology import GraphLabelling, label
from mbsym.topology.tables import joint_matrices_to_json
from mbsym.visualisation.assembly_film import frames

Named = list[tuple[str, list[list[int]]]]


@cache
def example(name: str) -> GraphLabelling:
    labelling = examples.load(name).label(order="input")
    graph = labelling.graph
    ends = zip(graph.joint_names, graph.predecessors, graph.successors, strict=True)
    names = graph.body_names
    return label([(joint, names[a], names[b]) for joint, a, b in ends], base=names[0], bodies=names[1:])


def expected(labelling: GraphLabelling) -> Named:
    """Names and rows of all matrices in the order of the documents; a name on the right stands for no rows."""
    ways = list(joint_matrices_to_json(labelling).values())
    steps: Named = []
    for k, rows in enumerate(labelling.connectivity_matrices, start=1):
        cut = labelling.assembly.patterns[labelling.assembly.order[k - 1]] == "d"
        steps.append((f"S{k}", [] if cut else [list(row) for row in rows]))
    incidence = [list(row) for row in labelling.incidence_matrix]
    last = [("S0", incidence[:1]), ("S", incidence[1:]), ("T", [list(row) for row in labelling.path_matrix])]
    return [("J", ways[0]), *steps, *(("J", way) for way in ways[1:]), *last]


def in_latex(text: str) -> Named:
    found: Named = []
    for formula in re.findall(r"^\\\[ (.*) \\\]$", text, re.MULTILINE):
        left, right = formula.removeprefix(r"\arraycolsep=2.5pt ").split(" = ")
        name = re.sub(r"[_{}]", "", left)
        array = re.fullmatch(r"\\left\[\\begin\{array\}\{(c+)\} (.*) \\end\{array\}\\right\]", right)
        if array is None:
            assert re.sub(r"[_{}]", "", right) == f"S{int(name[1:]) - 1}"
            found.append((name, []))
            continue
        rows = [[int(cell.replace(" ", "")) for cell in row.split("&")] for row in array[2].split(r"\\")]
        assert {len(row) for row in rows} == {len(array[1])}
        found.append((name, rows))
    return found


def tree(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<(?:meta|input) [^>]*>", "", page))


def in_page(page: str) -> Named:
    found: Named = []
    for formula in tree(page).iter("math"):
        text = "".join(formula.itertext()).replace("\N{MINUS SIGN}", "-")
        name = text.split("=")[0]
        table = formula.find(".//mtable")
        if table is None:
            assert text == f"{name}=S{int(name[1:]) - 1}"
        rows = [
            [int("".join(cell.itertext()).replace("\N{MINUS SIGN}", "-")) for cell in row.iter("mtd")]
            for row in (table if table is not None else ())
        ]
        found.append((name, rows))
    return found


@pytest.mark.parametrize("name", ["qi_small", "driver_cab"])
def test_matrices_read_back_are_those_of_the_labelling(name: str) -> None:
    labelling = example(name)
    assert in_latex(topology_latex(labelling, name)) == expected(labelling)
    assert in_page(topology_page(labelling, name)) == expected(labelling)


def test_latex_is_closed_and_tells_of_layers_loops_and_names() -> None:
    text = topology_latex(example("qi_small"), "a_b")
    assert re.findall(r"\\(begin|end)\{document\}", text) == ["begin", "end"]
    for environment in set(re.findall(r"\\begin\{(\w+)\}", text)):
        assert text.count(rf"\begin{{{environment}}}") == text.count(rf"\end{{{environment}}}")
    assert r"\section*{a\_b: topology}" in text
    assert r"Labelled, as end bodies were taken off: \{1, 2\} \{4\} \{3\}." in text
    assert "Bodies as given, from number 0 on: 0, 1, 2, 3, 4. Joints, from 1 on: 1, 2, 3, 4, 5." in text
    assert r"5 & + 4 - 2 + 3 \\" in text
    assert r"3 & 3 & a & \{0, 1, 3\}  \{2, 4\} \\" in text


def test_page_has_a_slider_for_each_frame_and_nothing_that_names_could_break() -> None:
    labelling = label([("<x>", "</script>", "b&c"), ("y", "b&c", "</script>")], base="</script>")
    page = topology_page(labelling, "<title>", "of & so on")
    root = tree(page)
    (slider,) = re.findall(r'<input type="range" id="step" [^>]*max="(\d+)"', page)
    assert int(slider) == frames(labelling) - 1
    assert page.count("</script>") == 2
    assert [heading.text for heading in root.iter("h1")] == ["<title>"]
    assert "not yet" not in page and "Equations of motion" not in page


def test_a_tree_has_no_loops_on_its_page() -> None:
    assert "Loops" not in topology_page(label([(1, 0, 1), (2, 1, 2)]), "chain")


def test_what_no_page_holds_is_refused() -> None:
    chain = label([(k, k, k + 1) for k in range(MOST_ON_PAGE)])
    with pytest.raises(TopologyError, match=f"at most {MOST_ON_PAGE} bodies.*{MOST_ON_PAGE + 1} and {MOST_ON_PAGE}"):
        topology_latex(chain, "chain")


def test_the_command_writes_what_its_suffix_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["label", "qi_small", "-o", "a.tex", "--film", "b.svg"]) == 0
    assert main(["label", "qi_small", "-o", "a.html"]) == 0
    assert capsys.readouterr().out.count("wrote ") == 3
    assert Path("a.tex").read_text(encoding="utf-8").startswith("% Generated by mbsym")
    assert "<!-- Generated by mbsym" in Path("b.svg").read_text(encoding="utf-8").splitlines()[1]
    assert 'id="play"' in Path("a.html").read_text(encoding="utf-8")
    for words, told in (
        (["-o", "a.pdf"], "a.pdf: matrices are written as a page or as LaTeX; end its name in .html or .tex"),
        (["--film", "a.gif"], "a.gif: films are written as SVG; end its name in .svg"),
    ):
        assert main(["label", "qi_small", *words]) == 2
        assert told in capsys.readouterr().err
