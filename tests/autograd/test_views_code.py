"""Views linked by machine code: the same links, cells and histories as by Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import views
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def loaded() -> Iterator[None]:
    before = views.linked
    few.load()
    yield
    views.linked = before


def bases() -> dict[str, Any]:
    plain, leaf = torch.zeros(4, 3), torch.zeros(4, 3, requires_grad=True)
    known = torch.zeros(4, 3)
    views.cell(known).bump("x")
    with torch.no_grad():
        quiet = leaf[0]
    turned = torch.zeros(4, 3)
    view = turned[1:]
    turned.t_()  # the base of `view` is a view itself by now
    return {
        "plain": plain, "leaf": leaf, "result": leaf * 2, "known": known, "view": plain[1:],
        "view of a view": plain[1:][:, 0], "of a result": (leaf * 2)[1], "quiet": quiet,
        "of several": plain.split(2)[0], "of one turned": view,
        "parameter": torch.nn.Parameter(torch.zeros(3)),
    }  # fmt: skip


def described(y: Any, viewed: Any) -> list[Any]:
    link = y._v
    return [
        y._a.shape, y._fn, y._x, y._vc is viewed._vc, link.of is viewed, link.seen, link.made,
        [(op, kw, nr) for op, kw, nr in link.chain], link.base.shape, type(y), type(link),
    ]  # fmt: skip


@pytest.mark.parametrize("name", list(bases()))
@pytest.mark.parametrize(("nr", "mode"), [(None, ""), (2, "several"), (None, "no_grad")])
def test_the_same_links(name: str, nr: Any, mode: str) -> None:
    found = []
    for link in (views.linked, views.linked_by_python):
        viewed, kw = bases()[name], {"dim": 0}
        a = np.zeros(3, np.float32)
        y = link(viewed, a, "an op", kw, nr, mode)
        assert y._a is a
        assert y._v.chain[-1][1] is kw
        assert viewed._vc is not None
        before = viewed._v
        assert y._v.of is (viewed if before is None else before.base)
        found.append(described(y, viewed))
    assert found[0] == found[1]


def test_what_is_no_tensor_python_says() -> None:
    for link in (views.linked, views.linked_by_python):
        with pytest.raises(AttributeError):
            link(3, np.zeros(1), None, {}, None, "")


def test_changes_reach_views_and_their_bases() -> None:
    x = torch.arange(6.0).reshape(2, 3).clone().requires_grad_()
    y = x * 1
    part = y.transpose(0, 1)[1]
    part.mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [[1, 3, 1], [1, 3, 1]]
    kept = y.view(-1)
    z = (kept * kept).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an"):
        z.backward()


def test_a_view_and_its_node_keep_one_dictionary() -> None:
    x = torch.zeros(2, 3, requires_grad=True)
    y = x.transpose(0, 1)
    assert y._v.chain[0][1] is y.grad_fn.kw
    assert (y.grad_fn._saved_dim0, y.grad_fn._saved_dim1) == (0, 1)
