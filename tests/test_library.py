"""Operators of one's own: called as functions, with a derivative where one was given."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import library


@pytest.fixture(autouse=True)
def _clean():
    before = dict(library.operators)
    yield
    library.operators.clear()
    library.operators.update(before)


def test_an_operator_is_its_function() -> None:
    @torch.library.custom_op("mine::scale", mutates_args=())
    def scale(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
        """Times `by`."""
        return x * by

    @scale.register_fake
    def _(x, by=2.0):
        raise AssertionError("nothing is compiled")

    assert scale(torch.ones(1), by=3.0).item() == 3
    assert scale.__doc__ == "Times `by`."
    assert repr(scale) == "<CustomOpDef(mine::scale)>"


def test_its_derivative() -> None:
    square = library.custom_op("mine::square", lambda x, times=1: times * x * x)

    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.times = inputs[1]

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * ctx.times * g * x, None

    library.register_autograd("mine::square", backward, setup_context=setup)
    x = torch.tensor([1.0, -3.0], requires_grad=True)
    square(x, times=2).sum().backward()
    assert x.grad.tolist() == [4.0, -12.0]


def test_kernels_of_other_devices_are_left_out() -> None:
    op = library.custom_op("mine::three", lambda: 3)
    library.register_kernel("mine::three", "cuda", lambda: 4)
    assert op() == 3
    op.register_kernel("cpu")(lambda: 5)
    assert op() == 5


def test_errors() -> None:
    with pytest.raises(ValueError, match="no namespace"):
        library.custom_op("plain", lambda: 1)
    with pytest.raises(RuntimeError, match="does not exist"):
        library.register_fake("mine::nothing", lambda: 1)
    with pytest.raises(NotImplementedError, match="dispatcher"):
        library.Library("mine", "DEF")


aten = torch.ops.aten
X = torch.arange(6.0).reshape(2, 3) + 1
# (an operator of PyTorch's called as programs call it, what it is)
OPERATORS = [
    (lambda: aten.add.Tensor(X, X), X + X),
    (lambda: aten.add(X, 2), X + 2),
    (lambda: aten.sum.dim_IntList(X, [1], True), X.sum(1, keepdim=True)),
    (lambda: aten._softmax.default(X, 1, False), X.softmax(1)),
    (lambda: aten.slice.Tensor(X, 1, 0, 2), X[:, :2]),
    (lambda: aten.index.Tensor(X, [None, torch.tensor([0])]), X[:, [0]]),
    (lambda: aten._to_copy(X, dtype=torch.float64), X.double()),
    (lambda: aten._unsafe_view(X, [6]), X.reshape(6)),
    (lambda: aten.constant_pad_nd(X, [1, 0], 5.0)[0, 0], torch.tensor(5.0)),
    (lambda: aten.mm.default(X, aten.t(X)), X @ X.t()),
    (lambda: aten.linalg_vector_norm(X), torch.linalg.vector_norm(X)),
    (lambda: aten.fft_fft(X), torch.fft.fft(X)),
    (lambda: aten.sym_size(X, 0), 2),
    (lambda: aten._local_scalar_dense(X[0, 0]), 1.0),
    (lambda: aten.lift_fresh_copy(X), X),
    (lambda: torch.ops.prims.mul(X, X), X * X),
]


@pytest.mark.parametrize("row", range(len(OPERATORS)))
def test_operators_by_name(row: int) -> None:
    call, wanted = OPERATORS[row]
    if isinstance(wanted, torch.Tensor):
        torch.testing.assert_close(call(), wanted)
    else:
        assert call() == wanted


def test_what_operators_are() -> None:
    add = aten.add.Tensor
    assert add is aten.add.Tensor
    assert add.overloadpacket is aten.add
    assert (str(add), add.name(), add.namespace) == ("aten.add.Tensor", "aten::add.Tensor", "aten")
    assert (str(aten.mm), aten.mm.default.name()) == ("aten.mm", "aten::mm")
    assert repr(add) == "<OpOverload(op='aten.add', overload='Tensor')>"
    assert aten.add_.Tensor._schema.is_mutable
    assert not add._schema.is_mutable
    assert {add: 1}[aten.add.Tensor] == 1
    assert "mm" in dir(aten)
    assert isinstance(add, torch._ops.OpOverload)
    with pytest.raises(AttributeError, match="'aten' object has no attribute 'nope'"):
        _ = aten.nope
    with pytest.raises(NotImplementedError, match="convolution_backward"):
        aten.convolution_backward(X)


def test_namespaces_of_ones_own() -> None:
    library.custom_op("mine::twice", lambda x: x * 2)
    assert torch.ops.mine.twice(X).tolist() == (X * 2).tolist()
    assert torch.ops.mine.twice.default(X).tolist() == (X * 2).tolist()
    assert not hasattr(torch.ops.mine, "thrice")
    assert dir(torch.ops.mine) == ["twice"]


def test_an_operator_knows_its_overload() -> None:
    @torch.library.custom_op("mine::half", mutates_args=())
    def half(x: torch.Tensor) -> torch.Tensor:
        return x / 2

    assert half._opoverload == torch.ops.mine.half.default
    assert half._opoverload(torch.ones(1)).item() == 0.5


def test_arguments_by_name_alone_and_transforms() -> None:
    @torch.library.custom_op("mine::scaled", mutates_args=())
    def scaled(x: torch.Tensor, *, by: float) -> torch.Tensor:
        return x * by

    def save(ctx, inputs, keyword_only_inputs, output):
        ctx.by = keyword_only_inputs["by"]

    scaled.register_autograd(lambda ctx, g: g * ctx.by, setup_context=save)
    x = torch.ones(3, requires_grad=True)
    scaled(x, by=2.0).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    one = torch.func.grad(lambda v: scaled(v, by=3.0).sum())
    assert torch.vmap(one)(torch.ones(2, 3)).tolist() == [[3, 3, 3]] * 2
