"""FloatTensor and its like, the constructors of old programs."""

from typing import Any

import pytest

import rushlight as torch


def test_legacy_types_are_of_the_cpu() -> None:
    with pytest.raises(RuntimeError, match="expects device type: cpu but device type: meta"):
        torch.FloatTensor(2, device="meta")
    with pytest.raises(TypeError, match="invalid type object: only floating-point types"):
        torch.set_default_tensor_type(torch.float32)


@pytest.mark.parametrize("make", [torch.Tensor, torch.FloatTensor, torch.ones(1).new])
def test_legacy_constructors_take_names(make: Any) -> None:
    assert make(size=(2, 3)).shape == (2, 3)
    assert make(size=[2, 3], device="cpu").shape == (2, 3)
    assert make(data=[1, 2]).tolist() == [1, 2]
    assert make(other=torch.ones(2)).tolist() == [1, 1]
    for given in ({"size": 3}, {"size": (1,), "data": [1]}):
        with pytest.raises(TypeError, match=r"invalid combination of arguments[^$]*got[^$]*="):
            make(**given)
    with pytest.raises(TypeError, match="argument"):
        make(requires_grad=True)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        make((2, 3), size=(1,))
