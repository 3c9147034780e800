"""`__torch_function__`: which classes are asked."""

import pytest

import rushlight as torch
from rushlight import _C


class Named(torch.Tensor):
    pass


class Weight(torch.nn.Parameter):
    pass


class Quiet(torch.Tensor):
    __torch_function__ = _C._disabled_torch_function_impl


def test_parameters_and_their_subclasses_take_over_nothing():
    w, t = Weight(torch.ones(2)), torch.ones(2).as_subclass(Named)
    for result in (w + 1, w.sum(), torch.stack([w, w]), w.view(1, 2), w.clone(), w[0]):
        assert type(result) is torch.Tensor
    assert type(t + w) is type(w + t) is type(t + torch.nn.Parameter(torch.ones(2))) is Named
    assert not torch.overrides.has_torch_function((w,))
    assert torch.overrides.is_tensor_like(w)


def test_classes_that_disable_it_take_over_nothing():
    q, t = torch.ones(2).as_subclass(Quiet), torch.ones(2).as_subclass(Named)
    assert type(q + 1) is type(q.clone()) is torch.Tensor
    assert type(q + t) is type(t + q) is Named


def test_parameter_carries_out_calls_plainly():
    t = torch.ones(2).as_subclass(Named)
    got = torch.nn.Parameter.__torch_function__(torch.add, (Named,), (t, t), {})
    assert type(got) is torch.Tensor
    with pytest.raises(ValueError, match="uninitialized parameter"):
        torch.nn.UninitializedParameter() + 1


def test_what_is_no_tensor_is_named() -> None:
    x, m = torch.ones(3), torch.ones(3, 3)
    place = torch.tensor([0])
    for call, words in (
        (lambda: x.inner(3), "inner.*argument 'other' .position 2. must be Tensor, not int"),
        (lambda: torch.linalg.solve(m, None), "argument 'B' .position 2. must be Tensor, not None"),
        (lambda: torch.nn.functional.linear(x, None), "'weight' .position 2. must be Tensor"),
        (lambda: m.index_add_(0, place, [1.0]), "must be Tensor, not list"),
        (lambda: m.addmv(x, True), "must be Tensor, not bool"),
        (lambda: torch.addmv_(x, 3, x), "addmv_.*'mat' .position 2. must be Tensor, not int"),
        (lambda: x.dot(tensor=None), "argument 'tensor' .position 2. must be Tensor"),
        (lambda: torch.einsum("ij,jk->ik", 3, m), "must be Tensor, not int"),
        (lambda: torch.linalg.multi_dot([m, 3, m]), "expected Tensor as element 1"),
        (lambda: torch.special.polygamma(1, 3), "must be Tensor, not int"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


def test_the_class_of_what_is_written_is_asked() -> None:
    asked = []

    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            asked.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    x, other = torch.ones(2), torch.full((2,), 3.0).as_subclass(Told)
    asked.clear()
    x.mul_(other)
    x *= other
    assert asked == ["mul_", "mul_"]
    assert x.tolist() == [9, 9]
