"""What programs ask of functorch beside the transforms: operators that take functions, helpers of
Functions, the deprecated package."""

from __future__ import annotations

import warnings
from importlib import import_module

import pytest

import rushlight

torch = pytest.importorskip("torch")


def operator(lib, kernels):
    """A HigherOrderOperator with these implementations."""
    package = "rushlight" if lib is rushlight else "torch"
    parent = import_module(f"{package}._ops").HigherOrderOperator

    class Twice(parent):
        def __init__(self):
            super().__init__("twice_of_test")

        def __call__(self, *args):
            return super().__call__(*args)

    made = Twice()
    for key, kernel in kernels.items():
        made.py_impl(getattr(lib._C.DispatchKey, key))(kernel)
    return made


@pytest.fixture(params=[rushlight, torch], ids=["rushlight", "torch"])
def lib(request):
    return request.param


def test_an_operator_calls_what_was_registered(lib):
    twice = operator(lib, {"AutogradCPU": lambda fn, x: fn(fn(x))})
    assert (str(twice), twice.name(), twice.namespace) == (*["twice_of_test"] * 2, "higher_order")
    x = lib.tensor(3.0, requires_grad=True)
    twice(lib.square, x).backward()
    assert x.grad.item() == 108


def test_an_operator_needs_an_implementation(lib):
    with pytest.raises(NotImplementedError, match="could not find kernel for HigherOrderOperator"):
        operator(lib, {})(lib.square, lib.ones(2))
    twice = operator(lib, {"CPU": lambda fn, x: x})
    with pytest.raises(RuntimeError, match="Trying to override a python impl"):
        twice.py_impl(lib._C.DispatchKey.CPU)(lambda fn, x: x)


def test_an_operator_within_transforms_is_the_one_below():
    twice = operator(rushlight, {"AutogradCPU": lambda fn, x: fn(fn(x)).sum()})

    @twice.py_impl(rushlight._C._functorch.TransformType.Vmap)
    def _(*args):
        raise AssertionError("a loop over slices asks no rule for batches")

    x = rushlight.tensor([1.0, 2.0])
    got = rushlight.vmap(rushlight.func.grad(lambda x: twice(rushlight.square, x)))(x)
    assert got.tolist() == [4, 32]


def test_an_operator_asks_the_mode_of_the_block():
    from rushlight.utils._python_dispatch import TorchDispatchMode

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    twice = operator(rushlight, {"CPU": lambda x: x})
    with Mode(), pytest.raises(NotImplementedError, match="no rule registered"):
        twice(rushlight.ones(1))
    twice.py_impl(Mode)(lambda mode, x: x + 1)
    with Mode():
        assert twice(rushlight.ones(1)).item() == 2


def helpers(lib):
    package = "rushlight" if lib is rushlight else "torch"
    return import_module(f"{package}._functorch.autograd_function")


def test_reductify(lib):
    reduced = helpers(lib).reductify_leaf
    g = lib.arange(24.0).reshape(2, 3, 4)
    assert reduced(None, None, 0, 2) is None
    assert reduced(g, 0, None, 2).tolist() == g.sum(0).tolist()
    assert reduced(g[0], None, 1, 2).shape == (3, 2, 4)
    assert reduced(g, 0, 1, 2).shape == (3, 2, 4)
    assert reduced(g, 0, 1, 2, (4,)).tolist() == g.sum(1).T.tolist()
    assert helpers(lib).reductify((g, None), (0, None), (None, None), 2)[1] is None


def test_a_context_with_other_saved_tensors(lib):
    wrapper = helpers(lib).CtxWithSavedTensors

    class Ctx:
        saved_tensors = (0,)

    ctx = Ctx()
    wrapped = wrapper(wrapper(ctx, (1,)), (2,))
    wrapped.kept = 3
    assert (wrapped.saved_tensors, ctx.saved_tensors, ctx.kept) == ((2,), (0,), 3)
    ctx._pt_inner_ctx = 1
    with pytest.raises(RuntimeError, match="name collision"):
        wrapper(ctx, ())


def test_functorch_says_what_has_its_place():
    for name in ("rushlight.functorch", "functorch"):
        package = import_module(name)
        with pytest.warns(FutureWarning, match=r"use `torch\.vmap` instead"):
            package.vmap(len)
        with pytest.warns(FutureWarning, match=r"use `torch\.func\.functionalize` instead"):
            package.functionalize(len)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rushlight.func.functionalize(len)
