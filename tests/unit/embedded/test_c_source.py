"""Functions, decisions, calls and constants are read from C as a reader counts them."""

from __future__ import annotations

from mbsym.embedded.c_source import cycles, deepest, read_source
from mbsym.embedded.misra import Findings, verdicts

TEXT = """
#include <math.h>
/* if (this were code) { while (1) } */
static const double table[2] = {1.0, 2.0};
static int count;
typedef struct pair { double a; double b; } pair;
double half(double x);
static double half(double x) { return x * 0.5; }
int found(const double q[3], double *y)
{
    static int times = 0;
    static const double limit = 1e-7;
    for (int k = 0; k < 3; ++k) {
        if (q[k] > limit && q[k] < 2.5e10f || k == 1) {
            *y += half(sin(q[k])) + (q[k] > 0.0 ? 0x1F : .5);
        }
    }
    switch (times) {
    case 0: return 1;
    default: return 0;
    }
}
"""


def test_a_function_is_read() -> None:
    half, found = read_source(TEXT).functions
    assert (half.name, half.is_static, half.complexity, half.calls, half.lines) == ("half", True, 1, (), 1)
    assert (found.name, found.line, found.is_static, found.lines) == ("found", 9, False, 14)
    # for, if, &&, ||, ?, case
    assert (found.complexity, found.loops, found.returns, found.nesting) == (7, 1, 2, 2)
    assert found.calls == ("half", "sin")
    assert found.constants == ("1e-7", "2.5e10f", "0.0", ".5")


def test_data_that_changes_is_found() -> None:
    assert read_source(TEXT).changing == ("count", "times")


def test_a_function_that_is_called_is_no_value() -> None:
    for text, status in (("", "not used"), ("double (*f)(double);", "open"), ("void g(void) { take(half); }", "open")):
        words = read_source(f"{TEXT}{text}").words
        assert ("(*)()" in words) == (status == "open"), text
        said = {item.guideline.number: item.status for item in verdicts(words, Findings(), "", (), ())}
        assert said["11.1"] == said["17.12"] == said["17.13"] == status, text


def test_chains_of_calls() -> None:
    calls = {"a": ("b", "c", "sin"), "b": ("c",), "c": (), "d": ("e",), "e": ("d",)}
    assert cycles(calls) == ("d", "e")
    assert deepest({"a": 8, "b": 100, "c": 16}, calls) == {"a": 124, "b": 116, "c": 16}


def test_what_is_used_is_not_said_to_be_unused() -> None:
    words = read_source("void f(void) { int free = 1; char *p = malloc(free); goto end; end: ; }").words
    status = {item.guideline.number: item.status for item in verdicts(words, Findings(), "", ["f"], ["n"])}
    assert [status[rule] for rule in ("21.3", "15.1", "17.2", "D5.1")] == ["open"] * 4
    assert status["21.5"] == status["17.1"] == "not used"
    # A record speaks of what is there.
    assert status["8.14"] == "open"
    words = read_source("void f(double *restrict x) { *x = 1; }").words
    status = {item.guideline.number: item.status for item in verdicts(words, Findings(), "", [], [])}
    assert status["8.14"] == "deviation" and status["12.1"] == "open"


def test_findings_without_a_record_are_told() -> None:
    found = Findings("a checker", {"13.2": 2, "10.1": 3, "12.1": 4})
    status = {item.guideline.number: (item.status, item.findings) for item in verdicts(frozenset(), found, "", (), ())}
    assert status["10.1"] == ("finding", 3)
    assert status["12.1"] == ("deviation", 4)
    assert status["8.14"] == ("no findings", 0)
    assert status["13.2"] == ("open", None)  # not a rule at which the checker looks
