"""Random numbers under torch.func.vmap: PyTorch's, number by number."""

from __future__ import annotations

import threading

import pytest

import rushlight

torch = pytest.importorskip("torch")

X = torch.linspace(0.1, 0.9, 60).reshape(4, 3, 5)
CALLS = {
    "rand": lambda t, x, g: t.rand(3, 7, generator=g),
    "randn": lambda t, x, g: t.randn(21, generator=g),
    "bare randn": lambda t, x, g: t.randn(21) + 0 * t.randn((), generator=g),
    "randint": lambda t, x, g: t.randint(9, (5,), generator=g),
    "randperm": lambda t, x, g: t.randperm(6, generator=g),
    "rand_like": lambda t, x, g: t.rand_like(x),
    "normal of numbers": lambda t, x, g: t.normal(0.5, 2.0, (21,), generator=g),
    "twice": lambda t, x, g: (t.rand(3, generator=g), t.randn(21, generator=g), t.rand(3)),
}
OF_SLICES = {
    "normal": lambda t, x, g: t.normal(x, x, generator=g),
    "bernoulli": lambda t, x, g: t.bernoulli(x, generator=g),
    "bernoulli of p": lambda t, x, g: t.bernoulli(x, 0.4, generator=g),
    "bernoulli_ of a tensor": lambda t, x, g: x.clone().bernoulli_(x, generator=g),
    "poisson": lambda t, x, g: t.poisson(9 * x, generator=g),
    "normal_": lambda t, x, g: x.normal_(1.0, generator=g),
    "bernoulli_": lambda t, x, g: x.bernoulli_(0.4, generator=g),
    "uniform_": lambda t, x, g: x.uniform_(generator=g),
}
ALL = CALLS | OF_SLICES


def drawn(lib, call, randomness, own, in_dim=0, **kw):
    """The numbers of a vmap, and the next ones of the stream."""
    lib.manual_seed(3)
    g = lib.Generator().manual_seed(4) if own else None
    x = lib.tensor(X.movedim(0, in_dim).tolist())
    got = lib.vmap(lambda x: call(lib, x, g), in_dim, randomness=randomness, **kw)(x)
    return [*(got if isinstance(got, tuple) else (got,)), lib.rand(2), lib.rand(2, generator=g)]


def same(call, *args, **kw):
    for ours, theirs in zip(
        drawn(rushlight, call, *args, **kw), drawn(torch, call, *args, **kw), strict=True
    ):
        torch.testing.assert_close(torch.tensor(ours.tolist()), torch.tensor(theirs.tolist()))


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_each_slice_its_own(name, own):
    same(ALL[name], "different", own)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", [*CALLS, "normal_", "uniform_"])
def test_all_slices_the_same(name, own):
    same(ALL[name], "same", own)


@pytest.mark.parametrize("name", ["normal_", "uniform_", "bernoulli_"])
@pytest.mark.parametrize("randomness", ["different", "same"])
def test_slices_of_the_last_dimension(name, randomness):
    same(ALL[name], randomness, False, 2)


@pytest.mark.parametrize("randomness", ["different", "same"])
def test_chunks_draw_together(randomness):
    same(CALLS["twice"], randomness, False, chunk_size=3)


@pytest.mark.parametrize("outer", ["different", "same"])
@pytest.mark.parametrize("inner", ["different", "same"])
def test_nested(outer, inner):
    def run(lib):
        lib.manual_seed(0)
        x = lib.zeros(3, 4)
        row = lib.vmap(lambda x: x + lib.randn(5), randomness=inner)
        return lib.vmap(row, randomness=outer)(x), lib.rand(1)

    for ours, theirs in zip(run(rushlight), run(torch), strict=True):
        torch.testing.assert_close(torch.tensor(ours.tolist()), theirs)


@pytest.mark.parametrize("name", ALL)
def test_no_random_numbers_are_allowed(name):
    g = rushlight.Generator()
    x = rushlight.tensor(X.tolist())
    before = g.get_state()
    with pytest.raises(RuntimeError, match="called random operation while in randomness error"):
        rushlight.vmap(lambda x: ALL[name](rushlight, x, g))(x)
    assert rushlight.equal(g.get_state(), before)


def test_multinomial_of_slices_cannot_be_the_same():
    x = rushlight.ones(3, 4)
    with pytest.raises(RuntimeError, match="same randomness with a batched tensor"):
        rushlight.vmap(lambda x: rushlight.multinomial(x, 2), randomness="same")(x)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        rushlight.vmap(lambda x: rushlight.multinomial(x, 2))(x)


def test_what_all_slices_share_is_not_filled_with_different_numbers():
    x, shared = rushlight.zeros(3), rushlight.zeros(2)
    with pytest.raises(RuntimeError, match="different inplace randomness on an unbatched tensor"):
        rushlight.vmap(lambda _, s: s.normal_(), (0, None), randomness="different")(x, shared)
    got = rushlight.vmap(lambda _, s: s.normal_(), (0, None), randomness="same")(x, shared)
    assert (got == got[0]).all()


def test_a_shared_argument_is_no_slice():
    x, shared = rushlight.zeros(3), rushlight.ones(())
    assert rushlight.vmap(lambda x, s: x + s.item(), (0, None))(x, shared).tolist() == [1, 1, 1]


def test_jacfwd_takes_randomness():
    x = rushlight.rand(3)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        rushlight.func.jacfwd(rushlight.bernoulli)(x)
    assert rushlight.func.jacfwd(rushlight.bernoulli, randomness="same")(x).shape == (3, 3)


def test_other_threads_draw_as_ever():
    rushlight.manual_seed(0)
    expected = rushlight.rand(4)
    got = []

    def slice_(x):
        rushlight.manual_seed(0)
        thread = threading.Thread(target=lambda: got.append(rushlight.rand(4)))
        thread.start()
        thread.join()
        return x

    rushlight.vmap(slice_)(rushlight.zeros(1))
    assert rushlight.equal(got[0], expected)
