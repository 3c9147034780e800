"""Small pictures for the other examples: real digits to learn from, and grids of images on disk."""

from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F


def digits(size):
    """Scikit-learn's 1,797 handwritten digits as (N, 1, size, size) in [0, 1], and their labels."""
    from sklearn.datasets import load_digits

    found: Any = load_digits()
    images = torch.from_numpy((found.images / 16).astype("float32")).unsqueeze(1)
    if size != 8:
        images = F.interpolate(images, size=(size, size), mode="bilinear", align_corners=False)
    return images, torch.from_numpy(found.target)


def save(images, path, columns=8, zoom=4):
    """Write (N, C, H, W) with values in [0, 1] as one picture of rows of `columns` images."""
    from PIL import Image

    n, c, h, w = images.shape
    rows = -(-n // columns)
    grid = torch.ones(c, rows * (h + 1) + 1, columns * (w + 1) + 1) * 0.5
    for i, image in enumerate(images.detach()):
        top, left = (i // columns) * (h + 1) + 1, (i % columns) * (w + 1) + 1
        grid[:, top : top + h, left : left + w] = image.clamp(0, 1)
    array = (grid.permute(1, 2, 0) * 255).to(torch.uint8).numpy()
    picture = Image.fromarray(array[:, :, 0] if c == 1 else array)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    picture.resize((picture.width * zoom, picture.height * zoom), 0).save(path)


def batches(images, size):
    """The images in random order, in whole batches."""
    order = torch.randperm(len(images))
    for start in range(0, len(images) - size + 1, size):
        yield images[order[start : start + size]]


def distance(real, fake):
    """How far two sets of images are apart, by the mean and deviation of each pixel.

    It is Frechet's distance of normal distributions without correlations: 0 for equal sets.
    """
    real, fake = real.flatten(1), fake.detach().flatten(1)
    means = (real.mean(0) - fake.mean(0)).pow(2).sum()
    deviations = (real.std(0) - fake.std(0)).pow(2).sum()
    return (means + deviations).item()
