"""`assert_close`: what passes, what does not, and in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.testing import assert_allclose, assert_close

t, nan, inf = torch.tensor, float("nan"), float("inf")


class Mine(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("actual", "expected", "kw"),
    [
        (t([1.0, 2.0]), t([1.0, 2.0 + 1e-6]), {}),
        ({"a": [1, torch.ones(2)]}, {"a": [1, torch.ones(2)]}, {}),
        (nan, nan, {"equal_nan": True}),
        (t([inf, 1.0]), t([inf, 1.0]), {}),
        (None, None, {}),
        ([1, None, (True,)], (1, None, [True]), {}),
        (np.ones(2), np.ones(2), {}),
        (np.float32(1), 1.0, {}),
        (1, 1.0, {"check_dtype": False}),
        (t([1]), t([1.0]), {"check_dtype": False}),
        (t([1], dtype=torch.uint16), t([1]), {"check_dtype": False}),
        (nn.Parameter(t([1.0])), t([1.0]), {}),
        (t([1.0]).as_subclass(Mine), t([1.0]), {}),
        (t([1.0], requires_grad=True), t([1.0]), {}),
        (torch.ones(2, device="meta"), torch.ones(2, device="meta"), {}),
        (t([1.0, 0.0]).to_sparse(), t([1.0, 0.0]).to_sparse(), {}),
        (t([[1.0, 0.0]]).to_sparse_csr(), t([[1.0, 0.0]]).to_sparse_csr(), {}),
        (t([1.0, 0.0]).to_sparse(), t([1.0, 0.0]), {"check_layout": False}),
        (t([]), t([]), {}),
    ],
)
def test_it_passes(actual: Any, expected: Any, kw: dict[str, Any]) -> None:
    assert_close(actual, expected, **kw)


PART = "Mismatched elements: 1 / 2 (50.0%)\nGreatest absolute difference: "
FLOATS = "Tensor-likes are not close!\n\n" + PART


@pytest.mark.parametrize(
    ("actual", "expected", "kw", "text"),
    [
        (t([1.0, 2.0]), t([1.0, 2.5]), {}, FLOATS + "0.5 at index (1,) (up to 1e-05 allowed)\n"
         "Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)"),
        (t([1, 2]), t([1, 3]), {}, "Tensor-likes are not equal!\n\n" + PART + "1 at index (1,)\n"
         "Greatest relative difference: 0.3333333432674408 at index (1,)"),
        (t([2**62]), t([2**62 + 1]), {}, "Tensor-likes are not equal!\n\nMismatched elements: 1 / 1"
         " (100.0%)\nGreatest absolute difference: 1 at index (0,)\nGreatest relative difference: "
         "2.168404344971009e-19 at index (0,)"),
        (t(True), t(False), {}, "Scalars are not equal!\n\nExpected False but got True.\nAbsolute "
         "difference: 1\nRelative difference: inf"),
        ([1, {"b": 0.5}], [1, {"b": 1.0}], {}, "Scalars are not close!\n\nExpected 1.0 but got 0.5."
         "\nAbsolute difference: 0.5 (up to 1e-07 allowed)\nRelative difference: 0.5 (up to 1e-07 "
         "allowed)\n\nThe failure occurred for item [1]['b']"),
        (10**20, 10**20 + 1, {}, "Scalars are not equal!\n\nExpected 100000000000000000001 but got "
         "100000000000000000000.\nAbsolute difference: 1\nRelative difference: 1e-20"),
        (1, 1.0, {}, "The (d)types do not match: <class 'int'> != <class 'float'>."),
        (True, 1, {}, "The (d)types do not match: <class 'bool'> != <class 'int'>."),
        (True, False, {}, "Booleans mismatch: True is not False"),
        (None, 1, {}, "None mismatch: None is not 1"),
        (nan, nan, {}, "Scalars are not close!\n\nExpected nan but got nan.\nAbsolute difference: "
         "nan (up to 1e-07 allowed)\nRelative difference: nan (up to 1e-07 allowed)"),
        ([1], [1, 2], {}, "The length of the sequences mismatch: 1 != 2"),
        ({"a": 1, "c": 3}, {"a": 1, "b": 2}, {}, "The keys of the mappings do not match:\nMissing "
         "keys in the actual mapping: ['b']\nAdditional keys in the actual mapping: ['c']"),
        (t([1.0]), t([[1.0]]), {}, "The values for attribute 'shape' do not match: torch.Size([1]) "
         "!= torch.Size([1, 1])."),
        (t([1]), t([1.0]), {}, "The values for attribute 'dtype' do not match: torch.int64 != "
         "torch.float32."),
        (t([1.0]).to_sparse(), t([1.0]), {}, "The values for attribute 'layout' do not match: "
         "torch.sparse_coo != torch.strided."),
        (torch.ones(2, 3).t(), torch.ones(3, 2), {"check_stride": True}, "The values for "
         "attribute 'stride()' do not match: (1, 3) != (2, 1)."),
        (torch.ones(2, device="meta"), torch.ones(2), {}, "The values for attribute 'device' do "
         "not match: meta != cpu."),
        (t([1.0, 0.0]).to_sparse(), t([1.0, 1.0]).to_sparse(), {}, "The number of specified values "
         "in sparse COO tensors does not match: 1 != 2"),
        (t([1.0]).to_sparse(), t([2.0]).to_sparse(), {}, "Sparse COO values are not close!\n\n"
         "Mismatched elements: 1 / 1 (100.0%)\nGreatest absolute difference: 1.0 at index (0,) (up "
         "to 1e-05 allowed)\nGreatest relative difference: 0.5 at index (0,) (up to 1.3e-06 "
         "allowed)"),
        (t([1.0]), t([2.0]), {"msg": "mine"}, "mine"),
        (t([1]), t([2]), {"msg": lambda text: text[:12] + "!"}, "Tensor-likes!"),
        ([1], [1, 2], {"msg": "mine"}, "The length of the sequences mismatch: 1 != 2"),
    ],
)  # fmt: skip
def test_it_fails(actual: Any, expected: Any, kw: dict[str, Any], text: str) -> None:
    with pytest.raises(AssertionError) as error:
        assert_close(actual, expected, **kw)
    assert str(error.value).replace("rushlight.", "torch.") == text


@pytest.mark.parametrize(
    ("actual", "expected", "kw"),
    [
        (1, t(1), {}),
        (np.ones(2), torch.ones(2), {}),
        ("a", "a", {}),
        (object(), object(), {}),
        ({1}, {1}, {}),
        (nn.Parameter(t([1.0])), t([1.0]), {"allow_subclasses": False}),
        (t([1.0]).as_subclass(Mine), nn.Parameter(t([1.0])), {}),
    ],
)
def test_what_cannot_be_compared(actual: Any, expected: Any, kw: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
        assert_close(actual, expected, **kw)


@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_both_tolerances_are_wanted(name: str) -> None:
    with pytest.raises(ValueError, match=f"got no {'atol' if name == 'rtol' else 'rtol'}"):
        assert_close(1.0, 1.0, **{name: 0.1})


def test_classes_that_compute_for_their_tensors() -> None:
    from rushlight.utils._pytree import tree_map

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, held: Any) -> Any:
            made = torch.Tensor._make_wrapper_subclass(cls, held.size(), dtype=held.dtype)
            made.held = held
            return made

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kw: Any = None) -> Any:
            args, kw = tree_map(lambda x: getattr(x, "held", x), (args, kw or {}))
            found = func(*args, **kw)
            return tree_map(lambda x: Wrapper(x) if isinstance(x, torch.Tensor) else x, found)

    a = Wrapper(t([1.0, 2.0]))
    assert_close(a, Wrapper(t([1.0, 2.0])))
    assert_close(a, t([1.0, 2.0]))
    with pytest.raises(AssertionError, match=r"Mismatched elements: 1 / 2"):
        assert_close(a, Wrapper(t([1.0, 2.5])))


def test_the_older_form() -> None:
    with pytest.warns(FutureWarning, match="deprecated since 1.12"):
        assert_allclose(t([1.0, nan]), [1.00005, nan])
    with (
        pytest.warns(FutureWarning, match=r"assert_close"),
        pytest.raises(AssertionError, match="not close"),
    ):
        assert_allclose(t([1.0]), t([1.001]))
