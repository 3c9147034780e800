"""Named results behave as PyTorch's structseqs."""

from __future__ import annotations

import copy
import pickle

import pytest

from rushlight.ops.core import return_types
from rushlight.ops.core.return_types import return_type

Pair = return_type("max", ("values", "indices"))


def test_is_a_tuple_with_names():
    pair = Pair((1, 2))
    values, indices = pair
    assert (values, indices) == (pair.values, pair.indices) == (pair[0], pair[1]) == (1, 2)
    assert isinstance(pair, tuple)
    assert pair.n_fields == 2


def test_prints_as_pytorch():
    assert repr(Pair((1, 2))) == "torch.return_types.max(\nvalues=1,\nindices=2)"


def test_pickles_and_copies():
    pair = Pair((1, [2]))
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert type(copy.deepcopy(pair)) is Pair


def test_one_class_a_name():
    assert return_type("max", ("values", "indices")) is Pair
    assert return_types.max is Pair
    with pytest.raises(TypeError, match="exists with fields"):
        return_type("max", ("a", "b"))
    with pytest.raises(AttributeError, match="no attribute"):
        _ = return_types.never_made


def test_wants_one_sequence_of_the_right_length():
    with pytest.raises(TypeError, match="constructor requires a sequence"):
        Pair(1)
    with pytest.raises(TypeError, match="2-sequence"):
        Pair((1, 2, 3))
