"""How LLVM reads the bodies of batch and group norm: as NumPy does, wherever work is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.norm import batch_norm, channels, reference

from .norms import EPS, NATIVE, draw

pytestmark = NATIVE


def call(kernel: Any, names: tuple[str, ...], arrays: dict[str, Any], **ints: int) -> None:
    """The kernel itself, as a plan calls it."""
    from rushlight.kernels.runtime import threads

    threads.ready()
    given = [arrays[k] for k in names]
    kernel.call(*given, *(ints[k] for k in kernel.interface.ints), EPS)


def near(got: Any, wanted: Any) -> None:
    top = np.abs(wanted).max(initial=1e-30)
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13 * top)


@pytest.mark.parametrize("length", [1, 7, 8, 9, 33])
@pytest.mark.parametrize(("images", "block", "each"), [(1, 1, 1), (5, 2, 3), (6, 3, 100)])
def test_channels(length: int, images: int, block: int, each: int, by_threads: Any) -> None:
    """Any blocks of images whose sums are joined, any chunks of channels; 1 is a column too."""
    c = 37
    x, g = (draw(k, images, c, length, dtype=np.float64) for k in (0, 1))
    w, b = draw(2, c, dtype=np.float64), draw(3, c, dtype=np.float64)
    ints = {"n": length, "images": images, "channels": c, "count": images * length, "block": block}
    best_y, best_mean, best_var = reference.channels(x, w, b, None, None, eps=EPS)
    wanted = ("dx", "dw", "db")
    best = reference.channels_grad(
        g, x, w, best_mean, best_var, eps=EPS, training=True, wanted=wanted
    )
    for columns in (False, True)[: 1 + (length == 1)]:
        step = channels.columns_together("double") if columns else each
        sizes = {**ints, "each": step, "chunks": -(-c // step)}

        def run(columns: bool = columns, sizes: Any = sizes) -> Any:
            y, dx = np.empty_like(x), np.empty_like(x)
            mean, var, dw, db = (np.empty(c) for _ in range(4))
            arrays = {"x": x, "w": w, "b": b, "y": y, "mean": mean, "var": var, "g": g, "dx": dx,
                      "dw": dw, "db": db}  # fmt: skip
            names = ("x", "w", "b", "y", "mean", "var")
            kernel = channels.channel_kernel(batch_norm.batch_norm, "double", names, columns)
            call(kernel, names, arrays, **sizes)
            names = ("g", "x", "w", "mean", "var", "dx", "dw", "db")
            kernel = channels.channel_kernel(batch_norm.batch_norm_grad, "double", names, columns)
            call(kernel, names, arrays, **sizes)
            return y, mean, var, dx, dw, db

        found = by_threads(run)
        for got, value in zip(found[:3], (best_y, best_mean, best_var), strict=True):
            if images * length > 1:  # else the inverse of next to nothing enlarges what is lost
                near(got, value)
        if images * length > 1:
            for got, value in zip(found[3:], best, strict=True):
                near(got, value)


@pytest.mark.parametrize("weighted", [True, False])
def test_groups(weighted: bool, by_threads: Any) -> None:
    """Sums over samples have a line for each, which are added up."""
    samples, number, inside, length = 3, 2, 3, 9
    c = number * inside
    x, g = (draw(k, samples, c, length, dtype=np.float64) for k in (0, 1))
    w = draw(2, c, dtype=np.float64) if weighted else None
    best_y, mean, var = reference.groups(x, w, None, number=number, eps=EPS)
    best = reference.groups_grad(
        g, x, w, mean, var, number=number, eps=EPS, wanted=("dx", "dw", "db")
    )
    ints = {"n": length, "images": inside, "channels": samples * number, "groups": number,
            "each": 2, "block": 2, "count": inside * length, "chunks": 3}  # fmt: skip

    def run() -> Any:
        y, dx = np.empty_like(x), np.empty_like(x)
        m, v = np.empty(samples * number), np.empty(samples * number)
        dw, db = np.empty(c), np.empty(c)
        lines = {f"{k}_lines": np.empty((samples, c)) for k in ("dw", "db")}
        arrays = {"x": x, "w": w, "y": y, "mean": m, "var": v, "g": g, "dx": dx, "dw": dw,
                  "db": db}  # fmt: skip
        names = tuple(k for k in ("x", "w", "y", "mean", "var") if arrays[k] is not None)
        call(channels.group_kernel(batch_norm.group_norm, "double", names), names, arrays, **ints)
        names = tuple(k for k in ("g", "x", "w", "mean", "var", "dx", "dw", "db")
                      if arrays[k] is not None)  # fmt: skip
        kernel = channels.group_kernel(batch_norm.group_norm_grad, "double", names)
        call(kernel, (*names, *lines), arrays | lines, **ints)
        return y, m, v, dx, dw, db

    for got, value in zip(by_threads(run), (best_y, mean, var, *best), strict=True):
        near(got, value)


def test_many_images_lose_no_digits(rng: np.random.Generator) -> None:
    """Sums of blocks are joined in float64, so float32 keeps its digits far from zero."""
    x = (rng.standard_normal((5000, 3, 4)) + 1000).astype(np.float32)
    mean, var = np.empty(3, np.float32), np.empty(3, np.float32)
    arrays = {"x": x, "y": np.empty_like(x), "mean": mean, "var": var}
    kernel = channels.channel_kernel(batch_norm.batch_norm, "float", tuple(arrays), False)
    call(kernel, tuple(arrays), arrays, n=4, images=5000, channels=3, count=20000, each=1,
         block=8, chunks=3)  # fmt: skip
    wide = x.astype(np.float64)
    np.testing.assert_allclose(mean, wide.mean((0, 2)), rtol=2e-7)
    np.testing.assert_allclose(var, wide.var((0, 2)), rtol=2e-4)


def test_interfaces_say_what_a_row_is() -> None:
    kernel = channels.channel_kernel(batch_norm.batch_norm, "float", ("x", "y", "mean"), False)
    text = kernel.interface.documentation()
    assert "x: array. elements of each channel: data" in text
    assert [*kernel.interface.arrays] == ["x", "y", "mean"]
    assert channels.columns_together("float") == 2 * channels.columns_together("double")
    assert runtime.running()
