"""Trees of functions: those of their own lines are those of the whole file."""

from __future__ import annotations

import ast
import importlib
import linecache
import types
from collections.abc import Iterator
from typing import Any

import pytest

from rushlight.compiler import instrument

MODULES = ["rushlight.nn.module", "rushlight.nn.functional", "rushlight.nn.containers",
           "rushlight.optim.optimizer", "rushlight.compiler.reads", "rushlight.autograd.door",
           "rushlight.serialization.allowed", "argparse", "dataclasses", "textwrap", "typing",
           __name__]  # fmt: skip


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield inner
            yield from codes(inner)


class Odd:
    @staticmethod
    def decorated(
        a: Any,
        text: str = """
at the margin
""",
    ) -> str:
        # a comment behind all code
        return f"""
{a} {text}
"""

    def __private(self) -> Any:
        def inside() -> Any:
            return self.__private

        return inside
        # more


@pytest.mark.parametrize("name", MODULES)
def test_both_ways_find_the_same_tree(name: str) -> None:
    try:
        module = importlib.import_module(name)
        path: Any = module.__file__
    except ModuleNotFoundError:
        path = __file__
    lines = linecache.getlines(path)
    whole = instrument.tree_of("".join(lines))
    count = quick = 0
    for code in codes(compile("".join(lines), path, "exec")):
        known = instrument.functions_at(whole, code.co_firstlineno, code.co_name)
        if code.co_name.startswith("<") or len(known) != 1:
            continue
        count += 1
        node = instrument.block_of(code, lines)
        if node is None:
            continue
        quick += 1
        assert instrument.owner_of(code.co_qualname) == known[0][1]
        mine = ast.dump(node, include_attributes=True)
        assert mine == ast.dump(known[0][0], include_attributes=True), code.co_qualname
    assert count
    assert quick >= 0.95 * count
