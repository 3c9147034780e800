"""Convolution, pools, norms and resampling on the samples of PyTorch's operator tables."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

NAMES = [
    *(f"{kind}{d}d" for d in (1, 2, 3) for kind in ("conv", "conv_transpose")),
    *(f"{kind}_pool{d}d" for d in (1, 2, 3) for kind in ("max", "avg")),
    *(f"adaptive_{kind}_pool{d}d" for d in (1, 2, 3) for kind in ("max", "avg")),
    *(f"max_unpool{d}d" for d in (1, 2, 3)),
    *("unfold", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
    *("layer_norm", "group_norm", "instance_norm", "rms_norm", "local_response_norm", "normalize"),
    *("upsample_nearest", "upsample_bilinear", "grid_sample"),
]
VARIANTS = [
    *(("pad", v) for v in ("constant", "reflect", "replicate", "circular")),
    *(("interpolate", v) for v in ("nearest", "nearest-exact", "linear", "bilinear")),
    *(("interpolate", v) for v in ("bicubic", "trilinear", "area")),
]


@pytest.mark.filterwarnings("ignore::UserWarning")  # of old names and of defaults that changed
@pytest.mark.parametrize(("name", "variant"), [*((n, "") for n in NAMES), *VARIANTS])
def test_spatial(compare_op, name, variant):
    compare_op(f"nn.functional.{name}", "float64", variant=variant)


@pytest.mark.parametrize("name", ["avg_pool1d", "avg_pool2d", "conv2d", "pixel_shuffle"])
def test_whole_numbers(compare_op, name):
    compare_op(f"nn.functional.{name}", "int64")


@pytest.mark.parametrize("name", ["conv1d", "conv_transpose2d"])
def test_complex(compare_op, name):
    compare_op(f"nn.functional.{name}", "complex128")
