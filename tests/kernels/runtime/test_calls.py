"""Words of a native call of several launches (what it does: `tests/kernels/test_together.py`)."""

from __future__ import annotations

import gc
import weakref

import pytest

from rushlight.kernels.runtime import calls, jit

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def test_words_beyond_the_stack_are_refused() -> None:
    calls.function("fits", (), ((), (), (), ()), (), [0] * calls.MOST, False)
    with pytest.raises(ValueError, match="too_many: 520 words, 512 at most"):
        calls.function("too_many", (), ((), (), (), ()), (), [0] * (calls.MOST + 1), False)


@pytest.mark.slow
def test_a_call_of_nothing_lives_as_long_as_it_is_held() -> None:
    """Its words and its definition go with it."""
    made = calls.function("nothing", (), ((), (), (), ()), (), [], True)
    assert made() is None
    assert made.__name__ == "nothing"
    words = weakref.ref(made.__self__)
    gc.collect()
    assert made() is None
    del made
    assert words() is None
