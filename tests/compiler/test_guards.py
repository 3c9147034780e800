"""Guards as one function: which one failed, what cannot be asked, many of them; equal texts are
compiled once and share nothing else."""

from __future__ import annotations

from typing import Any

from rushlight.compiler import written_functions
from rushlight.compiler.guards import TOGETHER, Guards, compiled


def of_numbers(n: int) -> Guards:
    guards = Guards()
    for k in range(n):
        guards.same(f"args[{k}]", k, f"argument {k}")
    return guards


def test_the_first_that_fails_is_named() -> None:
    n = 2 * TOGETHER + 3
    guards = of_numbers(n)
    check, right = guards.function(), list(range(n))
    assert check(right, {}) is None
    for k in (0, 1, TOGETHER - 1, TOGETHER, 2 * TOGETHER, n - 1):
        for _ in range(2):  # the function that asks singly is written at the first time
            wrong: list[Any] = right.copy()
            wrong[k] = float(k)
            assert check(wrong, {}) == k
            wrong[-1] = None
            assert check(wrong, {}) == k
        assert guards.words(k) == f"argument {k} is {k}"
    assert check(right, {}) is None


def test_what_cannot_be_asked_has_failed() -> None:
    check = of_numbers(TOGETHER + 5).function()
    assert check([*range(TOGETHER + 2)], {}) == TOGETHER + 2
    assert check([], {}) == 0
    lacking = compiled({"kw['a'] == 1": "a"}, {})
    assert lacking([], {"a": 1}) is None
    assert lacking([], {}) == 0


def test_without_any() -> None:
    guards = Guards()
    assert guards.function()([], {}) is None
    assert guards.slow_function()([], {}) is None
    guards.add("args[0] > 0", "positive", slow=True)
    assert guards.slow_function()([1], {}) is None
    assert guards.slow_function()([0], {}) == 0


def test_a_guard_that_comes_true_meanwhile_has_failed() -> None:
    class Late:
        asked = 0

        def __bool__(self) -> bool:
            self.asked += 1
            return self.asked > 1

    check = compiled({"True": "one", "late": "two"}, {"late": Late()})
    assert check([], {}) == 0


def test_equal_texts_are_compiled_once() -> None:
    text = "def f(x):\n    return x + more\n"
    before = written_functions.code_of.cache_info().hits
    one = written_functions.function("f", text, "<test>", {"more": 1})
    two = written_functions.function("f", text, "<test>", space := {"more": 10})
    assert written_functions.code_of.cache_info().hits == before + 1
    assert (one(1), two(1)) == (2, 11)
    assert one.__code__ is not two.__code__
    assert space["f"] is two
