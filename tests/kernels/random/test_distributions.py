"""Random kernels against numbers that PyTorch 2.13 prints (seed 0 unless said), and their parts."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels.random import distributions as R
from rushlight.kernels.random import select
from rushlight.kernels.random.box_muller import box_muller_16
from rushlight.kernels.random.mersenne_twister import STATE_BYTES, Twister


def drawn(fill, n, dtype=np.float32, *args, seed=0):
    a = np.zeros(n, dtype)
    fill(a, Twister(seed), *args)
    return a


def close(a, expected):
    """Literals are printed with nine digits."""
    np.testing.assert_allclose(np.asarray(a, np.float64), expected, rtol=1e-8)


FILLS = {
    "uniform": (R.uniform, 4, "f4", (), [0.496256590, 0.768221796, 0.0884774327, 0.132030487]),
    "uniform half": (R.uniform, 4, "f2", (), [0.496337891, 0.768066406, 0.0885009766, 0.132080078]),
    "uniform64": (R.uniform, 3, "f8", (), [0.9700530018065, 0.7078198643998, 0.4593829431275]),
    "normal 4": (R.normal, 4, "f4", (), [1.54099607, -0.293428898, -2.17878938, 0.568431258]),
    "normal64": (R.normal, 16, "f8", (), [-2.310411800234, -0.3732508612578, -1.060816678546]),
    "integers": (R.integers, 10, "i8", (0, 10), [4, 9, 3, 0, 3, 9, 7, 3, 7, 3]),
    "integers wide": (R.integers, 2, "i8", (-5, 2**40 + 5), [741234585336, 506077272957]),
    "bernoulli": (R.bernoulli, 12, "f4", (0.3,), [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]),
    "exponential": (R.exponential, 3, "f4", (), [3.50832629, 1.23038471, 0.615044117]),
    "geometric": (R.geometric, 6, "f4", (0.3,), [1, 1, 3, 1, 2, 1]),
    "cauchy": (R.cauchy, 3, "f4", (), [10.5977297, 0.764767289, -0.128299341]),
    "log_normal": (R.log_normal, 3, "f4", (), [59.2634163, 1.51155996, 0.0348194614]),
    "any int64": (R.any_integers, 2, "i8", (), [900450186894289455, 3969543146641149120]),
    "any uint8": (R.any_integers, 5, "u1", (), [172, 47, 117, 192, 67]),
    "any float": (R.any_integers, 3, "f4", (), [8325664, 12888472, 1484222]),
    "any bool": (R.any_integers, 6, "?", (), [0, 1, 1, 0, 1, 1]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILLS)
def test_pytorch_numbers(name):
    fill, n, dtype, args, expected = FILLS[name]
    close(drawn(fill, n, dtype, *args)[: len(expected)], expected)


def test_normal_of_17_redraws_its_last_16():
    close(
        drawn(R.normal, 17),
        [-1.12583983, -1.6959312, 0.566650629, 0.793508351, 0.598839462, -1.55509508, -0.34136039,
         1.85300612, 0.468096405, -0.585497558, -0.173396751, 0.183477938, 1.38936615, 1.58633423,
         0.946298361, -0.843676746, 0.931826591],
    )  # fmt: skip


def test_half_types_draw_the_tail_before_the_incomplete_group():
    got = drawn(R.normal, 17, ml_dtypes.bfloat16)
    close(got[:4], [-1.125, -1.3515625, -1.6953125, 0.56640625])
    close(got[-4:], [1.390625, 1.5859375, 0.9453125, -0.84375])


def test_many_normals_and_a_permutation_to_the_last_bit():
    digest = hashlib.sha256(drawn(R.normal, 100003).tobytes()).hexdigest()
    assert digest == "0e1052dc151d4ee630af2d3a6975bb64f2d34e0b8be27473fb8e33173f0c1858"
    rng = Twister(0)
    R.normal(np.zeros(100003, np.float32), rng)
    digest = hashlib.sha256(select.permutation(1000, rng).tobytes()).hexdigest()
    assert digest == "49c43ac33288ec382708b54c7b96a9648e0ebd9816a6dbc23058e8770aa5d3b1"


def test_permutation_multinomial_poisson():
    assert select.permutation(10, Twister(0)).tolist() == [4, 1, 7, 5, 3, 9, 0, 8, 6, 2]
    assert select.permutation(0, Twister(0)).tolist() == []
    weights = np.array([[1, 2, 3, 4]], np.float32)
    assert R.multinomial_distinct(weights, Twister(0), 3).tolist() == [[2, 1, 3]]
    assert R.multinomial_replaced(weights, Twister(0), 8).tolist() == [[3, 3, 2, 3, 3, 3, 1, 2]]
    assert R.poisson(np.array([0.5, 3, 20, 1000]), Twister(0)).tolist() == [2, 4, 21, 996]


def test_poisson_leaves_the_stream_where_it_ended():
    rng, other = Twister(5), Twister(5)
    R.poisson(np.array([0.0]), rng)
    np.testing.assert_array_equal(rng.get_state(), other.get_state())
    R.poisson(np.array([1e-9, 1e-9]), rng)  # one draw each
    other.doubles(2)
    np.testing.assert_array_equal(rng.get_state(), other.get_state())


def test_transposed_arrays_are_filled_in_the_order_of_memory():
    a = np.zeros((3, 2), np.float32).T
    R.uniform(a, Twister(0))
    close(a[0], [0.49625659, 0.0884774327, 0.307422817])
    close(a[1], [0.768221796, 0.132030487, 0.634078681])


def test_a_strided_array_leaves_its_gaps_alone():
    base = np.full((6, 4), 7.0, np.float32)
    R.normal(base[::2, 1:3], Twister(0))
    assert (base[1::2] == 7).all()
    assert (base[:, [0, 3]] == 7).all()
    assert (base[::2, 1:3] != 7).all()


def test_state_is_pytorchs_with_the_normal_in_waiting():
    rng = Twister(42)
    R.normal(np.zeros(3, np.float32), rng)
    state = rng.get_state()
    assert state[:24].tolist() == [42, *[0] * 7, 105, 2, 0, 0, 1, 0, 0, 0, 8, *[0] * 7]
    assert state[5024:5032].tolist() == [34, 124, 10, 123, 141, 123, 205, 63]
    digest = hashlib.sha256(state.tobytes()).hexdigest()
    assert digest == "465eb69e777fa9219f5c7fe27ddd8c19305fee009fb9ff06a4c8ea775fec0b7d"
    later = Twister(0)
    later.set_state(state)
    a, b = np.zeros(2, np.float32), np.zeros(2, np.float32)
    R.normal(a, later)
    R.uniform(b, later)
    close(a, [0.230333030, -1.12285638])
    close(b, [0.869404435, 0.567715287])


@pytest.mark.parametrize("drawn_before", [0, 1, 623, 624, 625])
def test_states_round_trip(drawn_before):
    rng = Twister(3)
    rng.words(drawn_before)
    twins = [rng.clone(), pickle.loads(pickle.dumps(rng)), Twister(9)]
    twins[2].set_state(rng.get_state())
    expected = rng.words(1000)
    for twin in twins:
        np.testing.assert_array_equal(twin.words(1000), expected)
        np.testing.assert_array_equal(twin.get_state(), rng.get_state())


@pytest.mark.parametrize("bad", [np.zeros(50, np.uint8), np.zeros(STATE_BYTES, np.uint8)])
def test_a_wrong_state_changes_nothing(bad):
    rng = Twister(3)
    before = rng.get_state()
    with pytest.raises(ValueError, match=r"50 bytes|seeded 0"):
        rng.set_state(bad)
    np.testing.assert_array_equal(rng.get_state(), before)


def test_uniform_never_reaches_its_upper_end():
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32):
        a = drawn(R.uniform, 200_000, dtype, seed=1)
        assert float(a.max()) < 1
        assert float(a.min()) >= 0


def test_box_muller_is_normal():
    z = box_muller_16(Twister(2).floats(1 << 20), 1.5, 2.0).astype(np.float64)
    assert abs(z.mean() - 1.5) < 0.01
    assert abs(z.std() - 2.0) < 0.01
    z = np.sort((z - 1.5) / 2)
    for quantile, value in ((0.025, -1.95996), (0.5, 0.0), (0.975, 1.95996)):
        assert abs(z[int(quantile * len(z))] - value) < 0.01


def test_statistics_of_the_rest():
    n = 200_000
    assert abs(drawn(R.exponential, n, "f4", 2.0).mean() - 0.5) < 0.01
    assert abs(drawn(R.geometric, n, "i8", 0.25).mean() - 4) < 0.05
    assert abs(np.median(drawn(R.cauchy, n, "f8", 3.0, 2.0)) - 3) < 0.05
    assert abs(np.log(drawn(R.log_normal, n, "f8", 1.0, 0.5)).std() - 0.5) < 0.01
    counts = R.poisson(np.full(5000, 30.0), Twister(0))
    assert abs(counts.mean() - 30) < 0.5
    assert abs(counts.var() - 30) < 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("n", [1, 7, 900])
def test_multinomial_of_many_rows_and_of_few(rows: int, n: int, dtype: Any) -> None:
    """All rows at a time and row by row; zeros among the weights tie in the race."""
    weights = np.random.default_rng(n).random((rows, n)).astype(dtype)
    weights[:, 1::2] = 0
    for count in (1, 2, 5, 33, n):
        rng, other = Twister(3), Twister(3)
        found = R.multinomial_replaced(weights, rng, count)
        for row, picked in zip(weights, found, strict=True):
            steps = np.cumsum(row, dtype=dtype)
            steps /= steps[-1]
            steps[-1] = 1
            wanted = np.searchsorted(steps.astype(np.float64), other.doubles(count))
            np.testing.assert_array_equal(picked, wanted)
        np.testing.assert_array_equal(rng.get_state(), other.get_state())
        if 1 < count <= n:
            race = np.empty_like(weights)
            R.exponential(race, other, 1.0)
            wanted = np.argsort(-(weights / race), axis=-1, kind="stable")[:, :count]
            found = R.multinomial_distinct(weights, rng, count)
            assert found.dtype == np.int64
            np.testing.assert_array_equal(found, wanted)
