"""NumPy functions on tensors, shared memory both ways, DLPack, pickles and copies."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight import once
from rushlight.utils import dlpack


@pytest.fixture
def t():
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def test_ufuncs_give_tensors(t):
    a = np.array([[1.0, 1.0], [2.0, 2.0]])
    for y in (np.sin(t), np.add(t, a), np.multiply(a, t), t - a, a / t, t @ a, t + np.array(1.0)):
        assert isinstance(y, torch.Tensor)
    assert np.add(t, a).dtype is (t + np.array(1.0)).dtype is torch.float64
    assert np.sqrt(t).dtype is torch.float32
    assert np.greater(t, a).dtype is torch.uint8
    assert np.matmul(a, t).tolist() == [[4.0, 6.0], [8.0, 12.0]]
    mantissa, whole = np.modf(t)
    assert isinstance(mantissa, torch.Tensor)
    assert whole.tolist() == t.tolist()


ARRAY_FIRST = ["+", "-", "*", "//", "%", "**", "@", "<", "<=", ">", ">=", "&"]


@pytest.mark.parametrize("sign", ARRAY_FIRST)
def test_an_array_before_a_tensor_is_refused(t, sign):
    """As in PyTorch, whose users write `torch.from_numpy(a) + t`, which keeps the gradient."""
    a = np.ones((2, 2))
    with pytest.raises(TypeError):
        eval(f"a {sign} t")
    with pytest.raises(TypeError):
        torch.add(t, a)
    if sign in "<=>=":
        with pytest.raises(TypeError):
            eval(f"t {sign} a")


def test_only_equality_compares_with_arrays(t):
    a = np.array([2.0, 2.0])
    assert (t == a).tolist() == (a == t).tolist() == [[False, True], [False, False]]
    assert (t == a).dtype is torch.bool
    assert (t == np.array(3.0)).tolist() == [[False, False], [True, False]]
    assert not (t.requires_grad_() == a).requires_grad
    assert (t == np.array(["a"])) is False
    assert (t != a) is True


def test_numpy_numbers_are_numbers(t):
    t.requires_grad_()
    y = np.float64(2) * t
    assert y.dtype is torch.float32
    y.sum().backward()
    assert t.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_comparisons_need_no_gradient(t):
    t.requires_grad_()
    assert (np.float64(2) < t).tolist() == [[False, False], [True, True]]
    assert not (np.float64(2) != t).requires_grad


def test_functions_take_tensors(t):
    assert isinstance(np.concatenate([t, t]), np.ndarray)
    assert np.concatenate([t, t]).shape == (4, 2)
    assert np.mean(t).item() == 2.5
    assert np.sum(t, axis=0).tolist() == [4.0, 6.0]
    assert np.allclose(t, t)
    assert np.linalg.norm(t) == pytest.approx(30**0.5)
    assert np.clip(t, 2, 3).tolist() == [[2.0, 2.0], [3.0, 3.0]]
    assert np.where(t > 2, t, 0).tolist() == [[0.0, 0.0], [3.0, 4.0]]


def test_results_go_into_arrays_alone(t):
    a = np.zeros((2, 2))
    assert np.add(a, t, out=a) is a
    assert a.tolist() == t.tolist()
    with pytest.raises(TypeError):
        np.exp(t, out=t)  # nobody would know of the change
    with pytest.raises(TypeError):
        a += t


def test_tensors_with_gradients_must_be_detached(t):
    t.requires_grad_()
    for call in (
        lambda: np.sin(t),
        lambda: t.numpy(),
        lambda: np.concatenate([t, t]),
        lambda: np.asarray(t),
    ):
        with pytest.raises(RuntimeError, match=r"detach\(\)\.numpy\(\)"):
            call()


def test_memory_is_shared(t):
    a = t.numpy()
    a[0, 0] = 9
    assert t[0, 0].item() == 9
    b = np.zeros(3)
    s = torch.from_numpy(b)
    s += 1
    assert b.tolist() == [1.0] * 3
    assert torch.as_tensor(b).data_ptr() == s.data_ptr()
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(b[::-1])


def test_dlpack_shares_memory_both_ways(t):
    a = np.from_dlpack(t)
    u = torch.from_dlpack(np.arange(3.0))
    v = dlpack.from_dlpack(dlpack.to_dlpack(t))
    v[0, 0] = 7
    assert t[0, 0].item() == 7
    assert a[0, 0] == 7
    assert u.tolist() == [0.0, 1.0, 2.0]
    assert torch.from_dlpack(t, copy=True).data_ptr() != t.data_ptr()
    with pytest.raises(BufferError, match="require gradient"):
        t.requires_grad_().__dlpack__()
    with pytest.raises(TypeError, match="__dlpack__"):
        torch.from_dlpack(3)


def test_tensors_are_made_of_what_dlpack_gives(t):
    class Wrapped:  # no array otherwise
        def __dlpack__(self, **kw):
            return t.__dlpack__(**kw)

        def __dlpack_device__(self):
            return t.__dlpack_device__()

    y = torch.tensor(Wrapped())
    assert y.tolist() == t.tolist()
    assert y.data_ptr() != t.data_ptr()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python classes export buffers from 3.12 on")
def test_buffer_protocol(t):
    assert memoryview(t).tolist() == t.tolist()


def test_buffers_become_tensors():
    data = bytearray(np.arange(3, dtype=np.float32).tobytes())
    x = torch.frombuffer(data, dtype=torch.float32)
    x[0] = 5
    assert np.frombuffer(data, np.float32)[0] == 5
    assert memoryview(x.numpy()).nbytes == 12
    once._told.clear()
    with pytest.warns(UserWarning, match="The given buffer is not writable"):
        y = torch.frombuffer(bytes(data), dtype=torch.float32)
    assert y.tolist() == x.tolist()


def test_indices_and_lists():
    assert [10, 20, 30][torch.tensor(1)] == 20
    assert list(range(torch.tensor(3))) == [0, 1, 2]
    assert torch.tensor([np.float32(1.5), 2]).tolist() == [1.5, 2.0]
    assert torch.ones(3)[np.array([0, 2])].shape == (2,)
    assert torch.arange(4)[np.int64(2)].item() == 2


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "complex64", "int8"])
def test_pickles_and_deep_copies(dtype):
    x = torch.tensor([[1, 0], [2, 1]]).to(getattr(torch, dtype)).t()
    for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert y.dtype is x.dtype
        assert torch.equal(y, x)


def test_deep_copies_keep_sharing_and_gradients():
    x = torch.ones(4, requires_grad=True)
    x.sum().backward()
    pair = copy.deepcopy([x, x.detach()[:2]])
    pair[1][0] = 5
    assert pair[0][0].item() == 5
    assert x[0].item() == 1
    assert pair[0].grad.tolist() == [1.0] * 4
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)


@pytest.mark.parametrize("name", ["__add__", "__radd__", "__rmul__", "__or__", "__eq__"])
def test_operators_are_methods_of_tensors_alone(t, name):
    with pytest.raises(TypeError, match=r"descriptor '__.*doesn't apply to a 'int'"):
        getattr(torch.Tensor, name)(2, t)


def test_turned_operators_of_python_take_a_number_first() -> None:
    x = torch.tensor([2.0, 3.0])
    assert torch.Tensor.__rpow__(2.0, x).tolist() == [4, 9]  # type: ignore[arg-type]
    assert torch.Tensor.__rpow__(x, 2.0).tolist() == [4, 8]
    assert torch.Tensor.__rmod__(5.0, x).tolist() == [2, 3]  # type: ignore[arg-type]
    assert torch.Tensor.__rfloordiv__(2.0, x).tolist() == [1, 1]  # type: ignore[arg-type]
