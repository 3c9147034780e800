"""Small data for the programs: digits in MNIST's files, and a text with a grammar."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np

FONT = [  # five rows of three
    "111101101101111",
    "010110010010111",
    "111001111100111",
    "111001111001111",
    "101101111001001",
    "111100111001111",
    "111100111101111",
    "111001001001001",
    "111101111101111",
    "111101111001111",
]


def digits(root: Path, train: int = 300, test: int = 60) -> Path:
    """MNIST's four files below `root`, with digits of a 3 by 5 font that jitter."""
    folder = root / "MNIST" / "raw"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for name, count in (("train", train), ("t10k", test)):
        labels = (np.arange(count) % 10).astype(np.uint8)
        images = np.zeros((count, 28, 28), np.uint8)
        for image, label in zip(images, labels, strict=True):
            glyph = np.array(list(FONT[label]), np.uint8).reshape(5, 3).repeat(4, 0).repeat(4, 1)
            y, x = rng.integers(2, 6), rng.integers(5, 11)
            image[y : y + 20, x : x + 12] = glyph * rng.integers(150, 255)
        for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
            head = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(
                f">{array.ndim}I", *array.shape
            )
            data = head + array.tobytes()
            (folder / f"{name}-{kind}-ubyte").write_bytes(data)
            (folder / f"{name}-{kind}-ubyte.gz").write_bytes(gzip.compress(data))
    return root


def text(root: Path, lines: int = 200) -> Path:
    """train.txt, valid.txt and test.txt of sentences that a model can learn."""
    rng = np.random.default_rng(0)
    who = ["the cat", "the dog", "a child", "the old man", "a bird"]
    does = ["sees", "likes", "follows", "hears"]
    how = ["quietly", "often", "in the morning", "at home"]
    root.mkdir(parents=True, exist_ok=True)
    for name, count in (("train", lines), ("valid", lines // 4), ("test", lines // 4)):
        sentences = [
            f"{rng.choice(who)} {rng.choice(does)} {rng.choice(who)} {rng.choice(how)} ."
            for _ in range(count)
        ]
        (root / f"{name}.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    return root
