"""What is measured of `torch.compile`: the rows of the compiled table, and their limits.

The whole step is compiled, `torch.compile(call)`, from the same source in both libraries. Where a
program is compiled in parts in real life (a model that generates text calls the compiled network
once a letter), the row's function says so: it takes `wrap` and applies it itself.

Not here: the rows that the eager table has too (`work.py`, `small.py`), JAX's forms of them
(`jax_steps.py`), who takes turns (`compiled_rounds.py`), the table (`compiled_report.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import models
from .rows import Call, Row, step
from .work import ROWS

Wrap = Callable[[Any], Any]


@dataclass(frozen=True)
class Limit:
    """What a row wants.

    Attributes:
        at_most, aim: of the time of PyTorch's eager, or of what `of` says.
        of: "PyTorch", "our eager", "s" (ours in seconds) or "µs".
        jax, jax_aim: of the time of JAX, jit.
    """

    at_most: float
    aim: float
    of: str = "PyTorch"
    jax: float | None = None
    jax_aim: float | None = None


LIMITS = {
    "chain": Limit(0.10, 0.03),
    "tiny_mlp_step": Limit(0.12, 0.05, jax=1.2, jax_aim=0.8),
    "mnist_step": Limit(0.45, 0.33),
    "mnist_inference": Limit(0.25, 0.2),
    "mlp_step": Limit(0.50, 0.4, jax=1.0),
    "lstm": Limit(0.55, 0.4),
    "gpt_step": Limit(0.55, 0.4, jax=1.0),
    "dcgan": Limit(0.55, 0.45),
    "nanogpt_step": Limit(0.8, 0.6),
    "nanogpt_tokens": Limit(0.6, 0.45),
    "nanogpt_cached": Limit(0.5, 0.35),
    "resnet_inference": Limit(1.0, 0.9, "our eager"),
    "resnet": Limit(1.0, 0.9, "our eager"),
    "cifar_step": Limit(1.0, 0.9, "our eager"),
    "chain8": Limit(0.35, 0.25),
    "ln_gelu": Limit(0.35, 0.25),
    "memory_cifar": Limit(0.9, 0.7, "our eager"),
    "memory_gpt": Limit(0.9, 0.7, "our eager"),
    "capture_warm": Limit(0.15, 0.05, "s"),
    "capture_cold": Limit(3.0, 1.5, "s"),
    "guards": Limit(8.0, 3.0, "µs"),
}


# -- rows that the eager table lacks -------------------------------------------------------------


def chain8(torch: Any, n: int = 2**20) -> Call:
    """Eight operations that a single loop over memory could do."""
    a, b = torch.randn(n), torch.randn(n)
    return lambda: ((((a * b + a).tanh() * 0.5 - b).abs() + 1.0) * a) / 3.0


def ln_gelu(torch: Any, rows: int = 768, columns: int = 512) -> Call:
    f = torch.nn.functional
    x, y = torch.randn(rows, columns), torch.randn(rows, columns)
    weight, bias = torch.ones(columns), torch.zeros(columns)
    return lambda: f.layer_norm(f.gelu(x) + y, (columns,), weight, bias)


def nanogpt_cached(torch: Any, width: int = 384, long: int = 32, wrap: Wrap = lambda f: f) -> Call:
    """Keys and values of earlier letters are kept in tensors of one size, and the place of the next
    letter is a tensor: the compiled network sees the same shapes each time."""
    model = models.gpt_with_cache(torch, 65, long, width, layers=6, heads=6).eval()
    network = wrap(model)

    def call() -> Any:
        torch.manual_seed(0)
        letter, text = torch.zeros(1, 1, dtype=torch.long), []
        with torch.no_grad():
            for place in range(long):
                shares = torch.softmax(network(letter, torch.tensor([place]))[:, -1] / 0.8, dim=-1)
                letter = torch.multinomial(shares, 1)
                text.append(letter)
        return torch.cat(text, dim=1)

    return call


def sixty_parameters(torch: Any, layers: int = 30) -> Call:
    """A step of next to no arithmetic, so that what comes before it counts."""
    nn = torch.nn
    model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(layers)])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(2, 2)
    return step(optimizer, lambda: model(x).sum())


OWN = {
    made.name: made
    for made in (
        Row("chain8", "chain of 8 element-wise ops, 1M", chain8, 1, 1, tiny={"n": 7}),
        Row("ln_gelu", "layer_norm(gelu(x) + y), 768x512", ln_gelu, 1, 1,
            tiny={"rows": 3, "columns": 5}),
        Row("nanogpt_cached", "nanoGPT 6 layers, 384 wide, 32 tokens with a key-value cache, b1",
            nanogpt_cached, 1, 1, tiny={"width": 12, "long": 4}),
        Row("sixty", "a step with 60 parameters", sixty_parameters, 1, 1, tiny={"layers": 3}),
    )
}  # fmt: skip
# Rows that `compiled_rounds.py` measures in ways of their own, by the step that they are about.
MEMORY = {"memory_cifar": "cifar_step", "memory_gpt": "gpt_step"}
CAPTURE = {"capture_cold": "mnist_step", "capture_warm": "mnist_step"}  # in this order
TITLES = {
    "memory_cifar": "peak memory of the ResNet-18 CIFAR step",
    "memory_gpt": "peak memory of the GPT step",
    "capture_warm": "capture + compile of the MNIST step, kernels on disk",
    "capture_cold": "capture + compile of the MNIST step, cold",
    "guards": "guards of a step with 60 parameters",
}
TIMED = tuple(name for name in LIMITS if name not in TITLES)


def title(name: str) -> str:
    return TITLES[name] if name in TITLES else found(name).title


def found(name: str) -> Row:
    """The row of that name, of this table or of the eager one."""
    return OWN[name] if name in OWN else ROWS[name]


def made(row: Row, torch: Any, wrap: Wrap, **sizes: Any) -> Call:
    """The call of a row with `wrap` around it, or inside it where the row says so."""
    if "wrap" in inspect.signature(row.make).parameters:
        return row.make(torch, wrap=wrap, **sizes)
    call: Call = wrap(row.make(torch, **sizes))
    return call
