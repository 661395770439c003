"""The self-test passes on the host and on emulated Cortex-M processors, and fails where the code is broken."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import files
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.codegen.description import Real
from mbsym.codegen.manifest_reader import changed_files, read_manifest
from mbsym.embedded.choice import CANDIDATES, OFF
from mechanisms.cortex_m import M4F, M7, Core
from mechanisms.examples import further
from mechanisms.generated_c import GCC, leave_out, require, run
from mechanisms.planted_text import planted, seen

UR5 = next((str(x.locate()) for x in files("example-robot-data") or () if x.name == "ur5_robot.urdf"), "")
REALS = ("double", "float")
PASSED = re.compile(r"^(\w+): passed, (\d+) results\n$")


def sources(model: str, directory: Path, real: Real = "double", **options: object) -> tuple[Path, Path]:
    done = mbsym.generate(model, directory, languages=("c",), real=real, self_test=True, **options)  # type: ignore[arg-type]
    found = sorted(path for path in done.paths if path.suffix == ".c")
    return found[0], found[1]


@cache
def texts_of(model: str, real: Real) -> dict[str, str]:
    """All files of a model with default options, by name: choosing the states of a self-test takes a second."""
    with TemporaryDirectory() as scratch:
        sources(model, Path(scratch), real)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(scratch).iterdir()}


def copied(model: str, directory: Path, real: Real = "double") -> tuple[Path, Path]:
    """What ``sources`` gives with default options, made once for all tests that compile or change it."""
    for name, text in texts_of(model, real).items():
        (directory / name).write_text(text, encoding="utf-8")
    return directory / f"{Path(model).stem}.c", directory / f"{Path(model).stem}_selftest.c"


def on_host(code: Path, test: Path, *flags: str) -> tuple[int, str]:
    """Exit status and report."""
    require("gcc")
    program = code.with_suffix(".out")
    done = run("gcc", "-std=c99", *flags, str(code), str(test), "-lm", "-o", str(program))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    ran = run(str(program))
    return ran.returncode, ran.stdout


@pytest.mark.parametrize(
    ("model", "real"),
    [
        ("four_bar", "double"),
        *product(["spinning_top"], REALS),
        ("cart_pole", "double"),
        *further(("four_bar", "float"), ("cart_pole", "float"), *product(("five_bar", "quadruped"), REALS)),
    ],
)
def test_it_passes_on_the_host(model: str, real: Real, tmp_path: Path) -> None:
    status, report = on_host(*copied(model, tmp_path, real), "-O2", *GCC[real])
    found = PASSED.match(report)
    assert status == 0 and found and found[1] == model and int(found[2]) > 200


@pytest.mark.parametrize(
    "options", [{"symbolic_parameters": "all"}, {"prefix": "rig"}, {"functions": ("mass_matrix",)}]
)
def test_options_of_the_code_reach_it(options: dict[str, object], tmp_path: Path) -> None:
    status, report = on_host(*sources("four_bar", tmp_path, **options), "-O1", *GCC["double"])
    assert status == 0 and PASSED.match(report)


@pytest.mark.parametrize(
    ("model", "core", "real"),
    [
        ("four_bar", M4F, "float"),
        ("four_bar", M7, "double"),
        *further(("four_bar", M4F, "double"), ("four_bar", M7, "float"), *product(["ur5"], (M4F, M7), REALS)),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_it_passes_on_emulated_processors(model: str, core: Core, real: Real, tmp_path: Path) -> None:
    if model == "ur5" and not UR5:
        leave_out("the UR5 is in the package example-robot-data")
    files_of = sources(UR5, tmp_path, real) if model == "ur5" else copied(model, tmp_path, real)
    program = core.built(tmp_path / "program.elf", files_of)
    ran = core.ran(program)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert PASSED.match(ran.stdout)


def test_its_failure_reaches_the_host(tmp_path: Path) -> None:
    code, test = copied("four_bar", tmp_path, "float")
    code.write_text(code.read_text().replace("9.81f", "9.82f", 1))
    ran = M7.ran(M7.built(tmp_path / "program.elf", (code, test)))
    assert ran.returncode == 1 and ran.stdout.startswith("four_bar: FAILED, ")
    assert ran.stdout.count("\n") == 1


@pytest.mark.parametrize("real", ["double", *further("float")])
def test_a_changed_sign_in_any_function_fails(real: Real, tmp_path: Path) -> None:
    """One sign in one function at a time; what is reported first is that function, or one that calls it."""
    code, test = copied("four_bar", tmp_path, real)
    text = code.read_text()
    bodies = list(re.finditer(r"^(?:void|int) four_bar_(\w+)\([^{]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL))
    missed, seen = [], 0
    for found in bodies[::3]:
        sign = re.search(r" = [^;\n]*?(?<=\w) ([+-]) (?=\w)", found[2])
        if sign is None or "int i" in found[2]:
            continue
        seen += 1
        place = found.start(2) + sign.start(1)
        code.write_text(text[:place] + {"+": "-", "-": "+"}[sign[1]] + text[place + 1 :])
        status, report = on_host(code, test, "-O0")
        if status != 1 or "FAILED" not in report:
            missed.append(found[1])
    assert missed == [] and seen >= 5


@pytest.mark.parametrize(
    ("text", "planted", "first"),
    [
        ("1.0/(", "1.001/(", "constrained_terms"),
        (" four_bar_VANISHES 2.2737367544323206e-13", " four_bar_VANISHES 1e9", "actuated_inverse_dynamics[-1]"),
        ("!(fabs(x[i]) < HUGE_VAL)", "fabs(x[i]) >= HUGE_VAL", "[-2]"),
    ],
)
def test_what_is_planted_is_found(text: str, planted: str, first: str, tmp_path: Path) -> None:
    code, test = copied("four_bar", tmp_path)
    before = code.read_text()
    assert text in before
    code.write_text(before.replace(text, planted, 1))
    status, report = on_host(code, test, "-O0")
    assert status == 1 and first in report


def test_flags_that_forget_what_is_not_a_number_fail(tmp_path: Path) -> None:
    status, report = on_host(*copied("four_bar", tmp_path), "-O2", "-ffast-math")
    assert status == 1 and "[-2]" in report


def test_a_program_may_have_a_main_of_its_own(tmp_path: Path) -> None:
    code, test = copied("cart_pole", tmp_path)
    own = tmp_path / "own.c"
    own.write_text("int cart_pole_selftest(void);\nint main(void) { return 10 + cart_pole_selftest(); }\n")
    defined = ("-Dcart_pole_SELFTEST_NO_MAIN", str(own))
    assert on_host(code, test, *defined) == (10, "")
    assert "printf" not in run("nm", "-u", str(tmp_path / "cart_pole.out")).stdout


def test_the_manifest_answers_for_it(tmp_path: Path) -> None:
    _, test = sources("cart_pole", tmp_path)
    manifest = read_manifest(tmp_path)
    assert "cart_pole_selftest.c" in manifest["files"]
    test.write_text(re.sub(r"STATES = \d", "STATES = 0", test.read_text()))
    assert changed_files(tmp_path, manifest, manifest["files"]) == ("cart_pole_selftest.c",)


def test_the_manifest_says_how_many_planted_faults_it_sees(tmp_path: Path) -> None:
    """The same as the file, in words and in numbers, and of the same faults as ``freeze`` counts."""
    _, test = sources("cart_pole", tmp_path, "float", functions=("mass_matrix",))
    told = read_manifest(tmp_path)["self_test"]
    assert told["planted"] in " ".join(test.read_text().replace(" * ", " ").split())
    constants, signs = told["constants"], told["signs"]
    assert told["off"] == OFF["float"] and 0 < constants["seen"] <= constants["planted"] < 10 and "without" not in told
    assert f"{constants['seen']} of {constants['planted']} constants that were off by 1 %" in told["planted"]
    assert f"{signs['seen']} of {signs['planted']} turned signs are seen" in told["planted"]
    assert f"change no result at any of {CANDIDATES} candidates for states are left out" in told["planted"]
    mbsym.generate("cart_pole", tmp_path, languages=("c",))
    assert "self_test" not in read_manifest(tmp_path)


@pytest.mark.more
def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    texts = [sources("five_bar", tmp_path / name)[1].read_text() for name in ("one", "two")]
    assert texts[0] == texts[1]


def test_stepping_code_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["generate", "four_bar", "--formulation", "transfer-matrix", "--self-test", "-o", str(tmp_path)]
    assert main(command) == 2
    assert "stepping code has no self-test" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_it_is_about_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "cart_pole", "--language", "numpy", "--self-test", "-o", str(tmp_path)]) == 2
    assert "add --language c" in capsys.readouterr().err


@pytest.mark.parametrize(("real", "model"), [("float", "cart_pole"), ("double", "cart_pole"), ("float", "puma560")])
def test_small_faults_in_the_text_are_seen(real: Real, model: str, tmp_path: Path) -> None:
    """One constant or sign of the C at a time; a self-test says how many of those planted in Programs it sees."""
    require("gcc")
    code, test = sources(model, tmp_path, real, functions=("inverse_dynamics", "body_poses"), trigonometry="libm")
    told = re.search(r"(\d+) of (\d+) constants.* and (\d+) of (\d+)\s", " ".join(test.read_text().split()))
    assert told
    constants, signs = (int(told[1]) / int(told[2]), int(told[3]) / int(told[4].rstrip("*")))
    assert constants >= 0.95 and signs >= 0.98
    faults = planted(code.read_text(), OFF[real])
    found = seen(code, test, faults)
    for kind, least in (("constant", 0.95), ("sign", 1.0)):
        rates = [is_seen for number, is_seen in found.items() if faults.kinds[number - 1] == kind]
        assert rates and sum(rates) >= least * len(rates), (kind, sum(rates), len(rates))


def test_faults_in_shared_steps_are_seen(tmp_path: Path) -> None:
    """None are planted when states are chosen, so that there is one of each kind."""
    require("gcc")
    code, test = sources("quadruped", tmp_path, "float", style="shared", functions=("momentum",), trigonometry="libm")
    faults = planted(code.read_text(), OFF["float"])
    found = seen(code, test, faults)
    assert len(found) > 200 and all(found[number] for number in found if faults.kinds[number - 1] == "constant")


def test_signs_that_show_at_open_quarters_of_a_turn_are_seen(tmp_path: Path) -> None:
    """And all others: as many rows and motors as speeds leave nothing that vanishes before which a sign could stand."""
    require("gcc")
    code, test = sources("four_bar", tmp_path, functions=("actuated_inverse_dynamics",), trigonometry="libm")
    found = seen(code, test, planted(code.read_text(), OFF["double"]))
    assert all(found.values()) and len(found) > 70


def test_each_entry_has_an_allowance_of_its_own(tmp_path: Path) -> None:
    """Half of what the smallest entry of a mass matrix is shows, though it is far below the largest one's rounding."""
    require("gcc")
    _, test = sources("cart_pole", tmp_path, "float", functions=("mass_matrix",))
    rows = re.search(r"allowed_M\[STATES\]\[4\] = \{\n(.*?)\n    \};", test.read_text(), re.DOTALL)
    assert rows
    first = [float(word.rstrip("f")) for word in re.findall(r"[\d.e+-]+f", rows[1].split("}")[0])]
    assert len(set(first)) > 1
