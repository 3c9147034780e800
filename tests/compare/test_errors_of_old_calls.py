"""Calls of old programs that PyTorch refuses, or answers with a warning: its class and words."""

import operator
import warnings

import pytest

import rushlight

torch = pytest.importorskip("torch")

CALLS = {
    "apply_ of a word": lambda t: t.arange(3).apply_(lambda k: "str"),
    "apply_ of no function": lambda t: t.randn(3).apply_("x"),
    "map_ of no function": lambda t: t.randn(3).map_(t.ones(3), "s"),
    "map2_ of a leaf": lambda t: t.ones(3).map2_(
        t.ones(3), t.ones(3, requires_grad=True), lambda a, b, c: a
    ),
    "Size and list": lambda t: operator.add(t.Size([1]), [2]),
    "list and Size": lambda t: operator.add([2], t.Size([1])),
    "Size and floats": lambda t: operator.add(t.Size([1]), (2.0,)),
    "words and Size": lambda t: operator.add(("a",), t.Size([1])),
    "Size and number": lambda t: operator.add(t.Size([1]), 2),
    "slice of floats": lambda t: t.arange(3)[0.0:2.0],
    "slice of words": lambda t: t.arange(3)["0":"1"],
    "slice of a float tensor": lambda t: t.arange(3)[t.tensor(1.0) :],
    "isclose of a leaf": lambda t: t.isclose(
        t.ones(2), t.ones(2), t.tensor(1.5), t.tensor(1.0, requires_grad=True)
    ),
    "new of sizes twice": lambda t: t.LongTensor((6, 0), 1, 1, 0),
    "new of a word": lambda t: t.FloatTensor(2, "a"),
    "new of a float": lambda t: t.FloatTensor(2, 3.5),
    "diff of other dims": lambda t: t.diff(t.ones(2, 3), dim=0, prepend=t.ones(3)),
    "diff of other sizes": lambda t: t.diff(t.ones(2, 3), dim=0, append=t.ones(1, 2)),
    "dim_order of one": lambda t: t.empty(2, 2, 1, 2).dim_order(ambiguity_check=True),
    "dim_order of a word": lambda t: t.empty(2, 2, 1, 2).dim_order(ambiguity_check="x"),
    "select of none": lambda t: t.index_select(t.ones(0, 3), 0, t.tensor([0, 1])),
    "select beyond none": lambda t: t.index_select(t.ones(0, 3), 1, t.tensor([0, 5])),
    "select of a number": lambda t: t.ones(()).index_select(0, t.tensor([0, 0])),
    "select beyond": lambda t: t.ones(3).index_select(0, t.tensor([5])),
    "index_add_": lambda t: t.ones(3).index_add_(0, t.tensor([0, 1]), t.ones(3)),
    "index_copy_": lambda t: t.ones(3).index_copy_(0, t.tensor([0, 1]), t.ones(3)),
    "subclass": lambda t: type("Own", (t.FloatTensor,), {}),
    "out of another shape": lambda t: t.add(t.ones(4), 1, out=t.ones(3)),
}


def told(call, t):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return call(t).tolist()
        except Exception as error:
            return type(error), str(error).split("\n")[0].split(" (Triggered")[0]


@pytest.mark.parametrize("name", CALLS)
def test_same_class_and_words(name):
    kind, text = told(CALLS[name], torch)
    ours = told(CALLS[name], rushlight)
    assert ours[0] is kind
    assert ours[1][:40] == text[:40]


def test_same_answers():
    for t in (torch, rushlight):
        assert t.empty(2, 2, 1, 2).dim_order(ambiguity_check=[t.contiguous_format]) == (0, 1, 2, 3)
        assert t.empty(1).cauchy_(float("inf"), 0.5).item() == float("inf")
        assert t.ones(2).new(size=(3, 4)).shape == (3, 4)
        assert t.isclose(t.ones(2), t.ones(2), t.tensor(1), t.tensor(1.0)).all()
        assert not t.tensor([]).is_set_to(t.tensor([]))
        assert operator.add((2,), t.Size([1])) == (2, 1)
        assert t.bernoulli(t.ones(3), out=t.zeros(3, dtype=t.int32)).tolist() == [1, 1, 1]
        p = t.nn.Parameter(t.ones(2))
        p._grad = t.full((2,), 3.0)
        assert p.grad.tolist() == [3, 3]
        empty = t.randn(4, 0, dtype=t.double, requires_grad=True)
        assert t.autograd.gradcheck(t.nn.functional.pdist, (empty,))


INDEXED = {
    "a byte of a number": lambda t: t.tensor(3)[t.tensor(1, dtype=t.uint8)],
    "no byte of a number": lambda t: t.tensor(3)[t.tensor(0, dtype=t.uint8)],
    "a byte": lambda t: t.arange(4)[t.tensor(1, dtype=t.uint8)],
    "none there": lambda t: t.empty(0)[t.tensor([0])],
    "none there, second": lambda t: t.empty(2, 0)[:, [0]],
    "True of a number": lambda t: put(t.tensor(5.0), True, t.tensor([[-1.0]])),
    "True of rows": lambda t: put(t.zeros(2, 3), True, t.ones(1, 1, 2, 3)),
    "a mask": lambda t: put(t.zeros(3), t.tensor([True, False, True]), t.ones(1, 1, 2)),
    "unravel floats": lambda t: t.unravel_index(t.tensor([0.5]), (2, 2))[0],
    "unravel to floats": lambda t: t.unravel_index(t.tensor([0]), (2.5, 2))[0],
    "unravel to a dict": lambda t: t.unravel_index(t.tensor([0]), {0: 1})[0],
}


def put(x, key, value):
    x[key] = value
    return x


@pytest.mark.parametrize("name", INDEXED)
def test_indices(name):
    def answer(t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return INDEXED[name](t).tolist()
            except Exception as error:
                return type(error), str(error).split("\n")[0][:45]

    ours, theirs = answer(rushlight), answer(torch)
    assert ours == theirs or ours[0] is theirs[0] is IndexError
