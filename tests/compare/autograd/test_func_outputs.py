"""What comes out of torch.func.vmap, compared with PyTorch: views, shared values, refusals."""

from __future__ import annotations

import importlib

import pytest

import rushlight

torch = pytest.importorskip("torch")

LIBS = [rushlight, torch]


def caught(fn):
    try:
        fn()
    except Exception as error:
        return type(error).__name__, str(error).split("(")[0][:46]
    return "no error"


def both(fn):
    ours, theirs = (fn(lib) for lib in LIBS)
    assert ours == theirs
    return ours


def test_outputs_that_are_the_input_are_it():
    def run(lib):
        v, x = lib.vmap, lib.ones(3, 2)
        wide = x.t()
        return [
            v(lambda t: t)(x) is x,
            v(lambda t: t.add_(1))(x) is x,
            v(lambda t: t, 1, 1)(wide) is wide,
            v(v(lambda t: t.contiguous()))(x) is x,
            v(lambda t: t.view(1, 2))(x[:1])._base is x,
            v(lambda t: t[:0])(x)._base is x,
            v(lambda t: t.clone())(x) is x,
        ]

    assert both(run) == [True] * 6 + [False]


def test_parts_of_complex_numbers_are_views():
    def run(lib):
        c = lib.ones(3, 2, dtype=lib.complex64) * (1 + 2j)
        pairs = lib.ones(3, 4, 2)
        real, imaginary = lib.vmap(lib.real)(c), lib.vmap(lib.imag)(c)
        made = lib.vmap(lib.view_as_complex)(pairs)
        imaginary.zero_()
        return [real._base is c, c.tolist(), made._base is pairs, made.tolist()]

    both(run)


def test_none_as_out_dim_leaves_outputs_as_they_are():
    def run(lib):
        x = lib.zeros(2, 3)
        out = lib.vmap(lambda t: (t, "text", None), out_dims=(0, None, None))(x)
        return [out[0].tolist(), *out[1:]]

    assert both(run)[1:] == ["text", None]


def test_refusals():
    def run(lib):
        v, x = lib.vmap, lib.zeros(2, 3)
        return [
            caught(lambda: v(lambda t: t, (None,))(1)),
            caught(lambda: v(lambda t: t, [0])(x)),
            caught(lambda: v(lambda t: t, ("a",))(x)),
            caught(lambda: v(lambda z: z[0], ((0, 0),))([x, x])),
            caught(lambda: v(lambda t: t, out_dims="lol")(x)),
            caught(lambda: v(lambda t: t, out_dims=None)(x)),
            caught(lambda: v(lambda t: "a")(x)),
            caught(lambda: v(lambda t: [t, t], out_dims=(0, 0))(x)),
        ]

    assert "no error" not in both(run)


def test_a_slice_of_the_outer_vmap_may_be_changed_in_the_inner_one():
    def run(lib):
        def inner(_, y):
            return y.cos_()

        x, y = lib.zeros(2, 3), lib.zeros(2, 4)
        return lib.vmap(lambda a, b: lib.vmap(inner, (0, None))(a, b))(x, y).shape

    assert both(run) == (2, 3, 4)


@pytest.mark.parametrize("lib", LIBS, ids=["rushlight", "torch"])
def test_restore_vmap(lib):
    package = "rushlight" if lib is rushlight else "torch"
    restore = importlib.import_module(f"{package}._functorch.vmap").restore_vmap
    x, y = lib.ones(2, 3), lib.ones(4, 2)
    mapped = restore(lambda a, b: {"sum": a + 1, "as it is": b, "n": 5}, (0, 1), 2, "error")
    out, dims = mapped(x, y)
    assert dims == {"sum": 0, "as it is": 1, "n": None}
    assert out["sum"].tolist() == (x + 1).tolist()
    assert (out["as it is"].shape, out["n"]) == ((4, 2), 5)


def test_no_grad_around_vjp_or_around_what_it_returns():
    def run(lib):
        x = lib.tensor(3.0, requires_grad=True)
        one = lib.ones(())
        out, pull = lib.func.vjp(lambda x: x**2, x)
        with lib.no_grad():
            (y,) = pull(one)
        got = [out.requires_grad, y.requires_grad, lib.autograd.grad(out, x)[0].item()]
        with lib.no_grad():
            out, pull = lib.func.vjp(lambda x: x**2, x)
            inside = lib.func.grad(lambda x: x**2)(x)
        (y,) = pull(one)
        got += [out.requires_grad, y.requires_grad, inside.requires_grad]
        return [*got, lib.autograd.grad(y, x)[0].item()]

    assert both(run) == [True, False, 6, False, True, False, 2]


def test_a_function_is_told_of_its_parameters_by_name():
    def run(lib):
        class Add(lib.autograd.Function):
            @staticmethod
            def forward(x, *, y):
                return x + y

            @staticmethod
            def setup_context(ctx, inputs, output):
                pass

            @staticmethod
            def vmap(info, in_dims, x, *, y=1):
                return x + y, 0

        x = lib.ones(3)
        wrong = [caught(lambda y=y: lib.vmap(Add.apply)(x, y=y)) for y in (x, [x])]
        return [lib.vmap(Add.apply)(x, y=2).tolist(), wrong]

    assert both(run)[0] == [3, 3, 3]
