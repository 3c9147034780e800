"""What is measured: one function for each row of the table, written once for both libraries.

A function gets the package as `torch` and its sizes, prepares, and returns the call that is timed.
`ROWS` has them in the order of the table, each with its limits (time ours / PyTorch's, "at most"
and "aim"), its floating-point operations or moved bytes where a share of the machine's peak means
something, and the sizes that tests use.

Not here: what a row is (`rows.py`), rows of small things (`small.py`), Python without its kernels
(`in_front.py`), networks (`models.py`), timing (`peers.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import in_front, models
from .rows import ROWS, Call, Row, both, inference, row, step
from .small import SMALL

__all__ = ["FIRST", "ROWS", "SMALL", "SPECIAL", "Row"]

# The rows of small things come first: they were entered by the import of `SMALL`.
ROWS.update({made.name: made for made in in_front.rows()})


# -- products ------------------------------------------------------------------------------------


@row("matmul 1024", 0.6, 0.5, tiny={"n": 5}, flops=2 * 1024**3)
def matmul(torch: Any, n: int = 1024) -> Call:
    a, b = torch.randn(n, n), torch.randn(n, n)
    return lambda: a @ b


@row("matmul, batch of 48, 64x64", 1.0, 0.8, tiny={"batch": 2, "n": 5}, flops=48 * 2 * 64**3)
def batched(torch: Any, batch: int = 48, n: int = 64) -> Call:
    a, b = torch.randn(batch, n, n), torch.randn(batch, n, n)
    return lambda: a @ b


# -- element by element, sums --------------------------------------------------------------------


@row("exp, 1M", 0.6, 0.3, tiny={"n": 7}, moved=8 * 2**20)
def exp(torch: Any, n: int = 2**20) -> Call:
    x = torch.randn(n)
    return lambda: x.exp()


@row("tanh, 1M, forward + backward", 0.7, 0.5, tiny={"n": 7})
def tanh(torch: Any, n: int = 2**20) -> Call:
    x = torch.randn(n, requires_grad=True)
    return both(torch, torch.tanh, x)


@row("gelu, 1M", 0.8, 0.6, tiny={"n": 7}, moved=8 * 2**20)
def gelu(torch: Any, n: int = 2**20) -> Call:
    x, f = torch.randn(n), torch.nn.functional.gelu
    return lambda: f(x)


@row("x += y, then relu_, 1.6M, forward + backward", 1.0, 0.7, tiny={"n": 7})
def in_place(torch: Any, n: int = 1_605_632) -> Call:
    x, y = torch.randn(n, requires_grad=True), torch.randn(n)

    def sum_and_rectify(x: Any) -> Any:
        z = x * 1.0
        z += y
        return torch.nn.functional.relu(z, inplace=True)

    return both(torch, sum_and_rectify, x)


@row("add, 16M (fresh result)", 0.35, 0.25, tiny={"n": 7}, moved=12 * 2**24)
def add_large(torch: Any, n: int = 2**24) -> Call:
    a, b = torch.ones(n), torch.ones(n)
    return lambda: a + b


@row("sum, 16M", 1.0, 0.9, tiny={"n": 7}, moved=4 * 2**24)
def sum_large(torch: Any, n: int = 2**24) -> Call:
    x = torch.ones(n)
    return lambda: x.sum()


# -- normalisation, softmax, pooling -------------------------------------------------------------


@row("log_softmax 512x1000, forward + backward", 0.8, 0.5, tiny={"rows": 3, "columns": 5})
def log_softmax(torch: Any, rows: int = 512, columns: int = 1000) -> Call:
    x = torch.randn(rows, columns, requires_grad=True)
    return both(torch, lambda x: torch.nn.functional.log_softmax(x, dim=1), x)


@row("layer_norm 768x512, forward + backward", 0.8, 0.5, tiny={"rows": 3, "columns": 5})
def layer_norm(torch: Any, rows: int = 768, columns: int = 512) -> Call:
    x = torch.randn(rows, columns, requires_grad=True)
    weight, bias = (torch.ones(columns, requires_grad=True) for _ in range(2))
    f = torch.nn.functional.layer_norm
    return both(torch, lambda x, w, b: f(x, (columns,), w, b), x, weight, bias)


@row("batch_norm 32x64x28², forward + backward", 0.8, 0.5, tiny={"shape": (2, 3, 4, 4)})
def batch_norm(torch: Any, shape: tuple[int, ...] = (32, 64, 28, 28)) -> Call:
    x, norm = torch.randn(*shape, requires_grad=True), torch.nn.BatchNorm2d(shape[1])
    return both(torch, lambda x, _w, _b: norm(x), x, norm.weight, norm.bias)


@row("32 rows written into, and added to, a buffer of 200000 rows", 2.5, 1.0, tiny={"n": 40})
def buffer_rows(torch: Any, n: int = 200_000) -> Call:
    buffer, index = torch.zeros(n, 16), torch.arange(0, n, n // 32)[:32]
    rows = torch.randn(32, 16)

    def call() -> Any:
        buffer[index] = rows
        return buffer.index_add_(0, index, rows)

    return call


@row("x[x < 0] = 0, 3.2M", 0.5, 0.2, tiny={"n": 7})
def masked_number(torch: Any, n: int = 200_000) -> Call:
    x = torch.randn(n, 16)
    mask = x < 0

    def call() -> Any:
        x[mask] = 0
        return x

    return call


@row("max_pool 2x2, 32x32x56², forward + backward", 0.8, 0.5, tiny={"shape": (2, 3, 4, 4)})
def max_pool(torch: Any, shape: tuple[int, ...] = (32, 32, 56, 56)) -> Call:
    x = torch.randn(*shape, requires_grad=True)
    return both(torch, lambda x: torch.nn.functional.max_pool2d(x, 2), x)


@row("maxima of whole planes, 32x64², forward + backward", 2.5, 1.0, tiny={"size": 7})
def plane_maxima(torch: Any, size: int = 64) -> Call:
    x = torch.randn(4, 8, size, size, requires_grad=True)
    return both(torch, lambda x: torch.nn.functional.adaptive_max_pool2d(x, 1), x)


@row("MultiheadAttention with its weights, 8x128x256, forward + backward", 1.0, 0.7,
     tiny={"batch": 2, "rows": 5, "wide": 16})  # fmt: skip
def attention_weights(torch: Any, batch: int = 8, rows: int = 128, wide: int = 256) -> Call:
    layer = torch.nn.MultiheadAttention(wide, 8, batch_first=True)
    x = torch.randn(batch, rows, wide, requires_grad=True)
    return both(torch, lambda x, *_: layer(x, x, x)[0], x, *layer.parameters())


# -- bfloat16 ------------------------------------------------------------------------------------


@row("layer of bfloat16 for one example, 2048 to 2048", 0.8, 0.5, tiny={"size": 64})
def bfloat16_layer(torch: Any, size: int = 2048) -> Call:
    layer = torch.nn.Linear(size, size).bfloat16().requires_grad_(False)
    x = torch.randn(1, size).bfloat16()
    return lambda: layer(x)


@row("MLP block 768-3072 under autocast to bfloat16, AdamW step, b256", 1.0, 0.7,
     tiny={"batch": 4, "wide": 16})  # fmt: skip
def autocast_block(torch: Any, batch: int = 256, wide: int = 768) -> Call:
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(wide, 4 * wide), nn.GELU(), nn.Linear(4 * wide, wide), nn.LayerNorm(wide)
    )  # fmt: skip
    return autocast_step(torch, model, torch.randn(batch, wide))


@row("encoder layer 256 under autocast to bfloat16, AdamW step, 8x128", 1.0, 0.7,
     tiny={"batch": 2, "rows": 5, "wide": 16})  # fmt: skip
def autocast_encoder(torch: Any, batch: int = 8, rows: int = 128, wide: int = 256) -> Call:
    layer = torch.nn.TransformerEncoderLayer(wide, 4, 4 * wide, batch_first=True, dropout=0.0)
    return autocast_step(torch, layer, torch.randn(batch, rows, wide))


@row("conv 3x3, 64 channels, 28², b16, under autocast to bfloat16, AdamW step", 1.0, 0.7,
     tiny={"batch": 2, "channels": 4, "size": 8})  # fmt: skip
def autocast_conv(torch: Any, batch: int = 16, channels: int = 64, size: int = 28) -> Call:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(),
        nn.Conv2d(channels, channels, 3, padding=1),
    )  # fmt: skip
    return autocast_step(torch, model, torch.randn(batch, channels, size, size))


def autocast_step(torch: Any, model: Any, x: Any) -> Call:
    """A training step whose products are computed in bfloat16."""
    optimizer = torch.optim.AdamW(model.parameters())

    def call() -> None:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(x).float().pow(2).mean()
        loss.backward()
        optimizer.step()

    return call


# -- convolutions --------------------------------------------------------------------------------


def convolution(channels: int, size: int, backward: bool) -> Callable[..., Call]:
    """3x3, as many channels out as in, padding 1."""

    def make(torch: Any, batch: int = 8, channels: int = channels, size: int = size) -> Call:
        f = torch.nn.functional.conv2d
        x = torch.randn(batch, channels, size, size, requires_grad=backward)
        weight = torch.randn(channels, channels, 3, 3, requires_grad=backward)
        if backward:
            return both(torch, lambda x, w: f(x, w, padding=1), x, weight)
        return lambda: f(x, weight, padding=1)

    return make


for _channels, _size in ((64, 56), (128, 28), (256, 14)):
    for _backward in (False, True):
        _name = f"conv{_channels}" + ("_grad" if _backward else "")
        _title = f"conv 3x3, {_channels} channels, {_size}², b8, forward"
        ROWS[_name] = Row(
            _name,
            _title + (" + backward" if _backward else ""),
            convolution(_channels, _size, _backward),
            1.0,
            0.8 if _backward else 0.7,
            tiny={"batch": 2, "channels": 3, "size": 5},
            flops=(3 if _backward else 1) * 2 * 8 * 9 * (_channels * _size) ** 2,
        )


# -- networks ------------------------------------------------------------------------------------


@row(
    "embedding 10000x256, 32x128 indices, forward + backward",
    0.9,
    0.3,
    tiny={"rows": 7, "width": 3, "shape": (2, 3)},
)
def embedding(
    torch: Any, rows: int = 10_000, width: int = 256, shape: tuple[int, int] = (32, 128)
) -> Call:
    table = torch.randn(rows, width, requires_grad=True)
    index = torch.randint(0, rows, shape)
    return both(torch, lambda t: torch.nn.functional.embedding(index, t), table)


@row(
    "embedding_bag 100000x64, 2048 bags of 20, weighted, forward + backward",
    0.7,
    0.3,
    tiny={"rows": 7, "width": 3, "bags": 2, "each": 3},
)
def embedding_bag(
    torch: Any, rows: int = 100_000, width: int = 64, bags: int = 2048, each: int = 20
) -> Call:
    table = torch.randn(rows, width, requires_grad=True)
    weights = torch.randn(bags, each, requires_grad=True)
    index = torch.randint(0, rows, (bags, each))

    def sums(table: Any, weights: Any) -> Any:
        bag = torch.nn.functional.embedding_bag
        return bag(index, table, mode="sum", per_sample_weights=weights)

    return both(torch, sums, table, weights)


@row("MNIST CNN, SGD step, b64", 0.5, 0.4, tiny={"batch": 2})
def mnist_step(torch: Any, batch: int = 64) -> Call:
    model, f = models.mnist(torch), torch.nn.functional.nll_loss
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    x, target = torch.randn(batch, 1, 28, 28), torch.randint(0, 10, (batch,))
    return step(optimizer, lambda: f(model(x), target))


@row("MNIST CNN, inference, b64", 0.3, 0.25, tiny={"batch": 2})
def mnist_inference(torch: Any, batch: int = 64) -> Call:
    return inference(torch, models.mnist(torch), torch.randn(batch, 1, 28, 28))


@row("MLP 784-512-512-10, Adam step, b128", 0.55, 0.45, tiny={"batch": 2, "wide": 5})
def mlp_step(torch: Any, batch: int = 128, wide: int = 512) -> Call:
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(784, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU(), nn.Linear(wide, 10)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, target = torch.randn(batch, 784), torch.randint(0, 10, (batch,))
    return step(optimizer, lambda: nn.functional.cross_entropy(model(x), target))


@row("MLP 8-16-1, SGD step, b16", 0.7, 0.5)
def tiny_mlp_step(torch: Any) -> Call:
    nn = torch.nn
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, target = torch.randn(16, 8), torch.randn(16, 1)
    return step(optimizer, lambda: nn.functional.mse_loss(model(x), target))


# 33: the last map is two by two, because batch statistics need more than one value.
@row("ResNet-18 224², b1, forward + backward", 1.0, 0.8, tiny={"size": 33})
def resnet(torch: Any, size: int = 224) -> Call:
    model, x = models.resnet18(torch), torch.randn(1, 3, size, size)
    parameters = list(model.parameters())

    def call() -> None:
        for p in parameters:
            p.grad = None
        model(x).sum().backward()

    return call


@row("ResNet-18 224², b1, inference", 1.0, 0.7, tiny={"size": 33})
def resnet_inference(torch: Any, size: int = 224) -> Call:
    return inference(torch, models.resnet18(torch), torch.randn(1, 3, size, size))


@row("ResNet-18 CIFAR, b32, SGD step", 0.9, 0.7, tiny={"batch": 2, "size": 8})
def cifar_step(torch: Any, batch: int = 32, size: int = 32) -> Call:
    model = models.resnet18(torch, classes=10, small=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, target = torch.randn(batch, 3, size, size), torch.randint(0, 10, (batch,))
    return step(optimizer, lambda: torch.nn.functional.cross_entropy(model(x), target))


@row(
    "LSTM 2x256, T64, b32, forward + backward",
    0.6,
    0.45,
    tiny={"wide": 3, "long": 4, "batch": 2},
    # four products forward, seven back: the first layer's input has no gradient
    flops=11 * 2 * 64 * 32 * 256 * (4 * 256),
)
def lstm(torch: Any, wide: int = 256, long: int = 64, batch: int = 32) -> Call:
    model, x = torch.nn.LSTM(wide, wide, 2), torch.randn(long, batch, wide)
    parameters = list(model.parameters())

    def call() -> None:
        for p in parameters:
            p.grad = None
        model(x)[0].sum().backward()

    return call


@row(
    "GPT 4 layers, 128 wide, T64, b12, AdamW step",
    0.65,
    0.55,
    tiny={"width": 8, "long": 4, "batch": 2},
)
def gpt_step(torch: Any, width: int = 128, long: int = 64, batch: int = 12) -> Call:
    letters = 65
    model = models.gpt(torch, letters, long, width, layers=4, heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, target = (torch.randint(0, letters, (batch, long)) for _ in range(2))
    f = torch.nn.functional.cross_entropy
    return step(optimizer, lambda: f(model(x).view(-1, letters), target.view(-1)))


@row(
    "nanoGPT 6 layers, 384 wide, 4x128 tokens, AdamW step",
    0.9,
    0.7,
    tiny={"width": 12, "long": 4, "batch": 2},
)
def nanogpt_step(torch: Any, width: int = 384, long: int = 128, batch: int = 4) -> Call:
    letters = 65
    model = models.gpt(torch, letters, long, width, layers=6, heads=6)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99))
    x, target = (torch.randint(0, letters, (batch, long)) for _ in range(2))
    functional, clip = torch.nn.functional, torch.nn.utils.clip_grad_norm_

    def call() -> None:
        loss = functional.cross_entropy(model(x).view(-1, letters), target.view(-1))
        optimizer.zero_grad()
        loss.backward()
        clip(model.parameters(), 1.0)
        optimizer.step()

    return call


@row(
    "nanoGPT 6 layers, 384 wide, 32 tokens one by one, b1",
    0.9,
    0.6,
    tiny={"width": 12, "long": 4},
)
def nanogpt_tokens(
    torch: Any, width: int = 384, long: int = 32, wrap: Callable[[Any], Any] = lambda f: f
) -> Call:
    """Nothing is kept from token to token: nanoGPT reads the whole text again."""
    model = wrap(models.gpt(torch, 65, long, width, layers=6, heads=6).eval())

    def call() -> Any:
        torch.manual_seed(0)
        text = torch.zeros(1, 1, dtype=torch.long)  # (1, letters so far)
        with torch.no_grad():
            for _ in range(long):
                shares = torch.softmax(model(text)[:, -1, :] / 0.8, dim=-1)
                text = torch.cat((text, torch.multinomial(shares, 1)), dim=1)
        return text

    return call


@row("DCGAN generator 32², b32, forward + backward", 0.9, 0.6, tiny={"wide": 8, "batch": 2})
def dcgan(torch: Any, wide: int = 512, batch: int = 32) -> Call:
    model, x = models.generator(torch, 100, wide), torch.randn(batch, 100, 1, 1)
    parameters = list(model.parameters())

    def call() -> None:
        for p in parameters:
            p.grad = None
        model(x).sum().backward()

    return call


# -- rows that no call makes up ------------------------------------------------------------------


def resnet_step(torch: Any, size: int = 224, batch: int = 4) -> Call:
    model = models.resnet18(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, target = torch.randn(batch, 3, size, size), torch.randint(0, 1000, (batch,))
    return step(optimizer, lambda: torch.nn.functional.cross_entropy(model(x), target))


# The steps that are a process's first. The warm one needs the cold one of the same step before it.
FIRST: dict[str, Callable[..., Call]] = {
    "first_cold": mnist_step,
    "first_warm": mnist_step,
    "first_resnet": resnet_step,
    "first_gpt": gpt_step,
}

# name: title, at most, aim (the first steps': in seconds). `peers.py` measures them.
SPECIAL = {
    "busy": ("MNIST CNN step, another process on one core, by ours on an idle machine", 2.5, 2.0),
    "first_warm": ("first MNIST step of a process, kernels on disk", 0.5, 0.2),
    "first_cold": ("first MNIST step of a process, no kernels on disk", 5.0, 2.0),
    "first_resnet": ("first ResNet-18 step, 224², b4, no kernels on disk", 5.0, 2.0),
    "first_gpt": ("first step of the GPT of 4 layers, no kernels on disk", 4.0, 1.5),
    "memory": ("peak memory of the ResNet-18 CIFAR step", 1.0, 0.8),
}
