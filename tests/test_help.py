"""Every public name has a docstring with an example; methods and forms with an underscore have
theirs from the function, and these examples are true as well.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys

import pytest

import rushlight
from rushlight.ops.core import described
from tests.public_names import callables
from tests.test_docs import NAMES, modules, run


def test_every_public_name_has_an_example() -> None:
    lacking = {name for name, fn in callables() if ">>>" not in (inspect.getdoc(fn) or "")}
    assert not lacking, f"{len(lacking)} public names show no example: {sorted(lacking)[:9]}"


def run_by_module() -> set[str]:
    """The docstrings that `test_docs.py` runs, module by module."""
    finder = doctest.DocTestFinder(exclude_empty=True, recurse=True)
    found = set()
    for name in modules():
        for test in finder.find(importlib.import_module(name), name, globs={}):
            if test.examples:
                found.add(test.docstring)
    return found


@pytest.mark.slow
def test_examples_that_no_module_shows_are_true() -> None:
    done = run_by_module()
    failed = []
    for name, fn in callables():
        doc = getattr(fn, "__doc__", None) or ""
        if ">>>" not in doc or doc in done:
            continue
        done.add(doc)
        home = vars(sys.modules.get(getattr(fn, "__module__", "rushlight"), rushlight))
        test = doctest.DocTestParser().get_doctest(doc, {**NAMES, **home}, name, None, None)
        try:
            run(test)
        except AssertionError as error:
            failed.append(f"{name}: {error}")
    assert not failed, "\n".join(failed)


DOC = """1 / sqrt(x).

    >>> x = torch.tensor([4.0])
    >>> torch.rsqrt(x)
    tensor([0.5000])
    >>> torch.rsqrt(torch.tensor([0.25])) + torch.rsqrt(torch.abs(torch.abs(x)))
    tensor([2.5000])
"""


def test_methods_are_shown_as_methods() -> None:
    shown = described.method_doc(DOC, "rsqrt")
    assert shown is not None
    assert ">>> x.rsqrt()\n" in shown
    assert ">>> torch.tensor([0.25]).rsqrt() + torch.rsqrt(torch.abs(torch.abs(x)))" in shown
    assert described.method_doc(">>> torch.add(x, 2, alpha=3)", "add") == ">>> x.add(2, alpha=3)"
    assert described.method_doc(">>> F.relu(x)", "relu") == ">>> x.relu()"
    assert described.method_doc(">>> torch.linalg.det(a)", "det") == ">>> a.det()"
    assert described.method_doc(">>> torch.add(x.y, z=2)", "add") == ">>> x.y.add(z=2)"
    shown = described.method_doc(">>> torch.add(x, torch.tensor([1.0]))", "add")
    assert shown == ">>> x.add(torch.tensor([1.0]))"
    assert described.method_doc(">>> torch.add(x=y)", "add") == ">>> torch.add(x=y)"
    assert described.method_doc(">>> torch.add(2 * x, 2)", "add") == ">>> torch.add(2 * x, 2)"
    assert described.method_doc(">>> tensor(x)", "tensor") == ">>> tensor(x)"
    assert described.method_doc(None, "add") is None


def test_forms_in_place_say_so() -> None:
    shown = described.inplace_doc("The sine.\n\n>>> torch.sin(x)\n", "sin")
    assert shown == "In place: the sine.\n\n>>> x.sin_()\n"
    assert described.inplace_doc("A view", "t") == "In place: a view"
    assert described.inplace_doc("A @ x", "t") == "In place: A @ x"
    assert rushlight.Tensor.sin_.__doc__.startswith("In place: ")
    # the second example would begin with what the first wrote
    shown = described.inplace_doc(DOC, "rsqrt")
    assert shown is not None
    assert shown.endswith(">>> x.rsqrt_()\n    tensor([0.5000])\n")
    shown = described.inplace_doc("Equal.\n\n>>> torch.eq(x, y)\ntensor([True])\n", "eq")
    assert shown == "In place: equal.\n\n>>> x.eq_(y).bool()\ntensor([True])\n"
