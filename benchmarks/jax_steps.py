"""Whole steps as JAX has them: one function, compiled by `jax.jit`, that takes the parameters and
gives the next ones (their memory is handed over). The same sizes and the same arithmetic as the
rows of that name; the weights are drawn anew.

Rows that are missing here (ResNets, DCGAN, text letter by letter) are measured without JAX. Not
here: single operations (`jax_forms.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .jax_forms import both, normal, ready

Call = Callable[[], Any]


def dense(jax: Any, key: Any, inside: int, outside: int) -> tuple[Any, Any]:
    """A linear layer's weight (inputs, outputs) and bias."""
    limit = inside**-0.5
    a, b = jax.random.split(key)
    draw = jax.random.uniform
    return draw(a, (inside, outside), minval=-limit, maxval=limit), draw(b, (outside,))


def keys(jax: Any, count: int) -> Any:
    return iter(jax.random.split(jax.random.key(0), count))


def cross_entropy(jax: Any, scores: Any, target: Any) -> Any:
    logs = jax.nn.log_softmax(scores)
    return -jax.numpy.take_along_axis(logs, target[..., None], -1).mean()


# -- optimisers: (parameters, state, gradients) -> (parameters, state) -----------------------------


def sgd(jax: Any, lr: float, momentum: float = 0.0) -> tuple[Any, Any]:
    tree = jax.tree.map

    def update(p: Any, state: Any, g: Any) -> tuple[Any, Any]:
        if not momentum:
            return tree(lambda p, g: p - lr * g, p, g), state
        state = tree(lambda v, g: momentum * v + g, state, g)
        return tree(lambda p, v: p - lr * v, p, state), state

    return (lambda p: tree(jax.numpy.zeros_like, p) if momentum else ()), update


def adam(
    jax: Any, lr: float, betas: tuple[float, float] = (0.9, 0.999), decay: float = 0.0
) -> tuple[Any, Any]:
    tree, (b1, b2) = jax.tree.map, betas

    def update(p: Any, state: Any, g: Any) -> tuple[Any, Any]:
        m, v, t = state
        t = t + 1
        m = tree(lambda m, g: b1 * m + (1 - b1) * g, m, g)
        v = tree(lambda v, g: b2 * v + (1 - b2) * g * g, v, g)
        c1, c2 = 1 - b1**t, 1 - b2**t

        def moved(p: Any, m: Any, v: Any) -> Any:
            return p * (1 - lr * decay) - lr * (m / c1) / (jax.numpy.sqrt(v / c2) + 1e-8)

        return tree(moved, p, m, v), (m, v, t)

    def begin(p: Any) -> Any:
        zeros = tree(jax.numpy.zeros_like, p)
        return zeros, tree(jax.numpy.zeros_like, p), jax.numpy.float32(0)

    return begin, update


def training(
    jax: Any,
    p: Any,
    optimizer: tuple[Any, Any],
    loss: Callable[..., Any],
    random: bool = False,
) -> Call:
    """A call makes one step; `loss(parameters)` computes what is to become small. With `random` it
    is given a key, too, another one in each step."""
    begin, update = optimizer
    state, key = begin(p), jax.random.key(1) if random else None

    def step(p: Any, state: Any, key: Any) -> Any:
        now = ()
        if random:
            key, *now = jax.random.split(key)
        value, g = jax.value_and_grad(loss)(p, *now)
        return *update(p, state, g), key, value

    compiled = jax.jit(step, donate_argnums=(0, 1))

    def call() -> Any:
        nonlocal p, state, key
        p, state, key, _ = compiled(p, state, key)
        jax.block_until_ready(p)

    return call


# -- networks ------------------------------------------------------------------------------------


def perceptron(jax: Any, p: Any, x: Any) -> Any:
    for w, b in p[:-1]:
        x = jax.nn.relu(x @ w + b)
    return x @ p[-1][0] + p[-1][1]


def tiny_mlp_step(jax: Any) -> Call:
    k = keys(jax, 2)
    p = [dense(jax, next(k), 8, 16), dense(jax, next(k), 16, 1)]
    x, target = normal(jax, 16, 8), normal(jax, 16, 1)
    return training(
        jax, p, sgd(jax, 0.01), lambda p: ((perceptron(jax, p, x) - target) ** 2).mean()
    )


def mlp_step(jax: Any) -> Call:
    k = keys(jax, 3)
    p = [dense(jax, next(k), a, b) for a, b in ((784, 512), (512, 512), (512, 10))]
    x, target = normal(jax, 128, 784), jax.numpy.arange(128) % 10
    return training(
        jax, p, adam(jax, 1e-3), lambda p: cross_entropy(jax, perceptron(jax, p, x), target)
    )


def mnist(jax: Any) -> tuple[Any, Callable[..., Any]]:
    k, lax = keys(jax, 4), jax.lax
    p = {
        "conv1": (normal(jax, 10, 1, 5, 5) / 5, jax.numpy.zeros((10, 1, 1))),
        "conv2": (normal(jax, 20, 10, 5, 5) / 16, jax.numpy.zeros((20, 1, 1))),
        "fc1": dense(jax, next(k), 320, 50),
        "fc2": dense(jax, next(k), 50, 10),
    }

    def conv(x: Any, wb: Any) -> Any:
        return lax.conv(x, wb[0], (1, 1), "VALID") + wb[1]

    def pooled(x: Any) -> Any:
        return jax.nn.relu(lax.reduce_window(x, -float("inf"), lax.max, (1, 1, 2, 2), (1, 1, 2, 2),
                                             "VALID"))  # fmt: skip

    def network(p: Any, x: Any, key: Any = None) -> Any:
        x = conv(pooled(conv(x, p["conv1"])), p["conv2"])
        if key is not None:
            kept = jax.random.bernoulli(key, 0.5, (*x.shape[:2], 1, 1))
            x = x * kept * 2.0
        x = pooled(x).reshape(x.shape[0], -1)
        x = jax.nn.relu(x @ p["fc1"][0] + p["fc1"][1])
        if key is not None:
            x = x * jax.random.bernoulli(jax.random.fold_in(key, 1), 0.5, x.shape) * 2.0
        return jax.nn.log_softmax(x @ p["fc2"][0] + p["fc2"][1])

    return p, network


def mnist_step(jax: Any) -> Call:
    p, network = mnist(jax)
    x, target = normal(jax, 64, 1, 28, 28), jax.numpy.arange(64) % 10
    return training(
        jax,
        p,
        sgd(jax, 0.01, 0.5),
        lambda p, key: cross_entropy(jax, network(p, x, key), target),
        random=True,
    )


def mnist_inference(jax: Any) -> Call:
    p, network = mnist(jax)
    return ready(jax, network, p, normal(jax, 64, 1, 28, 28))


def lstm(jax: Any, wide: int = 256, long: int = 64, batch: int = 32) -> Call:
    k, zeros = keys(jax, 4), jax.numpy.zeros((batch, wide))
    layers = [tuple(dense(jax, next(k), wide, 4 * wide) for _ in range(2)) for _ in range(2)]

    def forward(layers: Any, x: Any) -> Any:
        for (wx, bx), (wh, bh) in layers:
            given = x @ wx + bx + bh  # (T, B, 4 * wide)

            def cell(past: Any, now: Any, wh: Any = wh) -> Any:
                h, c = past
                i, f, g, o = jax.numpy.split(now + h @ wh, 4, axis=1)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jax.numpy.tanh(g)
                h = jax.nn.sigmoid(o) * jax.numpy.tanh(c)
                return (h, c), h

            _, x = jax.lax.scan(cell, (zeros, zeros), given)
        return x.sum()

    return ready(jax, jax.value_and_grad(forward), layers, normal(jax, long, batch, wide))


def gpt(jax: Any, batch: int, long: int, width: int, layers: int, heads: int) -> Any:
    """Parameters, and the loss."""
    k, np, letters = keys(jax, 2 + 4 * layers), jax.numpy, 65
    ones, zeros = np.ones(width), np.zeros(width)
    sizes = ((width, 3 * width), (width, width), (width, 4 * width), (4 * width, width))
    p = {
        "letter": normal(jax, letters, width) * 0.02,
        "place": normal(jax, long, width) * 0.02,
        "blocks": [
            {
                "norms": [(ones + 0, zeros + 0) for _ in range(2)],
                "dense": [dense(jax, next(k), a, b) for a, b in sizes],
            }
            for _ in range(layers)
        ],
        "norm": (ones + 0, zeros + 0),
        "head": dense(jax, next(k), width, letters)[0],
    }
    x, target = (np.arange(batch * long).reshape(batch, long) * n % letters for n in (7, 11))
    seen = np.tril(np.ones((long, long), bool))

    def norm(x: Any, wb: Any) -> Any:
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * wb[0] + wb[1]

    def attention(x: Any, qkv: Any, out: Any) -> Any:
        parts = np.split(x @ qkv[0] + qkv[1], 3, axis=-1)
        q, k, v = (t.reshape(batch, long, heads, -1).transpose(0, 2, 1, 3) for t in parts)
        weights = q @ k.transpose(0, 1, 3, 2) / (width // heads) ** 0.5
        y = jax.nn.softmax(np.where(seen, weights, -float("inf"))) @ v
        return y.transpose(0, 2, 1, 3).reshape(batch, long, width) @ out[0] + out[1]

    def loss(p: Any) -> Any:
        y = p["letter"][x] + p["place"]
        for block in p["blocks"]:
            qkv, out, up, down = block["dense"]
            first, second = block["norms"]
            y = y + attention(norm(y, first), qkv, out)
            z = jax.nn.gelu(norm(y, second) @ up[0] + up[1], approximate=False)
            y = y + z @ down[0] + down[1]
        return cross_entropy(jax, norm(y, p["norm"]) @ p["head"], target)

    return p, loss


def gpt_step(jax: Any) -> Call:
    p, loss = gpt(jax, batch=12, long=64, width=128, layers=4, heads=4)
    return training(jax, p, adam(jax, 1e-3, decay=0.01), loss)


def nanogpt_step(jax: Any) -> Call:
    p, loss = gpt(jax, batch=4, long=128, width=384, layers=6, heads=6)
    begin, update = adam(jax, 1e-3, (0.9, 0.99), decay=0.01)

    def clipped(p: Any, state: Any, g: Any) -> Any:
        total = jax.numpy.sqrt(sum((x * x).sum() for x in jax.tree.leaves(g)))
        scale = jax.numpy.minimum(1.0 / (total + 1e-6), 1.0)
        return update(p, state, jax.tree.map(lambda x: x * scale, g))

    return training(jax, p, (begin, clipped), loss)


def chain(jax: Any) -> Call:
    b = jax.numpy.ones((4, 4))

    def forward(y: Any) -> Any:
        for _ in range(10):
            y = y * b + b
        return y.sum()

    return both(jax, forward, jax.numpy.ones((4, 4)))


def chain8(jax: Any) -> Call:
    np = jax.numpy
    a, b = normal(jax, 2**20), normal(jax, 2**20)
    return ready(jax, lambda a, b: (np.abs(np.tanh(a * b + a) * 0.5 - b) + 1.0) * a / 3.0, a, b)


def ln_gelu(jax: Any) -> Call:
    def f(x: Any, y: Any) -> Any:
        z = jax.nn.gelu(x, approximate=False) + y
        z = z - z.mean(-1, keepdims=True)
        return z / jax.numpy.sqrt((z * z).mean(-1, keepdims=True) + 1e-5)

    return ready(jax, f, normal(jax, 768, 512), normal(jax, 768, 512))


STEPS: dict[str, Callable[[Any], Call]] = {
    f.__name__: f
    for f in (
        chain, tiny_mlp_step, mnist_step, mnist_inference, mlp_step, lstm, gpt_step, nanogpt_step,
        chain8, ln_gelu,
    )
}  # fmt: skip
