"""Which public names the site has, and on which page each of them stands.

The names are those that `tests/public_names.py` goes through, with what is no function: types,
constants, properties. Names of one theme share a page; large namespaces are divided by the folder
or file that their sources lie in.
"""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tests.public_names import SPACES, borrowed, names, namespace

from .facts import home

MORE_SPACES = (
    "explain", "serialization.safetensors", "vision.datasets", "vision.io", "vision.models",
    "vision.ops", "vision.transforms", "vision.utils",
)  # fmt: skip

# The part of a namespace that a source is about: the first whose words are in its path.
THEMES = {
    "ops": (
        ("making tensors", "ops/create"),
        ("random numbers", "ops/random|rushlight/random"),
        ("Fourier transforms", "ops/fft"),
        ("activations", "elementwise/activation|elementwise/rrelu"),
        ("complex numbers", "elementwise/complex"),
        ("special functions", "elementwise/(special|gamma|bessel|polynomials)"),
        ("comparisons", "elementwise/compare"),
        ("arithmetic", "elementwise/arithmetic|autograd/operators"),
        ("elementary functions", "elementwise"),
        ("sorting and counting", "reduce/sort|reduce/counts"),
        ("sums and other reductions", "reduce"),
        ("views and shapes", "shape/(views|in_place_views|view_copies|public|transpose|reorder)"),
        ("joining, splitting, types", "ops/shape"),
        ("indexing", "ops/index"),
        ("linear algebra", "ops/linalg|linalg"),
        ("neural networks", "ops/nn"),
        ("sparse", "sparse"),
        ("memory and storage", "storage"),
    ),
    "nn": (
        ("convolution and folding", r"modules/conv|modules/fold|ops/nn/conv|ops/nn/fold"),
        ("pooling", "pool"),
        ("padding and resampling", "padding|upsampling|pixel|resample|nn/pad|channelshuffle"),
        ("activations", "activation|rrelu|softmax"),
        ("normalisation", "norm"),
        ("losses", "loss|cross_entropy|distance|adaptive"),
        ("recurrent layers", "rnn"),
        ("attention and transformers", "transformer|attention"),
        ("embeddings and linear layers", "linear|sparse|embedding|matmul"),
        ("dropout", "dropout"),
    ),
}
DIVIDED = {"": "ops", "Tensor": "ops", "nn": "nn", "nn.functional": "nn"}
TITLES = {"": "torch", "vision": "torchvision"}


@dataclass
class Name:
    """A public name.

    Attributes:
        path: as a program writes it, such as `torch.nn.Linear`.
        value: what it is.
        page: the document that it stands on.
    """

    path: str
    space: str
    value: Any
    page: str = ""


@dataclass
class Page:
    """A page of names: its document, its title and what stands on it."""

    document: str
    title: str
    space: str
    names: list[Name] = field(default_factory=list)


def called(space: str, name: str) -> str:
    """How a program writes a name."""
    return ".".join(part for part in ("torch", space, name) if part)


def kept(value: Any) -> bool:
    """Whether something that a namespace has is one of its names."""
    plain = type(value) in (dict, list, set, tuple)  # tables that stand in a module by accident
    if isinstance(value, ModuleType) or plain or borrowed(value):
        return False
    return type(value).__module__ != "__future__"


@functools.cache
def pages() -> list[Page]:
    """All pages, in the order of the site's table."""
    found: dict[str, Page] = {}
    for space in ("", "Tensor", *sorted({*SPACES, *MORE_SPACES})):
        try:
            owner = namespace(space)
        except ImportError:  # a part whose package is not installed
            continue
        for name in sorted({*names(space)}):
            value = inspect.getattr_static(owner, name, None) if space == "Tensor" else None
            if not isinstance(value, property):
                value = getattr(owner, name, None)
            if (value is None and name != "newaxis") or not kept(value):
                continue
            title = TITLES.get(space, called(space, "")) + theme_of(space, name, value)
            document = "api/" + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
            page = found.setdefault(document, Page(document, title, space))
            page.names.append(Name(called(space, name), space, value, document))
    return sorted(found.values(), key=place)


def place(page: Page) -> tuple[Any, ...]:
    """Where a page stands in the table: `torch`, its Tensor, then by namespace, then by theme."""
    words = page.title.partition(": ")[2]
    themes = [theme for theme, _ in THEMES[DIVIDED[page.space]]] if page.space in DIVIDED else []
    first = ("", "Tensor", "nn", "nn.functional")
    space = first.index(page.space) if page.space in first else len(first)
    return (space, page.space, themes.index(words) if words in themes else len(themes), words)


def theme_of(space: str, name: str, value: Any) -> str:
    """What of a divided namespace a name belongs to, as the end of a title."""
    if space not in DIVIDED:
        return ""
    if space == "" and (isinstance(value, type) or not callable(value)):
        return ": types and constants"
    path = home(value, space, name)[0]
    for words, pattern in THEMES[DIVIDED[space]]:
        if re.search(pattern, path):
            return f": {words}"
    if space == "nn":
        return ": containers and parts"
    return ": further functions" if space != "Tensor" else ": what a tensor is and can do"


@functools.cache
def by_path() -> dict[str, Name]:
    """Each name by the way that programs write it."""
    return {name.path: name for page in pages() for name in page.names}
