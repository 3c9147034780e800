"""`nn.functional`, `nn.init` and `nn.utils`. Not a test file: see tests/test_breadth.py."""

from __future__ import annotations


def x(t):
    return t.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


def image(t):
    return t.arange(32.0).reshape(1, 2, 4, 4) / 8 - 2


def with_gradient(t, fn):
    value = x(t).requires_grad_()
    out = fn(value)
    out.square().sum().backward()
    return [out, value.grad]


def initial(t, name, *args, **kw):
    t.manual_seed(11)
    return getattr(t.nn.init, name)(t.empty(3, 4), *args, **kw)


def clipped(t):
    w = t.nn.Parameter(t.ones(3))
    w.grad = t.tensor([3.0, 4.0, 0.0])
    norm = t.nn.utils.clip_grad_norm_([w], 1.0)
    return [norm, w.grad]


def dropped(t):
    t.manual_seed(11)
    return [
        t.nn.functional.dropout(t.ones(3, 4), 0.5),
        t.nn.functional.dropout(x(t), training=False),
    ]


def heads(t):
    return image(t).reshape(1, 2, 4, 4)


CALLS = {
    "torch.nn.functional.relu": lambda t: with_gradient(t, t.nn.functional.relu),
    "torch.nn.functional.gelu": lambda t: with_gradient(t, t.nn.functional.gelu),
    "torch.nn.functional.sigmoid": lambda t: with_gradient(t, t.nn.functional.sigmoid),
    "torch.nn.functional.softmax": lambda t: with_gradient(
        t, lambda v: t.nn.functional.softmax(v, dim=-1)
    ),
    "torch.nn.functional.log_softmax": lambda t: with_gradient(
        t, lambda v: t.nn.functional.log_softmax(v, dim=1)
    ),
    "torch.nn.functional.dropout": dropped,
    "torch.nn.functional.linear": lambda t: t.nn.functional.linear(
        x(t), t.ones(2, 3), t.tensor([1.0, 2.0])
    ),
    "torch.nn.functional.conv2d": lambda t: t.nn.functional.conv2d(
        image(t), t.ones(3, 2, 3, 3), padding="same"
    ),
    "torch.nn.functional.max_pool2d": lambda t: t.nn.functional.max_pool2d(
        image(t), 2, return_indices=True
    ),
    "torch.nn.functional.pad": lambda t: [
        t.nn.functional.pad(x(t), (1, 2)),
        t.nn.functional.pad(image(t), (1, 1, 1, 1), mode="reflect"),
    ],
    "torch.nn.functional.interpolate": lambda t: [
        t.nn.functional.interpolate(image(t), scale_factor=2),
        t.nn.functional.interpolate(image(t), size=(3, 5), mode="bilinear", align_corners=False),
    ],
    "torch.nn.functional.one_hot": lambda t: t.nn.functional.one_hot(
        t.tensor([2, 0]), num_classes=4
    ),
    "torch.nn.functional.cross_entropy": lambda t: [
        t.nn.functional.cross_entropy(x(t), t.tensor([2, 0])),
        t.nn.functional.cross_entropy(x(t), t.tensor([2, -1]), ignore_index=-1),
        t.nn.functional.cross_entropy(x(t), x(t).softmax(1)),
    ],
    "torch.nn.functional.mse_loss": lambda t: with_gradient(
        t, lambda v: t.nn.functional.mse_loss(v, t.ones(2, 3))
    ),
    "torch.nn.functional.binary_cross_entropy": lambda t: with_gradient(
        t, lambda v: t.nn.functional.binary_cross_entropy(v.sigmoid(), t.full((2, 3), 0.25))
    ),
    "torch.nn.functional.binary_cross_entropy_with_logits": lambda t: with_gradient(
        t,
        lambda v: t.nn.functional.binary_cross_entropy_with_logits(
            v, t.full((2, 3), 0.25), pos_weight=t.tensor([1.0, 2.0, 3.0])
        ),
    ),
    "torch.nn.functional.scaled_dot_product_attention": lambda t: [
        t.nn.functional.scaled_dot_product_attention(heads(t), heads(t), heads(t)),
        t.nn.functional.scaled_dot_product_attention(heads(t), heads(t), heads(t), is_causal=True),
    ],
    "torch.nn.init.zeros_": lambda t: initial(t, "zeros_"),
    "torch.nn.init.ones_": lambda t: initial(t, "ones_"),
    "torch.nn.init.constant_": lambda t: initial(t, "constant_", 0.3),
    "torch.nn.init.normal_": lambda t: initial(t, "normal_", 1.0, 0.02),
    "torch.nn.init.uniform_": lambda t: initial(t, "uniform_", -0.1, 0.1),
    "torch.nn.init.xavier_uniform_": lambda t: initial(t, "xavier_uniform_", gain=2.0),
    "torch.nn.init.kaiming_normal_": lambda t: initial(t, "kaiming_normal_", nonlinearity="relu"),
    "torch.nn.init.kaiming_uniform_": lambda t: initial(t, "kaiming_uniform_", a=5**0.5),
    "torch.nn.init.orthogonal_": lambda t: initial(t, "orthogonal_"),
    "torch.nn.utils.clip_grad_norm_": clipped,
    "torch.nn.utils.rnn.pad_sequence": lambda t: t.nn.utils.rnn.pad_sequence(
        [t.arange(3), t.arange(1)], batch_first=True, padding_value=-1
    ),
}
