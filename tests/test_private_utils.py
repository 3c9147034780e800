"""`torch._utils`: small helpers that libraries use."""

from __future__ import annotations

import collections
from typing import Any

import pytest

import rushlight as torch
from rushlight import _utils


def test_tensors_as_one_line() -> None:
    a, b = torch.ones(2), torch.zeros(2, 2)
    flat = _utils._flatten_dense_tensors([a, b])
    assert flat.tolist() == [1, 1, 0, 0, 0, 0]
    first, second = _utils._unflatten_dense_tensors(flat, [a, b])
    second.fill_(3)
    assert (first.shape, flat[2:].tolist()) == ((2,), [3, 3, 3, 3])  # views of the line
    with pytest.raises(RuntimeError):
        _utils._unflatten_dense_tensors(flat[:5], [a, b])


def test_groups_of_a_type() -> None:
    a, b = torch.ones(2), torch.zeros(2, 2)
    groups = list(_utils._take_tensors([a, b, a.double(), a, b.double()], 24))
    assert [[t.type()[6:] + str(t.numel()) for t in group] for group in groups] == [
        ["FloatTensor2", "FloatTensor4"], ["DoubleTensor2"], ["FloatTensor2"], ["DoubleTensor4"],
    ]  # fmt: skip
    ordered = _utils._reorder_tensors_as([a, b.double(), b], [b.double(), b, a])
    assert [t.numel() for t in ordered] == [4, 2, 4]


def test_a_tensor_from_its_storage() -> None:
    storage = torch.arange(6.0).storage()
    made = _utils._rebuild_tensor_v2(storage, 1, (2, 2), (2, 1), True, collections.OrderedDict())
    assert made.tolist() == [[1, 2], [3, 4]]
    assert made.requires_grad
    assert made.data_ptr() == storage.data_ptr() + 4


class Odd(Exception):
    def __init__(self, first: Any, second: Any) -> None: ...


@pytest.mark.parametrize(
    ("raised", "again"),
    [(ValueError("v"), ValueError), (KeyError("k"), KeyError), (Odd(1, 2), RuntimeError)],
    ids=["value", "key", "odd"],
)
def test_errors_of_other_threads(raised: Exception, again: type[Exception]) -> None:
    try:
        raise raised
    except Exception:
        held = _utils.ExceptionWrapper(where="in worker 3")
    with pytest.raises(again) as caught:
        held.reraise()
    text = str(caught.value)
    assert text.startswith(f"Caught {type(raised).__name__} in worker 3.\nOriginal Traceback")
    assert "raise raised" in text  # the line it came from


def test_numbers_of_devices() -> None:
    assert _utils._get_device_index(3) == 3
    assert _utils._get_device_index("cuda:1") == 1
    assert _utils._get_device_index("cpu", allow_cpu=True) == -1
    assert _utils._get_device_index(None, optional=True) == 0
    for wrong, words in (("cpu", "non cpu"), (None, "specified index")):
        with pytest.raises(ValueError, match=words):
            _utils._get_device_index(wrong)


def test_names_and_calls() -> None:
    class Named:
        @_utils.classproperty
        def name(cls):
            return cls.__name__

    assert Named.name == "Named"
    assert _utils.render_call(torch.add, (1,), {"alpha": 2}) == "torch.add(1, alpha=2)"
    assert _utils._import_dotted_name("rushlight.nn.Linear") is torch.nn.Linear
    assert _utils._element_size(torch.float64) == 8
    with pytest.raises(NotImplementedError):
        _utils._rebuild_qtensor()
