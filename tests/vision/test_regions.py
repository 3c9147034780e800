"""Regions of feature maps and deformable convolution, beside the definitions as plain loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import ops

BOXES = np.array(
    [
        [0, 0.3, 0.7, 5.2, 6.9],
        [1, 2.0, 1.0, 2.2, 7.0],
        [1, -3.0, -2.5, 12.0, 4.0],
        [0, 6.5, 7.5, 30.0, 11.0],
    ]
)


def at(image: np.ndarray, y: float, x: float) -> np.ndarray:
    """A bilinear sample (C,) of RoIAlign: zero beyond a pixel outside, the border's within it."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    i, j = int(y), int(x)
    k, m = min(i + 1, height - 1), min(j + 1, width - 1)
    top = (1 - (x - j)) * image[:, i, j] + (x - j) * image[:, i, m]
    low = (1 - (x - j)) * image[:, k, j] + (x - j) * image[:, k, m]
    return (1 - (y - i)) * top + (y - i) * low


def align(
    x: np.ndarray, boxes: np.ndarray, size: tuple[int, int], scale: float, ratio: int, own: bool,
    aligned: bool,
) -> np.ndarray:  # fmt: skip
    ph, pw = size
    out = np.zeros((len(boxes), x.shape[1] // (ph * pw if own else 1), ph, pw))
    for k, (number, *corners) in enumerate(boxes):
        x1, y1, x2, y2 = (c * scale - 0.5 * aligned for c in corners)
        wide, high = (x2 - x1, y2 - y1) if aligned else (max(x2 - x1, 1), max(y2 - y1, 1))
        ny = ratio if ratio > 0 else math.ceil(high / ph)
        nx = ratio if ratio > 0 else math.ceil(wide / pw)
        for i, j in np.ndindex(ph, pw):
            image = x[int(number)]
            if own:
                image = image[i * pw + j :: ph * pw]
            for a, b in np.ndindex(ny, nx):
                y = y1 + (i + (a + 0.5) / ny) * high / ph
                out[k, :, i, j] += at(image, y, x1 + (j + (b + 0.5) / nx) * wide / pw)
            out[k, :, i, j] /= max(ny * nx, 1)
    return out


def half_up(x: float) -> int:
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def pool(
    x: np.ndarray, boxes: np.ndarray, size: tuple[int, int], scale: float, own: bool
) -> np.ndarray:
    (ph, pw), (height, width) = size, x.shape[2:]
    out = np.zeros((len(boxes), x.shape[1] // (ph * pw if own else 1), ph, pw))
    more = 0 if own else 1
    for k, (number, *corners) in enumerate(boxes):
        x1, y1, x2, y2 = (half_up(c * scale) for c in corners)
        wide, high = max(x2 - x1 + more, 1), max(y2 - y1 + more, 1)
        for i, j in np.ndindex(ph, pw):
            image = x[int(number)]
            if own:
                image = image[i * pw + j :: ph * pw]
            ends = (
                min(max(y1 + math.floor(i * high / ph), 0), height - own),
                min(max(y1 + math.ceil((i + 1) * high / ph), 0), height - own),
                min(max(x1 + math.floor(j * wide / pw), 0), width - own),
                min(max(x1 + math.ceil((j + 1) * wide / pw), 0), width - own),
            )
            part = image[:, ends[0] : ends[1], ends[2] : ends[3]]
            if part.size:
                out[k, :, i, j] = part.mean((1, 2)) if own else part.max((1, 2))
    return out


def checked(fn: Any, x: np.ndarray, wanted: np.ndarray) -> None:
    """Values in float64 and float32, and the gradient."""
    t = torch.from_numpy(x).requires_grad_()
    found = fn(t, torch.from_numpy(BOXES))
    np.testing.assert_allclose(found.detach().numpy(), wanted, atol=1e-12)
    single = fn(t.detach().float(), torch.from_numpy(BOXES).float())
    np.testing.assert_allclose(single.numpy(), wanted, atol=1e-5)
    torch.autograd.gradcheck(lambda t: fn(t, torch.from_numpy(BOXES)), t, fast_mode=True)


@pytest.mark.parametrize("ratio", [2, -1])
@pytest.mark.parametrize("aligned", [False, True])
def test_roi_align(ratio: int, aligned: bool, rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 3, 9, 8))
    wanted = align(x, BOXES, (3, 2), 0.75, ratio, False, aligned)
    checked(lambda t, b: ops.roi_align(t, b, (3, 2), 0.75, ratio, aligned), x, wanted)


def test_roi_align_of_large_bins(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = rng.standard_normal((2, 2, 9, 8))
    wanted = align(x, BOXES, (2, 2), 1.0, -1, False, False)
    monkeypatch.setattr("rushlight.vision.ops._bins.MOST_ENTRIES", 0)
    checked(lambda t, b: ops.roi_align(t, b, 2), x, wanted)


@pytest.mark.parametrize("ratio", [2, 0])
def test_ps_roi_align(ratio: int, rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 12, 9, 8))
    wanted = align(x, BOXES, (3, 2), 0.75, ratio, True, True)
    checked(lambda t, b: ops.ps_roi_align(t, b, (3, 2), 0.75, ratio), x, wanted)


def test_roi_pool(rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 3, 9, 8))
    wanted = pool(x, BOXES, (3, 2), 0.75, False)
    checked(lambda t, b: ops.roi_pool(t, b, (3, 2), 0.75), x, wanted)


def test_ps_roi_pool(rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 12, 9, 8))
    wanted = pool(x, BOXES, (3, 2), 0.75, True)
    checked(lambda t, b: ops.ps_roi_pool(t, b, (3, 2), 0.75), x, wanted)


@pytest.mark.parametrize("fn", [ops.roi_align, ops.roi_pool, ops.ps_roi_align, ops.ps_roi_pool])
def test_lists_nothing_and_what_goes_wrong(fn: Any) -> None:
    x = torch.randn(2, 4, 6, 6, requires_grad=True)
    boxes = torch.tensor([[0.0, 1, 1, 4, 5], [1, 0, 0, 3, 3]])
    one = fn(x, boxes, 2)
    torch.testing.assert_close(fn(x, [boxes[:1, 1:], boxes[1:, 1:]], (2, 2)), one)
    none = fn(x, [boxes[:0, 1:]] * 2, 2)
    assert tuple(none.shape) == (0, *one.shape[1:])
    none.sum().backward()
    assert x.grad is not None
    assert not x.grad.any()
    with pytest.raises(AssertionError, match="boxes tensor shape is not correct"):
        fn(x, boxes[:, 1:], 2)
    with pytest.raises(AssertionError, match="the boxes list is not correct"):
        fn(x, [boxes, boxes], 2)
    with pytest.raises(AssertionError, match="boxes is expected to be"):
        fn(x, "boxes", 2)
    with pytest.raises(RuntimeError, match="same type"):
        fn(x, boxes.double(), 2)
    with pytest.raises(IndexError, match="an image that is not there"):
        fn(x, boxes + 1, 2)
    if fn in (ops.ps_roi_align, ops.ps_roi_pool):
        with pytest.raises(RuntimeError, match="must be a multiple of pooling height"):
            fn(x, boxes, 3)


def test_layers_of_regions() -> None:
    x, boxes = torch.randn(1, 4, 8, 8), torch.tensor([[0.0, 1, 1, 6, 7]])
    for layer, found in (
        (ops.RoIAlign(2, 0.5, 2, aligned=True), ops.roi_align(x, boxes, 2, 0.5, 2, True)),
        (ops.RoIPool(2, 0.5), ops.roi_pool(x, boxes, 2, 0.5)),
        (ops.PSRoIAlign(2, 0.5, 2), ops.ps_roi_align(x, boxes, 2, 0.5, 2)),
        (ops.PSRoIPool(2, 0.5), ops.ps_roi_pool(x, boxes, 2, 0.5)),
    ):
        assert torch.equal(layer(x, boxes), found)
        assert "spatial_scale=0.5" in repr(layer)


def test_several_maps() -> None:
    maps = {str(i): torch.randn(2, 3, 32 >> i, 32 >> i, requires_grad=True) for i in range(3)}
    boxes = [torch.tensor([[0.0, 0, 100, 90], [3, 5, 20, 30]]), torch.tensor([[0.0, 0, 60, 60]])]
    pooler = ops.MultiScaleRoIAlign(["0", "1", "2"], 3, 2, canonical_scale=64, canonical_level=3)
    found = pooler(maps, boxes, [(128, 128), (100, 120)])
    assert pooler.scales == [0.25, 0.125, 0.0625]
    levels = pooler.map_levels(boxes).tolist()
    assert levels == [1, 0, 0]  # sides 94.9, 20.6 and 60, less than 64: from 3 + log2(side / 64)
    rois = torch.tensor([[0.0, 0, 0, 100, 90], [0, 3, 5, 20, 30], [1, 0, 0, 60, 60]])
    for k, level in enumerate(levels):
        scale = pooler.scales[level]
        one = ops.roi_align(maps[str(level)], rois[k : k + 1], 3, scale, 2)
        torch.testing.assert_close(found[k : k + 1], one)
    found.sum().backward()
    assert maps["1"].grad is not None
    single = ops.MultiScaleRoIAlign(["1"], (3, 3), 2)
    wanted = ops.roi_align(maps["1"], rois, 3, 0.125, 2)
    torch.testing.assert_close(single(maps, boxes, [(128, 128)] * 2), wanted)
    with pytest.raises(ValueError, match="images list should not be empty"):
        ops.MultiScaleRoIAlign(["0"], 3, 2)(maps, boxes, [])


def deformed(
    x: np.ndarray, offset: np.ndarray, weight: np.ndarray, mask: np.ndarray, stride: int, pad: int,
    dilation: int,
) -> np.ndarray:  # fmt: skip
    b, channels, height, width = x.shape
    out, part, kh, kw = weight.shape
    rows, columns = offset.shape[2:]
    moved, groups = offset.shape[1] // (2 * kh * kw), channels // part
    y = np.zeros((b, out, rows, columns))

    def pixel(n: int, c: int, i: int, j: int) -> float:
        return x[n, c, i, j] if 0 <= i < height and 0 <= j < width else 0.0

    for n, o, p, q in np.ndindex(*y.shape):
        for c, i, j in np.ndindex(part, kh, kw):
            channel = o // (out // groups) * part + c
            g = channel // (channels // moved)
            s = g * kh * kw + i * kw + j
            v = p * stride - pad + i * dilation + offset[n, 2 * s, p, q]
            u = q * stride - pad + j * dilation + offset[n, 2 * s + 1, p, q]
            i0, j0 = math.floor(v), math.floor(u)
            value = sum(
                pixel(n, channel, i0 + a, j0 + d) * (1 - abs(v - i0 - a)) * (1 - abs(u - j0 - d))
                for a, d in np.ndindex(2, 2)
            )
            y[n, o, p, q] += weight[o, c, i, j] * mask[n, s, p, q] * value
    return y


@pytest.mark.parametrize(("stride", "pad", "dilation"), [(1, 0, 1), (2, 1, 2)])
def test_deform_conv2d(stride: int, pad: int, dilation: int, rng: np.random.Generator) -> None:
    x, weight = rng.standard_normal((2, 4, 6, 5)), rng.standard_normal((4, 2, 2, 2))
    rows, columns = ((n + 2 * pad - dilation - 1) // stride + 1 for n in (6, 5))
    offset = rng.uniform(-2, 2, (2, 2 * 2 * 4, rows, columns))
    mask = rng.uniform(0, 1, (2, 2 * 4, rows, columns))
    bias = rng.standard_normal(4)
    wanted = deformed(x, offset, weight, mask, stride, pad, dilation)
    wanted += bias[:, None, None]
    inputs = [torch.from_numpy(a).requires_grad_() for a in (x, offset, weight, bias, mask)]

    def fn(x: Any, offset: Any, weight: Any, bias: Any, mask: Any) -> Any:
        return ops.deform_conv2d(x, offset, weight, bias, stride, pad, dilation, mask)

    np.testing.assert_allclose(fn(*inputs).detach().numpy(), wanted, atol=1e-12)
    torch.autograd.gradcheck(fn, inputs, fast_mode=True)


def test_deform_conv2d_without_offsets_is_a_convolution() -> None:
    layer = ops.DeformConv2d(4, 6, 3, stride=2, padding=1, groups=2)
    x = torch.randn(1, 4, 7, 7)
    found = layer(x, torch.zeros(1, 18, 4, 4))
    wanted = torch.nn.functional.conv2d(x, layer.weight, layer.bias, 2, 1, groups=2)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    text = "DeformConv2d(4, 6, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), groups=2)"
    assert repr(layer) == text
    for words, offset, mask in (
        ("should be a multiple of 2", torch.zeros(1, 17, 4, 4), None),
        ("offset.shape.1. is not valid", torch.zeros(1, 19, 4, 4), None),
        ("invalid batch size of offset", torch.zeros(2, 18, 4, 4), None),
        ("offset output dims", torch.zeros(1, 18, 4, 5), None),
        ("mask.shape.1. is not valid", torch.zeros(1, 18, 4, 4), torch.zeros(1, 8, 4, 4)),
    ):
        with pytest.raises(RuntimeError, match=words):
            layer(x, offset, mask)
    with pytest.raises(ValueError, match="in_channels must be divisible"):
        ops.DeformConv2d(3, 4, 1, groups=2)
    with pytest.raises(ValueError, match="out_channels must be divisible"):
        ops.DeformConv2d(4, 3, 1, groups=2)


def test_drop_block() -> None:
    torch.manual_seed(0)
    for dims, fn, layer in (
        (2, ops.drop_block2d, ops.DropBlock2d(0.3, 3)),
        (3, ops.drop_block3d, ops.DropBlock3d(0.3, 3)),
    ):
        x = torch.ones(4, 5, *[7] * dims)
        y = fn(x, 0.3, 3)
        zero = y == 0
        assert 0.1 < float(zero.float().mean()) < 0.4
        assert abs(float(y.mean()) - 1) < 1e-5  # what stays is scaled up
        nets = torch.nn.functional
        pool = nets.max_pool2d if dims == 2 else nets.max_pool3d
        # squares: each zero lies in a whole block of zeros
        ends = -pool((~zero).float(), 3, 1)  # -0 where all of a block is gone
        grown = pool(nets.pad(1 + ends, [2] * 2 * dims), 3, 1)
        assert torch.equal(grown.bool(), zero)
        assert torch.equal(layer.eval()(x), x)
        same = x.clone()
        assert fn(same, 0.3, 3, inplace=True) is same
        with pytest.raises(ValueError, match="between 0 and 1"):
            fn(x, 1.5, 3)
        with pytest.raises(ValueError, match="dimensional"):
            fn(x[0], 0.5, 3)
        with pytest.raises(ValueError, match="block size should be odd"):
            fn(x, 0.5, 4)


def test_pyramid_of_older_files() -> None:
    net = ops.FeaturePyramidNetwork([2, 3], 4)
    state = net.state_dict()
    old = {".".join(name.split(".")[:2] + name.split(".")[3:]): t for name, t in state.items()}
    assert "inner_blocks.0.weight" in old
    net.load_state_dict(old)
    with pytest.raises(TypeError, match="extra_blocks should be of type ExtraFPNBlock"):
        ops.FeaturePyramidNetwork([2], 4, torch.nn.ReLU())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="in_channels=0"):
        ops.FeaturePyramidNetwork([0], 4)


def test_losses_of_boxes() -> None:
    a = torch.tensor([[0.0, 0, 2, 2], [0, 0, 1, 1], [1, 1, 2, 3]], requires_grad=True)
    b = torch.tensor([[1.0, 1, 3, 3], [2, 2, 3, 3], [1, 1, 2, 3]])
    giou = ops.generalized_box_iou_loss(a, b)
    torch.testing.assert_close(giou, torch.tensor([1 - 1 / 7 + 2 / 9, 1 + 7 / 9, 0]))
    diou = ops.distance_box_iou_loss(a, b)
    torch.testing.assert_close(diou, torch.tensor([1 - 1 / 7 + 2 / 18, 1 + 8 / 18, 0]))
    torch.testing.assert_close(ops.complete_box_iou_loss(a, b), diou)  # all of like shapes
    for fn in (
        ops.generalized_box_iou_loss,
        ops.distance_box_iou_loss,
        ops.complete_box_iou_loss,
    ):
        torch.testing.assert_close(fn(a, b, "sum"), fn(a, b).sum())
        torch.testing.assert_close(fn(a, b, "mean"), fn(a, b).mean())
        assert float(fn(a[:0], b[:0], "mean")) == 0
        with pytest.raises(ValueError, match="Invalid Value for arg 'reduction'"):
            fn(a, b, "all")
    wide = a.detach().double().requires_grad_()
    for fn in (ops.generalized_box_iou_loss, ops.distance_box_iou_loss):
        torch.autograd.gradcheck(lambda t, fn=fn: fn(t[:1], b[:1].double()), wide, fast_mode=True)


def test_turned_boxes() -> None:
    box = torch.tensor([[1.0, 4.0, 4.0, 2.0, 90.0]])
    corners = ops.box_convert(box, "xywhr", "xyxyxyxy")
    torch.testing.assert_close(corners, torch.tensor([[1.0, 4, 1, 0, 3, 0, 3, 4]]))
    for source, made in (("xywhr", box), ("xyxyxyxy", corners)):
        centre = ops.box_convert(made, source, "cxcywhr")
        torch.testing.assert_close(centre, torch.tensor([[2.0, 2.0, 4.0, 2.0, 90.0]]))
        torch.testing.assert_close(ops.box_convert(centre, "cxcywhr", source), made)
    with pytest.raises(NotImplementedError, match="Unsupported Bounding Box Conversions"):
        ops.box_convert(box, "xywhr", "xyxy")
