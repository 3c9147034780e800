"""Pictures out of tensors: grids, files, and boxes, masks and points drawn on them.

Not here: reading image files (`io/`), turning images into tensors (`transforms/`).
"""

from __future__ import annotations

import io
import math
import os
import warnings
from collections.abc import Callable, Sequence
from typing import IO, Any, TypeVar

import numpy as np

from .. import dtypes
from ..autograd.grad_mode import no_grad
from ..errors import message
from ..tensor import Tensor
from ._pillow import pillow

__all__ = [
    "draw_bounding_boxes",
    "draw_keypoints",
    "draw_segmentation_masks",
    "flow_to_image",
    "make_grid",
    "save_image",
]

Color = str | tuple[int, int, int]
Colors = Sequence[Color] | Color | None
F = TypeVar("F", bound=Callable[..., Any])

_no_grad: Callable[[F], F] = no_grad()


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"module 'rushlight.vision.utils' has no attribute '{name}'"
        f"\n  wanted  a name that Rushlight has; torchvision.utils.{name} is not there (yet)"
    )


# Grids


@_no_grad
def make_grid(
    tensor: Tensor | list[Tensor],
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[float, float] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
) -> Tensor:
    """Lay images out side by side, in one image.

    Args:
        tensor: images (B, C, H, W), one image (C, H, W) or (H, W), or a list of images of one size.
            Images of one channel become grey ones of three.
        nrow: images in a row.
        padding: pixels around each.
        normalize: shift and scale the values to 0..1.
        value_range: what becomes 0 and 1; None takes the least and the greatest value.
        scale_each: normalize each image by itself.
        pad_value: what the pixels in between are.

    Returns:
        A tensor (C, H', W'). A single image comes back without padding.

    >>> make_grid(torch.zeros(5, 3, 4, 4), nrow=3, padding=1).shape
    torch.Size([3, 11, 16])
    """
    import rushlight

    if isinstance(tensor, list):
        for t in tensor:
            if not isinstance(t, Tensor):
                raise TypeError(
                    f"tensor or list of tensors expected, got a list containing {type(t)}"
                )
        images = rushlight.stack(tensor, dim=0)
    elif isinstance(tensor, Tensor):
        images = tensor
    else:
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    if images.dim() == 2:
        images = images.unsqueeze(0)
    if images.dim() == 3:
        images = images.unsqueeze(0)
    if images.dim() != 4:
        raise ValueError(
            message(
                "make_grid: images have the wrong number of dimensions",
                got=f"shape {tuple(images.shape)}",
                wanted="(B, C, H, W), (C, H, W) or (H, W)",
            )
        )
    if images.size(1) == 1:
        images = rushlight.cat((images, images, images), 1)
    if normalize is True:
        images = images.clone()
        if value_range is not None and not isinstance(value_range, tuple):
            raise TypeError(
                "value_range has to be a tuple (min, max) if specified. min and max are numbers"
            )
        for part in images if scale_each is True else [images]:
            low, high = value_range or (float(part.min()), float(part.max()))
            part.clamp_(min=low, max=high)
            part.sub_(low).div_(max(high - low, 1e-5))
    count, channels, rows, columns = images.shape
    if count == 1:
        return images.squeeze(0)
    across = min(nrow, count)
    height, width = rows + padding, columns + padding
    down = math.ceil(count / across)
    grid = images.new_full((channels, height * down + padding, width * across + padding), pad_value)
    for k in range(count):
        top, left = k // across * height + padding, k % across * width + padding
        grid[:, top : top + rows, left : left + columns] = images[k]
    return grid


@_no_grad
def save_image(
    tensor: Tensor | list[Tensor],
    fp: str | os.PathLike[str] | IO[bytes],
    format: str | None = None,
    **kwargs: Any,
) -> None:
    """Write an image, or a grid of several, to a file.

    A path gets the whole picture or keeps what it had; it is never left half written.

    Args:
        tensor: values in 0..1; what `make_grid` takes.
        fp: a path or a file that is open for writing.
        format: of Pillow, as "png"; None goes by the ending of the path.
        kwargs: options of `make_grid`.

    >>> file = io.BytesIO()
    >>> save_image(torch.rand(4, 3, 8, 8), file, format="png", nrow=2)
    >>> file.getvalue()[1:4]
    b'PNG'
    """
    grid = make_grid(tensor, **kwargs)
    array = grid.mul(255).add_(0.5).clamp_(0, 255).permute(1, 2, 0).to("cpu", dtypes.uint8)
    image = pillow().fromarray(np.ascontiguousarray(array.numpy()))
    if not isinstance(fp, (str, os.PathLike)):
        image.save(fp, format=format)
        return
    from ..serialization.atomic import replacing

    picture = io.BytesIO()
    image.save(picture, format=format or _format_of(fp))
    with replacing(fp) as file:
        file.write(picture.getbuffer())


def _format_of(path: str | os.PathLike[str]) -> str:
    ending = os.path.splitext(os.fspath(path))[1].lower()
    known = pillow().registered_extensions()
    if ending not in known:
        raise ValueError(
            message(
                f"save_image: unknown file extension: {ending}",
                got=os.fspath(path),
                wanted="a name that ends in .png, .jpg ...",
                hint="format='png'",
            )
        )
    format: str = known[ending]
    return format


# Drawing


def _check_image(image: Any, channels: tuple[int, ...]) -> None:
    if not isinstance(image, Tensor):
        raise TypeError(f"Tensor expected, got {type(image)}")
    if not (image.dtype is dtypes.uint8 or image.is_floating_point()):
        raise ValueError(f"The image dtype must be uint8 or float, got {image.dtype}")
    if image.dim() != 3:
        raise ValueError("Pass individual images, not batches")
    if image.size(0) not in channels:
        raise ValueError(
            "Only grayscale and RGB images are supported"
            if 1 in channels
            else "Pass an RGB image. Other Image formats are not supported"
        )


def _to_pillow(image: Tensor) -> Any:
    """An image in RGB; floats in 0..1 become bytes, each of equally many."""
    if image.is_floating_point():
        image = image.mul(256 - 1e-3).to(dtypes.uint8)
    array = image.detach().numpy()
    if array.shape[0] == 1:
        array = np.repeat(array, 3, axis=0)
    return pillow().fromarray(np.ascontiguousarray(array.transpose(1, 2, 0)))


def _from_pillow(picture: Any, like: Tensor) -> Tensor:
    drawn = Tensor._wrap(np.ascontiguousarray(np.asarray(picture).transpose(2, 0, 1)))
    return drawn.to(like.dtype).mul_(1 / 255) if like.is_floating_point() else drawn


def _palette(count: int) -> list[tuple[int, ...]]:
    """Colours that differ well: multiples of three large odd numbers."""
    steps = (2**25 - 1, 2**15 - 1, 2**21 - 1)
    return [tuple(i * step % 255 for step in steps) for i in range(count)]


def _parse_colors(colors: Any, count: int) -> list[tuple[int, ...]]:
    """One colour for each of `count` things."""
    from PIL import ImageColor

    if colors is None:
        colors = _palette(count)
    elif isinstance(colors, list):
        if len(colors) < count:
            raise ValueError(
                "Number of colors must be equal or larger than the number of objects, "
                f"but got {len(colors)} < {count}."
            )
    elif not isinstance(colors, (tuple, str)):
        raise ValueError(
            f"colors must be a tuple or a string, or a list thereof, but got {colors}."
        )
    elif isinstance(colors, tuple) and len(colors) != 3:
        raise ValueError(f"If passed as tuple, colors should be an RGB triplet, but got {colors}.")
    else:
        colors = [colors] * count
    return [ImageColor.getrgb(c) if isinstance(c, str) else c for c in colors]


@_no_grad
def draw_bounding_boxes(
    image: Tensor,
    boxes: Tensor,
    labels: list[str] | None = None,
    colors: Colors = None,
    fill: bool | None = False,
    width: int = 1,
    font: str | None = None,
    font_size: int | None = None,
    label_colors: Colors = None,
    label_background_colors: Colors = None,
    fill_labels: bool = False,
) -> Tensor:
    """Draw boxes on an image, upright or turned.

    Args:
        image: (1, H, W) or (3, H, W), bytes or floats in 0..1.
        boxes: (N, 4) as left, top, right, bottom in pixels, or (N, 8) with the four corners.
        labels: a word for each box.
        colors: one, or one a box: names, "#rrggbb" or (red, green, blue). None chooses them.
        fill: fill the boxes with their colour, half transparent.
        width: of the lines.
        font, font_size: a TrueType file and a size for the labels.
        label_colors: of the words; those of the boxes, or black on filled labels.
        label_background_colors: of filled labels; those of the boxes.
        fill_labels: write the words on a filled ground.

    Returns:
        A new image (3, H, W) of the same type.

    >>> box = torch.tensor([[1, 1, 6, 4]])
    >>> draw_bounding_boxes(torch.zeros(3, 8, 8), box, colors="red")[0].sum()
    tensor(16.)
    """
    _check_image(image, (1, 3))
    if boxes.shape[-1] == 4 and bool((boxes[:, :2] > boxes[:, 2:]).any()):
        raise ValueError(
            "Boxes need to be in (xmin, ymin, xmax, ymax) format. "
            "Use torchvision.ops.box_convert to convert them"
        )
    count = boxes.shape[0]
    if count == 0:
        warnings.warn("boxes doesn't contain any box. No box was drawn", stacklevel=3)
        return image
    if labels is not None and len(labels) != count:
        raise ValueError(
            f"Number of boxes ({count}) and labels ({len(labels)}) mismatch. "
            "Please specify labels for each box."
        )
    from PIL import ImageDraw, ImageFont

    outlines = _parse_colors(colors, count)
    words = outlines
    if label_colors or fill_labels:
        words = _parse_colors(label_colors or "black", count)
    grounds = outlines
    if fill_labels and label_background_colors:
        grounds = _parse_colors(label_background_colors, count)
    face: Any
    if font is None:
        if font_size is not None:
            text = "Argument 'font_size' will be ignored since 'font' is not set."
            warnings.warn(text, stacklevel=3)
        face = ImageFont.load_default() if labels is not None else None
    else:
        face = ImageFont.truetype(font=font, size=font_size or 10)
    picture = _to_pillow(image)
    draw = ImageDraw.Draw(picture, "RGBA" if fill else None)
    for i, box in enumerate(boxes.to(dtypes.int64).tolist()):
        ground = (*outlines[i], 100) if fill else None
        if len(box) > 4:
            _turned_box(draw, box, ground, outlines[i], width)
        else:
            draw.rectangle(box, width=width, outline=outlines[i], fill=ground)
        if labels is None or labels[i] is None:
            continue
        corner = box[0] + width + 1, box[1] + width + 1
        if fill_labels:
            left, top, right, bottom = draw.textbbox(corner, labels[i], font=face)
            draw.rectangle((left - 1, top - 1, right + 1, bottom + 1), fill=grounds[i])
        draw.text(corner, labels[i], fill=words[i], font=face)
    return _from_pillow(picture, image)


def _turned_box(draw: Any, box: list[int], fill: Any, outline: Any, width: int) -> None:
    """A box of four corners; its first side is dashed, which tells where it begins."""
    corners = [(box[i], box[i + 1]) for i in range(0, 8, 2)]
    _dashes(draw, corners[0], corners[1], outline, width)
    for a, b in zip(corners[1:], [*corners[2:], corners[0]], strict=True):
        draw.line((a, b), width=width, fill=outline)
    draw.polygon(box, fill=fill, outline=None, width=0)


def _dashes(
    draw: Any, a: tuple[float, float], b: tuple[float, float], fill: Any, width: int
) -> None:
    """Five pixels of line, five of none, and so on."""
    left = math.hypot(b[0] - a[0], b[1] - a[1])
    x, y = a
    drawn = True
    while left > 0:
        length = min(left, 5)
        angle = math.atan2(b[1] - y, b[0] - x)  # anew: rounding decides which pixels are met
        end = x + math.cos(angle) * length, y + math.sin(angle) * length
        if drawn:
            draw.line([(x, y), end], fill, width)
        x, y = end
        left -= length
        drawn = not drawn


@_no_grad
def draw_segmentation_masks(
    image: Tensor, masks: Tensor, alpha: float = 0.8, colors: Colors = None
) -> Tensor:
    """Lay coloured masks over an image; where two overlap it is black.

    Args:
        image: (3, H, W), bytes or floats in 0..1.
        masks: (N, H, W) or (H, W), booleans.
        alpha: 0 shows the image alone, 1 the masks alone.
        colors: as in `draw_bounding_boxes`.

    Returns:
        A new image of the same shape and type.

    >>> mask = torch.tensor([[True, False]])
    >>> draw_segmentation_masks(torch.zeros(3, 1, 2), mask, 1.0, "white")[0]
    tensor([[1., 0.]])
    """
    _check_image(image, (3,))
    if masks.ndim == 2:
        masks = masks[None]
    if masks.ndim != 3:
        raise ValueError("masks must be of shape (H, W) or (batch_size, H, W)")
    if masks.dtype is not dtypes.bool:
        raise ValueError(f"The masks must be of dtype bool. Got {masks.dtype}")
    if masks.shape[-2:] != image.shape[-2:]:
        raise ValueError("The image and the masks must have the same height and width")
    count = masks.shape[0]
    if count == 0:
        warnings.warn("masks doesn't contain any mask. No mask was drawn", stacklevel=3)
        return image
    drawn = image.detach().clone()
    for mask, color in zip(masks, _parse_colors(colors, count), strict=False):
        value: Any = tuple(v / 255 for v in color) if image.is_floating_point() else color
        drawn[:, mask] = image.new_tensor(value)[:, None]
    drawn[:, masks.sum(dim=0) > 1] = 0
    return (image * (1 - alpha) + drawn * alpha).to(image.dtype)


@_no_grad
def draw_keypoints(
    image: Tensor,
    keypoints: Tensor,
    connectivity: list[tuple[int, int]] | None = None,
    colors: Color | None = None,
    radius: int = 2,
    width: int = 3,
    visibility: Tensor | None = None,
) -> Tensor:
    """Draw points, and lines between them, on an image.

    Args:
        image: (3, H, W), bytes or floats in 0..1.
        keypoints: (N, K, 2): K points (x, y) of each of N things.
        connectivity: which points of a thing are joined by a line.
        colors: the colour of the points.
        radius: of the points.
        width: of the lines.
        visibility: (N, K), which points are drawn; None draws all.

    Returns:
        A new image of the same shape and type.

    >>> point = torch.tensor([[[3, 3]]])
    >>> int(draw_keypoints(torch.zeros(3, 7, 7), point, colors="blue", radius=1)[2].sum())
    5
    """
    from PIL import ImageDraw

    _check_image(image, (3,))
    if keypoints.ndim != 3:
        raise ValueError("keypoints must be of shape (num_instances, K, 2)")
    points = keypoints.to(dtypes.int64).tolist()
    if visibility is None:
        visible = [[True] * len(thing) for thing in points]
    else:
        if visibility.ndim == 3:
            visibility = visibility.squeeze(-1)
        if visibility.ndim != 2:
            raise ValueError(
                f"visibility must be of shape (num_instances, K). Got ndim={visibility.ndim}"
            )
        if visibility.shape != keypoints.shape[:-1]:
            raise ValueError(
                "keypoints and visibility must have the same dimensionality for num_instances "
                f"and K. Got {visibility.shape=} and {keypoints.shape=}"
            )
        visible = visibility.bool().tolist()
    picture = _to_pillow(image)
    draw = ImageDraw.Draw(picture)
    for thing, seen in zip(points, visible, strict=True):
        for (x, y), shown in zip(thing, seen, strict=True):
            if shown:
                circle = [x - radius, y - radius, x + radius, y + radius]
                draw.ellipse(circle, fill=colors, outline=None, width=0)
        for a, b in connectivity or []:
            if seen[a] and seen[b]:
                draw.line((tuple(thing[a]), tuple(thing[b])), width=width)
    return _from_pillow(picture, image)


# Optical flow


@_no_grad
def flow_to_image(flow: Tensor) -> Tensor:
    """Optical flow as colours: the hue is the direction, the saturation the length.

    Args:
        flow: (2, H, W) or (N, 2, H, W), float32: how far each pixel moves in x and y. The longest
            movement of all is the most saturated.

    Returns:
        (3, H, W) or (N, 3, H, W), bytes.

    Baker et al., A database and evaluation methodology for optical flow, 2007.

    >>> flow_to_image(torch.tensor([[[1.0, 0.0]], [[0.0, 0.0]]]))[:, 0]
    tensor([[255, 255],
            [  0, 255],
            [  0, 255]], dtype=torch.uint8)
    """
    import rushlight

    if flow.dtype is not dtypes.float32:
        raise ValueError(f"Flow should be of dtype torch.float, got {flow.dtype}.")
    batch = flow[None] if flow.ndim == 3 else flow
    if batch.ndim != 4 or batch.shape[1] != 2:
        raise ValueError(
            f"Input flow should have shape (2, H, W) or (N, 2, H, W), got {flow.shape}."
        )
    longest = batch.pow(2).sum(1).sqrt().max()
    x, y = (batch / (longest + float(np.finfo(np.float32).eps))).unbind(1)
    length = (x * x + y * y).sqrt()
    wheel = rushlight.as_tensor(_color_wheel() / np.float32(255))
    place = ((-y).atan2(-x) / math.pi + 1) / 2 * (len(wheel) - 1)
    first = place.floor()
    k = first.to(dtypes.int64)
    part = (place - first)[..., None]
    hue = (1 - part) * wheel[k] + part * wheel[(k + 1) % len(wheel)]  # (N, H, W, 3)
    out = (255 * (1 - length[..., None] * (1 - hue))).floor().to(dtypes.uint8)
    out = out.permute(0, 3, 1, 2).contiguous()
    return out[0] if flow.ndim == 3 else out


def _color_wheel() -> np.ndarray:
    """55 colours from red by yellow, green, cyan, blue and magenta back to red, 0 to 255."""
    parts = []
    # Steps, the channel that is full, and the one that grows (1) or falls (-1).
    steps = ((15, 0, 1, 1), (6, 1, 0, -1), (4, 1, 2, 1), (11, 2, 1, -1), (13, 2, 0, 1))
    for count, full, moving, sign in (*steps, (6, 0, 2, -1)):
        part = np.zeros((count, 3), np.float32)
        ramp = np.floor(255 * np.arange(count, dtype=np.float32) / np.float32(count))
        part[:, full] = 255
        part[:, moving] = ramp if sign > 0 else 255 - ramp
        parts.append(part)
    return np.concatenate(parts)
