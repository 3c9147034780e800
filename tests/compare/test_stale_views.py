"""Views whose base was changed, and what is no view of autograd's: who may still be asked what."""

import pytest

import rushlight

torch = pytest.importorskip("torch")

# What may be asked of a piece of `split` whose base was changed: all that has no derivative.
STALE = {
    "p > 0": True, "p == p": True, "p.argmax()": True, "p.argmax(0)": True, "p.nonzero()": True,
    "p.isnan()": True, "p.any()": True, "p.all(0)": True, "p.count_nonzero()": True,
    "p.signbit()": True, "p.logical_not()": True, "torch.histc(p)": True, "p.detach()": True,
    "p.view(torch.int32)": True, "torch.allclose(p, p)": True, "p.requires_grad": True,
    "p.int()": True, "p.bool()": True, "p.to(torch.int64)": True, "p.double()": False,
    "torch.bucketize(p, torch.ones(2))": True, "p.tolist()": True, "repr(p)": True,
    "p + 1": False, "p.sum()": False, "p.sort()": False, "p.sign()": False, "p[0]": False,
    "p.is_leaf": False, "torch.cat([p, p])": False, "p.clone()": False,
}  # fmt: skip


@pytest.mark.parametrize("of_view", [False, True], ids=["of a leaf", "of a view that is a leaf"])
@pytest.mark.parametrize("text", STALE)
def test_uses_without_derivative(text, of_view):
    def allowed(t):
        w = t.ones(4, 2)
        w = (w.t().t() if of_view else w).requires_grad_()
        p = w.split(2)[0]
        with t.no_grad():
            w.add_(1)
        try:
            eval(text, {"torch": t, "p": p})
        except RuntimeError as error:
            return "has been modified inplace" not in str(error)
        return True

    assert allowed(rushlight) == allowed(torch) == STALE[text]


@pytest.mark.parametrize("change", ["b.zero_()", "x.zero_()", "x.view(torch.int32).zero_()", "1"])
@pytest.mark.parametrize("of_view", [False, True])
def test_views_without_history(of_view, change):
    """They require a gradient where their base does, which a leaf that is a view itself is not."""
    def told(t):
        b = t.ones(4, 2)
        v = (b.t().t() if of_view else b).requires_grad_()
        with t.no_grad():
            x = v[:2]
        try:
            eval(change, {"x": x, "b": b, "torch": t})
            return x.requires_grad, x.is_leaf, v.requires_grad, v.is_leaf
        except RuntimeError as error:
            return str(error)[:40]

    assert told(rushlight) == told(torch)


def history(t, start, dtype, change):
    """What a leaf, a part of it and the part read as another type are after a change."""
    x = t.ones(4, 2).requires_grad_()
    y = {"leaf": lambda: x, "part": lambda: x[1:], "piece": lambda: x.split([1, 3])[1],
         "made": lambda: (x * 1)[1:]}[start]()  # fmt: skip
    z = y.view(getattr(t, dtype))
    told = []
    if change:
        z.zero_()
    for a in (x, y, z, z[:1]):
        try:
            told.append((a.is_leaf, a.requires_grad, a._version, a._is_view()))
        except RuntimeError as error:
            told.append("is a view and its base or another view" in str(error))
    return told, z._base is None


@pytest.mark.parametrize("change", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float16", "complex64"])
@pytest.mark.parametrize("start", ["leaf", "part", "piece", "made"])
def test_memory_read_as_another_type(start, dtype, change):
    """It has the memory and its version, but neither base nor history, and may be written to."""
    assert history(rushlight, start, dtype, change) == history(torch, start, dtype, change)
