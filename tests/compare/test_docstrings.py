"""The examples in docstrings of records and composites print what PyTorch prints.

Random ones too: they start from one seed. Those of Python modules are run by `test_docs.py` alone.
"""

from __future__ import annotations

import doctest
import warnings

import numpy as np
import pytest

from tests.test_docs import FLAGS, published

torch = pytest.importorskip("torch")

# Where the two differ, and why.
DIFFERENT = {
    "Tensor.cuda": "another class of error",
    "Tensor.record_stream": "PyTorch wants a stream, of which a CPU has none",
    "Tensor.to_padded_tensor": "another message",
    "torch.detach_copy": "PyTorch gives the copy a graph that cannot be walked",
    "torch.lstsq": "removed; PyTorch asks for all arguments before it says so",
    "torch.solve": "the same",
    "torch.svd_lowrank": "exact here, by random projections there",
}


def examples() -> dict[str, doctest.DocTest]:
    """The docstrings with examples that do not name Rushlight, by the published name."""
    names = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "np": np}
    found = {}
    for file, texts in published().items():
        for name, text in texts.items():
            test = doctest.DocTestParser().get_doctest(text, names, name, file, 0)
            test.examples = [e for e in test.examples if e.source != "import rushlight as torch\n"]
            if test.examples and not any("rushlight" in e.source for e in test.examples):
                found[name] = test
    return found


def test_examples_print_what_pytorch_prints() -> None:
    report: list[str] = []
    differing = set()
    for name, test in examples().items():
        torch.manual_seed(0)
        runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
        own: list[str] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if runner.run(test, out=own.append).failed:
                differing.add(name)
                report += [] if name in DIFFERENT else own
    assert not report, "".join(report)
    assert differing == {*DIFFERENT}, "what differs no longer is to be taken from the list"


def test_there_are_many_examples() -> None:
    assert len(examples()) > 600
