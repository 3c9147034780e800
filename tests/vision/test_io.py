"""Image files as tensors and back."""

from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import io as vio
from rushlight.vision.io import ImageReadMode

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
ImageOps = pytest.importorskip("PIL.ImageOps")


def encoded(image: Any, format: str, **options: Any) -> Any:
    file = io.BytesIO()
    image.save(file, format=format, **options)
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


def planes(image: Any) -> np.ndarray:
    array = np.asarray(image)
    return array[None] if array.ndim == 2 else array.transpose(2, 0, 1)


@pytest.fixture
def colour(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 256, (7, 5, 3), np.uint8)


def test_bytes(tmp_path: Path) -> None:
    data = torch.tensor([1, 2, 255], dtype=torch.uint8)
    vio.write_file(tmp_path / "x", data)
    assert (tmp_path / "x").read_bytes() == b"\x01\x02\xff"
    again = vio.read_file(str(tmp_path / "x"))
    assert again.dtype is torch.uint8
    assert again.tolist() == [1, 2, 255]
    with pytest.raises(RuntimeError, match="should be uint8"):
        vio.write_file(tmp_path / "x", data.float())
    with pytest.raises(RuntimeError, match="1-dimensional"):
        vio.write_file(tmp_path / "x", data[None])
    assert os.listdir(tmp_path) == ["x"]
    with pytest.raises(RuntimeError, match=r"\[Errno 2\] No such file or directory: '.*none'"):
        vio.read_file(tmp_path / "none")
    (tmp_path / "empty").touch()
    with pytest.raises(RuntimeError, match="non empty file"):
        vio.read_file(tmp_path / "empty")


@pytest.mark.parametrize("channels", [1, 3])
def test_png_there_and_back(tmp_path: Path, rng: np.random.Generator, channels: int) -> None:
    image = torch.from_numpy(rng.integers(0, 256, (channels, 6, 9), np.uint8))
    for level in (0, 9):
        vio.write_png(image, tmp_path / "x.png", compression_level=level)
        for again in (
            vio.read_image(str(tmp_path / "x.png")),
            vio.decode_image(tmp_path / "x.png"),
            vio.decode_png(vio.encode_png(image, level)),
        ):
            assert again.dtype is torch.uint8
            assert again.tolist() == image.tolist()
    flipped = image.flip(2)  # a strided one
    assert vio.decode_png(vio.encode_png(flipped)).tolist() == flipped.tolist()


def test_jpeg(tmp_path: Path, colour: np.ndarray) -> None:
    image = torch.from_numpy(planes(colour).copy())
    data = vio.encode_jpeg(image, quality=90)
    wanted = io.BytesIO()
    Image.fromarray(colour).save(wanted, format="JPEG", quality=90)
    assert data.numpy().tobytes() == wanted.getvalue()
    plain = vio.decode_jpeg(data)
    with Image.open(wanted) as picture:
        assert np.array_equal(plain.numpy(), planes(picture))
    with Image.open(wanted) as picture:
        picture.draft("L", None)
        assert np.array_equal(vio.decode_jpeg(data, "gray").numpy(), planes(picture))
    vio.write_jpeg(image, tmp_path / "x.jpg", 90)
    assert vio.read_image(tmp_path / "x.jpg", ImageReadMode.RGB).tolist() == plain.tolist()
    several = vio.decode_jpeg(vio.encode_jpeg([image, image], 90))
    assert [t.tolist() for t in several] == [plain.tolist()] * 2
    grey = vio.encode_jpeg(image[:1])
    assert vio.decode_jpeg(grey).shape == (1, 7, 5)
    assert vio.decode_jpeg(grey, mode="RGB", device="cpu").shape == (3, 7, 5)
    cmyk = encoded(Image.fromarray(colour).convert("CMYK"), "JPEG")
    assert vio.decode_jpeg(cmyk).shape == (4, 7, 5)
    assert vio.decode_jpeg(cmyk, "RGB").shape == (3, 7, 5)


PNG_MODES = ["1", "L", "LA", "RGB", "RGBA", "P"]


@pytest.mark.parametrize("mode", PNG_MODES)
def test_png_channels(colour: np.ndarray, mode: str) -> None:
    picture = Image.fromarray(colour)
    if mode in ("LA", "RGBA"):
        picture.putalpha(Image.fromarray(colour[:, :, 0]))
    picture = picture.quantize(16) if mode == "P" else picture.convert(mode)
    data = encoded(picture, "PNG")
    plain = vio.decode_png(data)
    assert np.array_equal(plain.numpy(), planes(picture.convert("L") if mode == "1" else picture))
    rgb = vio.decode_png(data, ImageReadMode.RGB)
    assert np.array_equal(rgb.numpy(), planes(picture.convert("RGB")))
    rgba = vio.decode_png(data, "RGBA")
    assert np.array_equal(rgba.numpy(), planes(picture.convert("RGBA")))
    grey = vio.decode_png(data, "gray")
    luma = np.array([0.2989, 0.587, 0.1141]) @ rgb.numpy().reshape(3, -1)
    assert abs(grey.numpy().reshape(-1) - luma).max() < 1.1
    both = vio.decode_png(data, mode="GRAY_ALPHA")
    assert both[:1].tolist() == grey.tolist()
    assert both[1:].tolist() == rgba[3:].tolist()


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_a_palette_with_few_bits(colour: np.ndarray, bits: int) -> None:
    picture = Image.fromarray(colour).quantize(2**bits)
    data = encoded(picture, "PNG", bits=bits)
    assert np.array_equal(vio.decode_png(data).numpy(), planes(picture))
    picture.info["transparency"] = 0
    clear = vio.decode_png(encoded(picture, "PNG", bits=bits), "RGBA")
    assert set(clear[3].flatten().tolist()) == {0, 255}


# 16 bits


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png16(pixels: np.ndarray, colour_type: int, filters: Any, interlaced: int = 0) -> bytes:
    """A PNG written byte by byte after its specification, row i with filter filters[i]."""
    height, width, channels = pixels.shape
    step = channels * 2
    raw = pixels.astype(">u2").tobytes()
    stride = width * step
    above = bytes(stride)
    out = bytearray()
    for i in range(height):
        row = raw[i * stride : (i + 1) * stride]
        out.append(filters[i])
        for k in range(stride):
            a = row[k - step] if k >= step else 0
            b = above[k]
            c = above[k - step] if k >= step else 0
            p = a + b - c
            paeth = min((abs(p - v), n, v) for n, v in enumerate((a, b, c)))[2]
            guess = (0, a, b, (a + b) // 2, paeth)[filters[i]]
            out.append((row[k] - guess) % 256)
        above = row
    head = struct.pack(">IIBBBBB", width, height, 16, colour_type, 0, 0, interlaced)
    packed = zlib.compress(bytes(out))
    body = chunk(b"IHDR", head) + chunk(b"IDAT", packed[:7]) + chunk(b"IDAT", packed[7:])
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


def as_tensor(raw: bytes) -> Any:
    return torch.frombuffer(bytearray(raw), dtype=torch.uint8)


@pytest.mark.parametrize(("kind", "channels"), [(0, 1), (2, 3), (4, 2), (6, 4)])
@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (300, 3), (2, 40)])
def test_png_of_16_bits(
    rng: np.random.Generator, kind: int, channels: int, shape: tuple[int, int]
) -> None:
    pixels = rng.integers(0, 65536, (*shape, channels), np.uint16)
    pixels[: shape[0] // 2] //= 999  # smooth parts too
    data = as_tensor(png16(pixels, kind, rng.integers(0, 5, shape[0])))
    image = vio.decode_png(data)
    assert image.dtype is torch.uint16
    assert np.array_equal(image.numpy(), pixels.transpose(2, 0, 1))
    rgba = vio.decode_image(data, "RGB_ALPHA").numpy()
    assert rgba.shape == (4, *shape)
    if channels in (1, 3):
        assert (rgba[3] == 65535).all()
    else:
        assert np.array_equal(rgba[3], pixels[:, :, -1])
    grey = vio.decode_image(data, "GRAY").numpy()[0]
    if channels < 3:
        assert np.array_equal(grey, pixels[:, :, 0])
    else:
        luma = pixels[:, :, :3] @ np.array([0.2989, 0.587, 0.1141])
        assert abs(grey - luma).max() < 8


@pytest.mark.parametrize("damage", ["cut", "filter", "interlaced", "zlib", "huge"])
def test_broken_png_of_16_bits(damage: str) -> None:
    pixels = np.arange(4 * 5 * 3, dtype=np.uint16).reshape(4, 5, 3)
    raw = bytearray(png16(pixels, 2, [0] * 4, interlaced=int(damage == "interlaced")))
    if damage == "cut":
        del raw[-40:]
    elif damage == "zlib":
        raw[60:64] = b"\xff\xff\xff\xff"
    elif damage == "huge":
        raw[16:24] = struct.pack(">II", 2**31 - 1, 2**31 - 1)
        raw[29:33] = struct.pack(">I", zlib.crc32(raw[12:29]))
    elif damage == "filter":
        packed = zlib.compress(b"".join(bytes([9]) + bytes(30) for _ in range(4)))
        body = chunk(b"IHDR", struct.pack(">IIBBBBB", 5, 4, 16, 2, 0, 0, 0))
        raw = bytearray(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IDAT", packed))
    with pytest.raises(RuntimeError, match="cannot be decoded"):
        vio.decode_png(as_tensor(bytes(raw)))


# Other formats, orientation, errors


def test_gif(colour: np.ndarray) -> None:
    one = Image.fromarray(colour).quantize(16)
    image = vio.decode_gif(encoded(one, "GIF"))
    assert np.array_equal(image.numpy(), planes(one.convert("RGB")))
    two = Image.fromarray(colour[::-1].copy()).quantize(16)
    moving = encoded(one, "GIF", save_all=True, append_images=[two])
    frames = vio.decode_image(moving)
    assert frames.shape == (2, 3, 7, 5)
    assert np.array_equal(frames[0].numpy(), planes(one.convert("RGB")))


@pytest.mark.parametrize("format", ["WEBP", "AVIF"])
def test_webp_and_avif(colour: np.ndarray, format: str) -> None:
    if not pytest.importorskip("PIL.features").check(format.lower()):
        pytest.skip(f"this Pillow has no {format}")
    decode = {"WEBP": vio.decode_webp, "AVIF": vio.decode_avif}[format]
    picture = Image.fromarray(colour)
    assert decode(encoded(picture, format)).shape == (3, 7, 5)
    assert decode(encoded(picture, format), "RGBA").shape == (4, 7, 5)
    picture.putalpha(9)
    data = encoded(picture, format)
    assert vio.decode_image(data).shape == (4, 7, 5)
    assert vio.decode_image(data, "RGB").shape == (3, 7, 5)
    with pytest.raises(RuntimeError, match="mode is not supported"):
        decode(data, "GRAY")


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["PNG", "JPEG"])
def test_orientation(colour: np.ndarray, orientation: int, format: str) -> None:
    picture = Image.fromarray(colour)
    exif = picture.getexif()
    exif[0x0112] = orientation
    data = encoded(picture, format, exif=exif)
    with Image.open(io.BytesIO(data.numpy().tobytes())) as opened:
        wanted = planes(ImageOps.exif_transpose(opened))
    turned = vio.decode_image(data, apply_exif_orientation=True)
    assert np.array_equal(turned.numpy(), wanted)
    assert vio.decode_image(data).shape == (3, 7, 5)


def test_modes_of_jpeg(colour: np.ndarray) -> None:
    data = encoded(Image.fromarray(colour), "JPEG")
    for mode in (ImageReadMode.RGB_ALPHA, "GRAY_ALPHA"):
        with pytest.raises(RuntimeError, match="mode is not supported for JPEG files"):
            vio.decode_image(data, mode)
    assert ImageReadMode.RGBA is ImageReadMode.RGB_ALPHA
    assert [m.value for m in ImageReadMode] == [0, 1, 2, 3, 4]
    with pytest.raises(KeyError):
        vio.decode_image(data, "nonsense")


def test_what_is_no_image(tmp_path: Path, colour: np.ndarray) -> None:
    with pytest.raises(RuntimeError, match="Unsupported image file"):
        vio.decode_image(as_tensor(b"no image at all"))
    with pytest.raises(RuntimeError, match="Content is not png!"):
        vio.decode_png(encoded(Image.fromarray(colour), "JPEG"))
    with pytest.raises(RuntimeError, match="Content is not jpeg!"):
        vio.decode_jpeg(as_tensor(b"x"))
    with pytest.raises(TypeError, match="Expected a tensor"):
        vio.decode_png(b"bytes")
    with pytest.raises(RuntimeError, match=r"Expected a torch\.uint8 tensor"):
        vio.decode_image(torch.zeros(4))
    for empty in (torch.zeros(0, dtype=torch.uint8), torch.zeros(2, 2, dtype=torch.uint8)):
        with pytest.raises(RuntimeError, match="non empty 1-dimensional"):
            vio.decode_image(empty)
    with pytest.raises(RuntimeError, match="HEIC"):
        vio.decode_heic(torch.zeros(4, dtype=torch.uint8))
    big = Image.fromarray(np.random.randint(0, 256, (64, 64, 3), np.uint8))
    for format in ("PNG", "JPEG"):
        path = tmp_path / f"cut.{format}"
        vio.write_file(path, encoded(big, format)[:1500])
        with pytest.raises(RuntimeError, match=rf"cut\.{format} cannot be decoded"):
            vio.read_image(path)


def test_errors_of_writing() -> None:
    image = torch.zeros(3, 4, 4, dtype=torch.uint8)
    for encode in (vio.encode_png, vio.encode_jpeg):
        with pytest.raises(RuntimeError, match="dtype should be uint8"):
            encode(image.float())
        with pytest.raises(RuntimeError, match="3-dimensional"):
            encode(image[0])
        with pytest.raises(RuntimeError, match="number of channels should be 1 or 3, got: 2"):
            encode(image[:2])
    with pytest.raises(RuntimeError, match="between 0 and 9"):
        vio.encode_png(image, 10)
    for quality in (0, 101):
        with pytest.raises(ValueError, match="between 1 and 100"):
            vio.encode_jpeg(image, quality)
    with pytest.raises(ValueError, match="at least one"):
        vio.encode_jpeg([])
    with pytest.raises(ValueError, match="at least one"):
        vio.decode_jpeg([])
    with pytest.raises(ValueError, match="must be tensors"):
        vio.decode_jpeg([b""])
