"""Which version of PyTorch's interface Rushlight follows, told in every way that programs ask.

`torch.__version__` is compared in many programs (`>= (2, 0)`, `.split(".")`, packaging's `parse`),
and libraries ask `importlib.metadata.version("torch")`. Rushlight's own number is in
`torch.version.rushlight`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import rushlight

from ..torch_version import TorchVersion

API = "2.13.0"
VISION_API = "0.28.0"

before: list[tuple[ModuleType, str, Any]] = []


def local(api: str) -> str:
    """A version of PyTorch, marked as ours, with as many dots as PyTorch's own.

    >>> local("2.13.0")
    '2.13.0+rushlight'
    """
    return f"{api}+rushlight"


def installed(name: str) -> str | None:
    """The version of an installed package.

    >>> installed("no such package") is None
    True
    """
    from importlib import metadata

    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, ValueError):
        return None


def put(module: ModuleType, name: str, value: Any) -> None:
    before.append((module, name, getattr(module, name, None)))
    setattr(module, name, value)


def show() -> None:
    """Tell PyTorch's version numbers."""
    torch, version = sys.modules["rushlight"], rushlight.version
    put(torch, "__version__", TorchVersion(local(API)))
    put(version, "__version__", local(API))
    vision = rushlight.vision
    put(vision, "__version__", local(VISION_API))


def hide() -> None:
    """Tell Rushlight's own again."""
    for module, name, value in before:
        setattr(module, name, value)
    before.clear()


def find(name: str | None) -> Iterator[Any]:
    """Distributions of the packages that Rushlight stands in for, for `importlib.metadata`."""
    from importlib import metadata

    class Standing(metadata.Distribution):
        """The metadata of one package; it has no files of its own."""

        def __init__(self, name: str, version: str) -> None:
            self.text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"

        def read_text(self, filename: str) -> str | None:
            return self.text if filename == "METADATA" else None

        def locate_file(self, path: Any) -> Any:
            from pathlib import Path

            return Path(__file__).parent / path

    for package, version in (("torch", API), ("torchvision", VISION_API)):
        if name is None or name.lower().replace("_", "-") == package:
            yield Standing(package, local(version))
