"""Tables of the benchmark beside other programs: what is best, missed or missing, and where pages have them."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "tests" / "benchmarks"


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module


def run(peers: Any) -> Any:
    tables, timing = peers("peers.tables"), peers("peers.measure").Timing
    robots = peers("peers.robots").ROBOTS
    ns = {
        ("mbsym", "gcc"): (10, 20, 12),
        ("mbsym", "clang"): (12, 18, 15),
        ("Pinocchio", "clang"): (90, 153, 60),
        ("Pinocchio", "gcc"): (70, 170, 99),
        ("CasADi", "gcc"): (25, 50, 30),
    }
    calls = [
        timing("ur5", name, peer, build, value, value)
        for (peer, build), values in ns.items()
        for name, value in zip(("ID", "FD", "M"), values, strict=True)
    ]
    return tables.Measured(
        "Of a day.", robots[:2], {"ur5": (260, 500, 127)}, calls, missing=["MuJoCo is not installed"]
    )


def test_the_best_build_of_each_counts_and_what_is_missed_is_told(peers: Any) -> None:
    text = peers("peers.tables").summary(run(peers))
    lines = text.splitlines()
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    assert cells[:5] == ["UR5", "7.0 / 8.5 / 5.0", "8 / 8.5 / 6", "2.5 / 2.8 / 2.5", "–"]
    assert cells[5:] == [
        "10 / 18 / 12",
        "260 / 500 / 127",
        "263 / 471 / 127",
        "ID 12 %, M 17 %, FD 6 % operations",
    ]
    assert lines[3].startswith("| Panda, fingers welded | – | 7 / 7.5 / 5.5 |")
    assert lines[-1] == "Of a day. MuJoCo is not installed."


def test_what_one_gets_without_options_stands_beside_what_the_library_s_sines_take(peers: Any) -> None:
    tables, timing, found = peers("peers.tables"), peers("peers.measure").Timing, run(peers)
    ns = {"gcc -O2 libm": (30, 40, 30), "gcc -O2 auto": (20, 30, 20), "clang -O3 auto": (10, 17, 15)}
    ours = [
        timing("ur5", name, "mbsym", build, value, value)
        for build, values in ns.items()
        for name, value in zip(("ID", "FD", "M"), values, strict=True)
    ]
    found.calls = [*(item for item in found.calls if item.peer != "mbsym"), *ours]
    assert tables.plain(found).splitlines()[:4] == [
        "| robot | `gcc -O2` | `clang -O3` |",
        "|---|---|---|",
        "| UR5 | 3.5 / 5.1 / 3.0 | 7.0 / 9.0 / 4.0 |",
        "| Panda, fingers welded | – | – |",
    ]
    assert tables.sines(found).splitlines()[2:4] == [
        "| UR5 | `gcc -O2` | 30 / 40 / 30 | 20 / 30 / 20 | 1.5 / 1.3 / 1.5 |",
        "| UR5 | `clang -O3` | – | 10 / 17 / 15 | – |",
    ]


def test_pages_have_tables_where_they_have_places_for_them(peers: Any) -> None:
    tables, found = peers("peers.tables"), run(peers)
    end = "\n<!-- peers end -->\n"
    page = f"before\n\n<!-- peers summary -->\nold{end}\n<!-- peers batches -->\nkept{end}"
    new = tables.written(page, found)
    assert new.startswith("before\n\n<!-- peers summary -->\n| robot |") and "old" not in new
    assert new.endswith("<!-- peers batches -->\nkept\n<!-- peers end -->\n")  # nothing was measured for it
    assert tables.written(new, found) == new
    with pytest.raises(ValueError, match="nothing ends the table summary"):
        tables.written("<!-- peers summary -->\n", found)


def test_all_take_turns_and_medians_count(peers: Any) -> None:
    measure = peers("peers.measure")
    order: list[str] = []

    def spent(name: str, ns: float) -> Any:
        def turn(calls: int) -> float:
            order.append(name)
            # Every third turn is disturbed.
            return ns * 1e-9 * calls * (10 if order.count(name) % 3 == 0 else 1)

        return turn

    entries = [measure.Entry("robot", "ID", name, "gcc", spent(name, ns), 2) for name, ns in (("a", 50), ("b", 80))]
    first, second = measure.measured(entries, 9)
    assert (first.ns, second.ns) == pytest.approx((25, 40))
    assert {tuple(order[k : k + 2]) for k in range(len(order) - 18, len(order), 2)} == {("a", "b"), ("b", "a")}


def test_results_that_differ_are_not_measured(peers: Any) -> None:
    contestants, entry = peers("peers.contestants"), peers("peers.measure").Entry
    ours = [
        contestants.Contestant(entry("ur5", "ID", peer, "gcc", lambda calls: 1.0), lambda x=x: np.array([1.0, x]))
        for peer, x in (("mbsym", 1 + 1e-6), ("Pinocchio", 1.0))
    ]
    with pytest.raises(ValueError, match=r"ur5, ID: mbsym, gcc differs by 1\.0e-06"):
        contestants.require_agreement(ours)
    contestants.require_agreement(ours[1:])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "speeds"], "--only takes calls,batches,loops"),
        (["--robots", "ur6"], "--robots ur6: known are"),
        (["--file", "iiwa=nowhere.urdf"], "give NAME=URDF, a file that is there"),
        (["--write", "nowhere.md"], "there is no such page"),
        (["--rounds", "0"], "at least 1"),
        (["--without", "Drake"], "--without takes Pinocchio,CasADi,MuJoCo"),
    ],
)
def test_wrong_words_are_refused(peers: Any, words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        peers("peers.command").main(words)
    assert refused.value.code == 2 and told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("README.md", ("summary",)),
        ("docs/peers.md", ("summary", "calls")),
        ("docs/batches.md", ("batches",)),
        ("docs/closed_loops.md", ("loops",)),
    ],
)
def test_pages_have_a_place_for_every_table(page: str, names: tuple[str, ...]) -> None:
    for name in names:
        _, start, rest = (ROOT / page).read_text().partition(f"<!-- peers {name} -->\n")
        table, end, _ = rest.partition("<!-- peers end -->")
        assert start and end and "<!--" not in table, (page, name)


def test_the_readme_has_a_line_for_every_robot_and_the_day_of_the_run(peers: Any) -> None:
    table = (ROOT / "README.md").read_text().partition("<!-- peers summary -->\n")[2].partition("<!-- peers end -->")[0]
    for robot in peers("peers.robots").ROBOTS:
        assert f"| {robot.title} | " in table
    assert "\nOf 20" in table
