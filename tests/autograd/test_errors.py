"""Each error that DESIGN promises in four parts: what, got, wanted, try."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.ops.core.record import Op

HERE = re.escape(__file__)


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def text_of(fn: Callable[[], Any], kind: type[BaseException] = RuntimeError) -> str:
    with pytest.raises(kind) as caught:
        fn()
    return str(caught.value)


def line_of(text: str, word: str) -> str:
    """The source line shown after `word`."""
    found = re.search(re.escape(word) + r" .*?" + HERE + r":\d+ in \w+: (.*)", text)
    assert found, text
    return found.group(1)


# -- backward twice --------------------------------------------------------------------------------


def test_backward_twice_names_the_node_its_line_and_the_first_backward() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()  # the forward line
    y.backward()  # the first backward
    text = text_of(y.backward)
    assert text.startswith("Trying to backward through the graph a second time")
    assert "MulBackward0" in text
    assert "# the forward line" in line_of(text, "made at")
    assert "# the first backward" in line_of(text, "first backward at")
    assert text.index("detach()") < text.index("retain_graph=True")
    assert re.search(r"^  got  .*^  wanted  .*^  try  ", text, re.S | re.M)


def test_backward_twice_of_a_function_names_it() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * g

    y = Square.apply(leaf(1.0, 2.0)).sum()  # applied here
    y.backward()
    text = text_of(y.backward)
    assert "SquareBackward" in text
    assert "# applied here" in line_of(text, "made at")


def test_backward_twice_after_an_in_place_change_of_a_view() -> None:
    x = leaf(1.0, 2.0)
    a = x * 1
    a[0:1].mul_(x[1:])
    y = a.sum()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


# -- in-place --------------------------------------------------------------------------------------


def test_in_place_names_both_lines() -> None:
    x = leaf(1.0, 2.0)
    a = x * 1
    y = (a * a).sum()  # saved here
    a.add_(1)  # changed here
    text = text_of(y.backward)
    assert text.startswith(
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation"
    )
    assert "# saved here" in line_of(text, "saved by MulBackward0 at")
    assert "# changed here" in line_of(text, "changed by add_ at")
    assert "clone()" in text
    assert x.grad is None


def test_in_place_on_a_saved_output() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()  # saved here
    y[0] = 3.0  # changed here
    text = text_of(y.sum().backward)
    assert "ExpBackward0" in text
    assert "# changed here" in line_of(text, "changed by")


def test_in_place_on_a_leaf() -> None:
    text = text_of(lambda: leaf(1.0).add_(1))
    assert "a leaf Variable that requires grad is being used in an in-place operation" in text
    assert "torch.no_grad()" in text


def test_in_place_on_a_view_of_a_leaf_changes_nothing() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[0:1].mul_(5)
    assert x.tolist() == [1.0, 2.0]


def test_in_place_on_an_expanded_tensor() -> None:
    with pytest.raises(
        RuntimeError, match=r"more than one element of the written-to tensor(.|\n)*clone\(\)"
    ):
        torch.zeros(1).expand(3).add_(1)


def test_in_place_on_one_of_several_views() -> None:
    a = torch.ones(2, 2, requires_grad=True) * 1
    with pytest.raises(RuntimeError, match="a function that returns multiple views"):
        a.unbind(0)[0].add_(1)
    w = torch.ones((), requires_grad=True)
    whole = torch.ones(2, 2, dtype=torch.int64)
    v = whole.unbind(0)[0]

    def assign(key: Any) -> None:
        v[key] = w

    for call in (
        lambda: v.fill_(w),
        lambda: v.eq_(w),
        lambda: v.masked_fill_(v > 0, w),
        lambda: assign(slice(1, None)),
        lambda: assign(v > 0),
    ):
        with pytest.raises(RuntimeError, match="view was created in no_grad mode and is being"):
            call()
    assert v.copy_(w * 3).tolist() == [3, 3]  # floats hand no history to integers


def test_in_place_result_of_another_shape_or_type() -> None:
    with pytest.raises(
        RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[3, 2\]"
    ):
        torch.zeros(2).add_(torch.ones(3, 2))
    with pytest.raises(
        RuntimeError, match="result type Float can't be cast to the desired output type Long"
    ):
        torch.zeros(2, dtype=torch.int64).add_(0.5)


# -- no history ------------------------------------------------------------------------------------


def test_no_history_at_all() -> None:
    text = text_of(torch.ones(()).backward)
    assert text.startswith("element 0 of tensors does not require grad and does not have a grad_fn")
    assert "computed only from tensors with requires_grad=False" in text


@pytest.mark.parametrize(
    ("cut", "why", "hint"),
    [
        (lambda x: torch.no_grad()(lambda: x * 2)(), "no_grad", "out of the torch.no_grad"),
        (lambda x: x.detach(), "detach", r"leave out that detach\(\)"),
        (lambda x: x.data * 2, "detach", r"leave out that detach\(\)"),
        (
            lambda x: (x * 2).long(),
            "a result of type torch.int64",
            "keep the values floating point",
        ),
        (lambda x: x > 1, "gt, which has no derivative", "keep the values floating point"),
        (lambda x: x.argmax(), "argmax, which has no derivative", "keep the values floating point"),
        (
            lambda x: torch.inference_mode()(lambda: x * 2)(),
            "inference_mode",
            "out of torch.inference_mode",
        ),
    ],
)
def test_no_history_says_what_cut_it(cut: Any, why: str, hint: str) -> None:
    y = cut(leaf(1.0, 2.0)).float()
    loss = (y * 2 + 1).sum()
    with pytest.raises(RuntimeError, match="does not require grad") as caught:
        loss.backward()
    assert f"the history ended with {why}" in str(caught.value)
    assert HERE.replace("\\", "") in str(caught.value)
    assert re.search(hint, str(caught.value))


def test_no_history_shows_the_line_that_cut_it() -> None:
    x = leaf(1.0, 2.0)
    h = x * 2
    h = h.detach()  # cut here
    text = text_of((h * 3).sum().backward)
    assert "# cut here" in line_of(text, "the history ended with detach at")


# -- gradients -------------------------------------------------------------------------------------


def test_non_scalar_backward() -> None:
    text = text_of(lambda: (leaf(1.0, 2.0) * 2).backward())
    assert text.startswith("grad can be implicitly created only for scalar outputs")
    assert "(2,)" in text
    assert "loss.mean().backward()" in text


def test_gradient_of_another_shape() -> None:
    with pytest.raises(
        RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of .*\[3\].*\[2\]"
    ):
        (leaf(1.0, 2.0) * 2).backward(torch.ones(3))


def test_gradient_that_is_no_tensor() -> None:
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got float"):
        (leaf(1.0, 2.0) * 2).backward(1.0)


def test_unused_input() -> None:
    x, w = leaf(1.0), leaf(2.0)
    with pytest.raises(
        RuntimeError,
        match=r"not have been used in the graph(.|\n)*number 1(.|\n)*allow_unused=True",
    ):
        torch.autograd.grad((x * 2).sum(), [x, w])


def test_input_without_requires_grad() -> None:
    with pytest.raises(RuntimeError, match=r"does not require grad(.|\n)*requires_grad_\(\)"):
        torch.autograd.grad(leaf(1.0).sum(), torch.ones(1))


def test_hook_that_changes_the_shape() -> None:
    x = leaf(1.0, 2.0)
    x.register_hook(lambda g: g[:1])
    with pytest.raises(RuntimeError, match="has changed the size of value"):
        (x * 2).sum().backward()


def test_wrong_number_of_gradients_from_a_function() -> None:
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a * b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    with pytest.raises(RuntimeError, match=r"incorrect number of gradients \(expected 2, got 1\)"):
        Two.apply(leaf(1.0), leaf(2.0)).backward()


def test_requires_grad_of_integers() -> None:
    with pytest.raises(RuntimeError, match=r"only Tensors of floating point(.|\n)*x.float\(\)"):
        torch.tensor([1, 2]).requires_grad_()


def test_numpy_of_a_tensor_that_requires_grad() -> None:
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        leaf(1.0).numpy()


def test_deepcopy_of_a_result() -> None:
    import copy

    with pytest.raises(
        RuntimeError, match=r"Only Tensors created explicitly(.|\n)*detach\(\).clone\(\)"
    ):
        copy.deepcopy(leaf(1.0) * 2)


# -- shapes and memory -----------------------------------------------------------------------------


def test_shapes_are_named() -> None:
    with pytest.raises(
        RuntimeError,
        match=r"size of tensor a \(3\) must match the size of tensor b \(4\)(.|\n)*"
        r"\(2, 3\) and \(2, 4\)",
    ):
        torch.ones(2, 3) + torch.ones(2, 4)
    text = text_of(lambda: torch.ones(4, 3) @ torch.ones(5, 2))
    assert re.search(r"4x3 and 5x2|\(4, 3\)(.|\n)*\(5, 2\)", text), text


def test_shape_error_inside_a_module_names_its_path() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(5, 2))

        def forward(self, x: Any) -> Any:
            return self.body(x)

    with pytest.raises(RuntimeError, match="cannot be multiplied") as caught:
        Net()(torch.ones(1, 4))
    notes = "\n".join(caught.value.__notes__)
    assert "body.2" in notes
    assert "in_features=5" in notes


def test_out_of_memory_names_the_largest_tensors() -> None:
    x = torch.ones(1500, 1500, requires_grad=True)
    big = x * 2  # the big one

    def full(input: Any) -> Any:
        raise MemoryError("Unable to allocate 3. GiB")

    record = Op(full, "op")
    with pytest.raises(torch.OutOfMemoryError, match="full: not enough memory") as caught:
        record.call((big.double().float()[:, :2],), {})
    text = str(caught.value)
    assert "Unable to allocate 3. GiB" in text
    assert "(1500, 1500)" in text
    assert "# the big one" in text
    assert "torch.no_grad()" in text
    assert isinstance(caught.value, RuntimeError)


def test_errors_leave_the_state_usable() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    for _ in range(2):
        with pytest.raises(RuntimeError):
            y.backward()
    assert torch.is_grad_enabled()
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_a_wrong_gradient_is_never_returned_after_a_change_by_numpy_in_the_open() -> None:
    """A change through `.numpy()` is not counted, as in PyTorch; `increment_version` counts it."""
    x = leaf(1.0, 2.0)
    c = torch.ones(2)
    y = (x * c).sum()
    c.numpy()[:] = np.array([5.0, 5.0])
    torch.autograd.graph.increment_version(c)
    with pytest.raises(RuntimeError, match="increment_version"):
        y.backward()


def test_anomaly_mode_checks_the_forward_too() -> None:
    x = leaf(0.0, 1.0)
    with pytest.warns(UserWarning, match="Anomaly Detection"):
        mode = torch.autograd.detect_anomaly(check_forward=True)
    with (
        mode,
        pytest.raises(RuntimeError, match=r"Function 'log' returned inf values in its forward"),
    ):
        x.log()


def test_nan_in_backward_names_node_and_line() -> None:
    x = leaf(0.0, 1.0)
    with pytest.warns(UserWarning, match="Anomaly Detection"):
        mode = torch.autograd.detect_anomaly()
    with mode, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", UserWarning)
        y = (x.sqrt() * 0).sum()  # forward here
        with pytest.raises(
            RuntimeError, match="'SqrtBackward0' returned nan values in its 0th"
        ) as caught:
            y.backward()
    assert "# forward here" in str(caught.value)
    assert re.search("Traceback of forward call(.|\n)*# forward here", str(seen[-1].message))


@pytest.mark.parametrize(
    ("name", "fn"),
    [
        ("_unique2", lambda x: torch.unique(x)),
        ("unique_dim", lambda x: torch.unique(x[None], dim=0)),
        ("unique_consecutive", lambda x: torch.unique_consecutive(x, return_inverse=True)[0]),
        ("bincount", lambda x: torch.bincount(torch.tensor([0, 1, 1]), x)),
        ("histogram", lambda x: torch.histogram(x, 3)[0]),
        ("geqrf", lambda x: torch.geqrf(x[None])[0]),
    ],
)
def test_a_derivative_that_nobody_has_written_is_an_error_and_no_missing_gradient(
    name: str, fn: Any
) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = fn(x)
    assert y.requires_grad
    assert not fn(x.detach()).requires_grad
    with torch.no_grad():
        assert not fn(x).requires_grad
    with pytest.raises(NotImplementedError, match=f"the derivative for '{name}' is not impl"):
        (y.sum() + x.sum()).backward()


def test_an_error_in_a_second_backward_tells_what_made_its_node() -> None:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, g: Any) -> Any:
            return g * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * float("nan")

    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return Inner.apply(g)

    x = torch.ones(1, requires_grad=True)
    w = torch.ones(1, requires_grad=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly():
            (g,) = torch.autograd.grad(Outer.apply(x) * w, x, create_graph=True)
            with pytest.raises(RuntimeError, match="'InnerBackward' returned nan"):
                g.backward()
    texts = [str(w.message) for w in told]
    assert "Inner.apply(g)" in texts[1]
    assert "Previous calculation was induced by OuterBackward" in texts[2]
    assert "Outer.apply(x)" in texts[2]


def test_anomaly_modes_warning_does_not_replace_the_error(capsys: Any) -> None:
    x = torch.zeros(1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mode = torch.autograd.detect_anomaly()
    with mode, warnings.catch_warnings(), np.errstate(all="ignore"):
        y = (x.sqrt() * 0).sum()
        warnings.simplefilter("error", UserWarning)
        with pytest.raises(RuntimeError, match="returned nan values"):
            y.backward()
    assert "Error detected in SqrtBackward0" in capsys.readouterr().err


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_shapes_that_do_not_broadcast_are_told_alike(device: str) -> None:
    x, y = torch.ones(3, 5, device=device), torch.ones(3, 4, device=device)
    told = r"The size of tensor a \(5\) must match the size of tensor b \(4\)"
    for call in (lambda: x - y, lambda: x.add_(y), lambda: torch.pairwise_distance(x, y)):
        with pytest.raises(RuntimeError, match=told):
            call()
