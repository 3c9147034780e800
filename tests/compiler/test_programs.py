"""Networks of the benchmarks and of the examples, trained compiled and eagerly: the same bits.

At sizes that kernels share among threads, too. Whole programs of `examples/` run in
`tests/examples/test_compiled.py`, rows of the table in `tests/benchmarks/test_compiled_bits.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from benchmarks import models
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import Twin, same

ROOT = Path(__file__).parents[2]
FORMS = ("step", "module")
pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")
forms = pytest.mark.parametrize("form", FORMS)


def load(name: str, folder: Path) -> dict[str, Any]:
    """An example's functions and classes, with Rushlight in PyTorch's place."""
    lines = []
    for line in (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8").splitlines():
        line = re.sub(r"^import torch$", "import rushlight as torch", line)
        line = re.sub(r"^(import|from) torch\b", r"\1 rushlight", line)
        if not re.match(r"(import|from) (pictures|PIL|sklearn|matplotlib|tqdm|data)\b", line):
            lines.append(line)
    path = folder / f"{name.replace('/', '_')}.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    space: dict[str, Any] = {"__name__": f"example_{path.stem}", "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    return space


def train(
    form: str,
    make: Callable[[], Any],
    batch: Callable[[int], tuple[Any, Any]],
    loss_of: Callable[[Any, Any], Any],
    steps: int,
    kind: Callable[..., Any] = torch.optim.SGD,
    clip: float = 0.0,
) -> None:
    """Some steps; the state is looked at after the first few and the last."""

    def program(t: Twin) -> None:
        model = make()
        optimizer = kind(model.parameters(), lr=0.01)
        part = t.compile(model) if form == "module" else model

        def step(x: Any, target: Any) -> Any:
            optimizer.zero_grad()
            loss = loss_of(part(x), target)
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            return loss

        compiled = t.compile(step) if form == "step" else step
        for k in range(steps):
            x, target = batch(k)
            loss = compiled(x, target)
            t.see(loss)
            if k < 3 or k == steps - 1:
                t.see(model, optimizer)

    same(program)


def images(*shape: int, classes: int = 10) -> Callable[[int], tuple[Any, Any]]:
    return lambda k: (torch.randn(*shape), torch.randint(0, classes, (shape[0],)))


def letters(batch: int, long: int) -> Callable[[int], tuple[Any, Any]]:
    def draw(k: int) -> tuple[Any, Any]:
        text = torch.randint(0, 11, (batch, long + 1))
        return text[:, :-1], text[:, 1:].reshape(-1)

    return draw


def next_letter(y: Any, target: Any) -> Any:
    return F.cross_entropy(y.view(-1, y.shape[-1]), target)


class Reader(nn.Module):
    """An LSTM over numbers, its last state to classes."""

    def __init__(self, wide: int) -> None:
        super().__init__()
        self.cells = nn.LSTM(wide, wide, 2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(wide, 10)

    def forward(self, x: Any) -> Any:
        return self.head(self.cells(x)[0][:, -1])


def mlp(wide: int) -> Any:
    return nn.Sequential(nn.Linear(wide, wide), nn.ReLU(), nn.Linear(wide, wide), nn.Tanh(),
                         nn.Linear(wide, 10))  # fmt: skip


SMALL: dict[str, tuple[Any, ...]] = {
    "MNIST": (lambda: models.mnist(torch), images(2, 1, 28, 28), F.nll_loss),
    "ResNet": (lambda: models.resnet18(torch, 10, small=True), images(2, 3, 8, 8), F.cross_entropy),
    "GPT": (lambda: models.gpt(torch, 11, 6, 8, 2, 2), letters(2, 6), next_letter,
            torch.optim.AdamW, 1.0),
    "LSTM": (lambda: Reader(6), images(3, 4, 6), F.cross_entropy, torch.optim.Adam),
    "DCGAN": (lambda: models.generator(torch, 5, 8), lambda k: (torch.randn(2, 5, 1, 1), 0),
              lambda y, _: y.square().mean(), torch.optim.Adam),
    "MLP": (lambda: mlp(8), images(4, 8), F.cross_entropy, torch.optim.RMSprop),
}  # fmt: skip
LARGE: dict[str, tuple[Any, ...]] = {
    "MNIST": (lambda: models.mnist(torch), images(32, 1, 28, 28), F.nll_loss),
    "GPT": (lambda: models.gpt(torch, 11, 32, 64, 2, 4), letters(6, 32), next_letter,
            torch.optim.AdamW, 1.0),
    "LSTM": (lambda: Reader(64), images(16, 16, 64), F.cross_entropy, torch.optim.Adam),
    "DCGAN": (lambda: models.generator(torch, 20, 64), lambda k: (torch.randn(8, 20, 1, 1), 0),
              lambda y, _: y.square().mean(), torch.optim.Adam),
    "MLP": (lambda: mlp(256), images(96, 256), F.cross_entropy, torch.optim.Adam),
}  # fmt: skip


@forms
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n == "ResNet" else ()) for n in SMALL]
)
def test_a_network_of_the_benchmarks(name: str, form: str) -> None:
    make, batch, loss, *more = SMALL[name]
    train(form, make, batch, loss, 6, *more)


@pytest.mark.long
@forms
@pytest.mark.parametrize("name", SMALL)
def test_a_network_of_the_benchmarks_for_long(name: str, form: str) -> None:
    make, batch, loss, *more = SMALL[name]
    train(form, make, batch, loss, 50, *more)


@pytest.fixture
def _two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("_two_threads")
@forms
@pytest.mark.parametrize("name", LARGE)
def test_a_larger_network_by_two_threads(name: str, form: str) -> None:
    make, batch, loss, *more = LARGE[name]
    train(form, make, batch, loss, 4, *more)


# -- examples ------------------------------------------------------------------------------------


def example(name: str, folder: Path) -> tuple[Any, ...]:
    """The network of an example, and how it is trained."""
    found = load(name, folder)
    pixels = lambda k: (torch.rand(3, 1, 16, 16), 0)  # noqa: E731
    if name == "vae":
        bound = found["negative_bound"]
        return (
            lambda: Again(found["VAE"](4)), pixels, lambda y, _: bound(*y), torch.optim.Adam,
        )  # fmt: skip
    if name == "autoencoder":
        return lambda: Again(found["Autoencoder"](4)), pixels, both, torch.optim.Adam
    if name == "dcgan":
        return (
            lambda: found["discriminator"](4), lambda k: (torch.rand(3, 1, 16, 16), torch.ones(3)),
            lambda y, t: F.binary_cross_entropy_with_logits(y.view(-1), t), torch.optim.Adam,
        )  # fmt: skip
    if name == "wgan":
        return (
            lambda: found["Critic"](), pixels, lambda y, _: y.sum(), torch.optim.RMSprop,
        )  # fmt: skip
    if name == "multi_loss":
        return (
            lambda: found["Net"](), images(4, 64),
            lambda y, t: F.cross_entropy(y[0], t) + y[1].square().mean(), torch.optim.Adam,
        )  # fmt: skip
    if name == "custom_function":
        return (
            lambda: found["Net"](6), lambda k: (torch.randn(5, 2), torch.ones(5)),
            F.binary_cross_entropy_with_logits, torch.optim.Adam,
        )  # fmt: skip
    raise KeyError(name)


class Again(nn.Module):
    """A network whose input is what it should give again."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        y = self.inner(x)
        return (y[0], x, *y[1:]) if isinstance(y, tuple) else (y, x)


def both(y: Any, _target: Any) -> Any:
    return F.mse_loss(*y)


@pytest.mark.eager("custom_function")
@forms
@pytest.mark.parametrize(
    "name", ["vae", "autoencoder", "dcgan", "wgan", "multi_loss", "custom_function"]
)
def test_a_network_of_the_examples(name: str, form: str, tmp_path: Path) -> None:
    make, batch, loss, kind = example(name, tmp_path)
    train(form, make, batch, loss, 6, kind)


@pytest.mark.slow
@pytest.mark.usefixtures("_two_threads")
def test_formulas_over_many_numbers() -> None:
    def program(t: Twin) -> None:
        w = torch.randn(300, requires_grad=True)
        t.watch(w)

        @t.compile
        def chain(x: Any) -> Any:
            y = x
            for k in range(4):
                y = torch.tanh(y * 1.5 + k) - y.abs()
            return y, F.layer_norm(F.gelu(x) + y, (300,)), F.softmax(x * w, -1).sum(0)

        for n in (1000, 1000, 1000, 501, 1000):
            y, z, s = t(chain, torch.randn(n, 300))
            (z.square().mean() + s.max() + y.mean()).backward()
            t.see()

    same(program)
