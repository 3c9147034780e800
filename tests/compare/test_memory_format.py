"""What keeps its channels innermost in memory: the strides of results, as PyTorch's."""

import pytest

import rushlight

torch = pytest.importorskip("torch")


def volume(t):
    return t.ones(2, 3, 6, 6, 6).contiguous(memory_format=t.channels_last_3d)


CALLS = {
    "pad": lambda t, x: t.nn.functional.pad(x, (1, 1)),
    "pad reflect": lambda t, x: t.nn.functional.pad(x, (1, 1, 1, 1), mode="reflect"),
    "pad replicate": lambda t, x: t.nn.functional.pad(x, (1, 1, 1, 1), mode="replicate"),
    "pixel_shuffle": lambda t, x: t.nn.functional.pixel_shuffle(t.cat([x, x], 1), 2),
    "pixel_unshuffle": lambda t, x: t.nn.functional.pixel_unshuffle(x, 2),
    "channel_shuffle": lambda t, x: t.nn.functional.channel_shuffle(x, 2),
    "dropout": lambda t, x: t.nn.functional.dropout(x),
    "dropout2d": lambda t, x: t.nn.functional.dropout2d(x),
    "nearest": lambda t, x: t.nn.functional.interpolate(x, scale_factor=2),
    "bilinear": lambda t, x: t.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"),
    "bicubic": lambda t, x: t.nn.functional.interpolate(x, scale_factor=2, mode="bicubic"),
    "area": lambda t, x: t.nn.functional.interpolate(x, scale_factor=2, mode="area"),
    "Upsample": lambda t, x: t.nn.Upsample(scale_factor=2)(x),
    "max_pool2d": lambda t, x: t.nn.functional.max_pool2d(x, 2),
    "its places": lambda t, x: t.nn.functional.max_pool2d(x, 2, return_indices=True)[1],
    "avg_pool2d": lambda t, x: t.nn.functional.avg_pool2d(x, 2),
    "lp_pool2d": lambda t, x: t.nn.functional.lp_pool2d(x, 2, 2),
    "adaptive_avg_pool2d": lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, 2),
    "adaptive_avg_pool2d of 1": lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, 1),
    "some of the channels": lambda t, x: t.nn.functional.max_pool2d(x[:, ::2], 2),
    "max_pool3d": lambda t, x: t.nn.functional.max_pool3d(volume(t), 2),
    "max_pool3d of one": lambda t, x: t.nn.functional.max_pool3d(volume(t)[0], 2),
    "adaptive_max_pool3d": lambda t, x: t.nn.functional.adaptive_max_pool3d(volume(t), 2),
    "avg_pool3d": lambda t, x: t.nn.functional.avg_pool3d(volume(t), 2),
    "adaptive_max_pool2d": lambda t, x: t.nn.functional.adaptive_max_pool2d(x, 2),
    "max_unpool2d": lambda t, x: t.nn.functional.max_unpool2d(
        *t.nn.functional.max_pool2d(x, 2, return_indices=True), 2
    ),
    "batch_norm": lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True),
    "group_norm": lambda t, x: t.nn.functional.group_norm(x, 2),
    "local_response_norm": lambda t, x: t.nn.functional.local_response_norm(x, 2),
    "normalize": lambda t, x: t.nn.functional.normalize(x),
    "prelu": lambda t, x: t.nn.functional.prelu(x, t.ones(4)),
    "glu": lambda t, x: t.nn.functional.glu(x, 1),
    "conv2d": lambda t, x: t.nn.functional.conv2d(x, t.ones(6, 4, 3, 3)),
    "conv2d of one channel": lambda t, x: t.nn.functional.conv2d(
        t.ones(2, 1, 6, 6), t.ones(6, 1, 3, 3).to(memory_format=t.channels_last)
    ),
    "conv_transpose2d": lambda t, x: t.nn.functional.conv_transpose2d(x, t.ones(4, 6, 3, 3)),
    "rand_like": lambda t, x: t.rand_like(x),
    "empty_like of meta": lambda t, x: t.empty_like(
        t.empty(2, 4, 6, 6, device="meta"), memory_format=t.channels_last
    ),
    "like another type": lambda t, x: t.zeros_like(x, dtype=t.int32),
    "cat": lambda t, x: t.cat([x, x], 1),
    "flip": lambda t, x: x.flip(2),
    "where": lambda t, x: t.where(x > 0, x, 0.0),
    "add a channel": lambda t, x: x + t.ones(4, 1, 1),
    "add to an image": lambda t, x: t.ones(2, 4, 6, 6) + x,
    "a number first": lambda t, x: t.tensor(1.0) + x,
    "to double": lambda t, x: x.double(),
    "clamp": lambda t, x: x.clamp(0),
    "clone": lambda t, x: x.clone(),
    "in place": lambda t, x: x.mul_(2),
}


@pytest.mark.parametrize("name", CALLS)
def test_strides(name):
    def strides(t):
        x = t.ones(2, 4, 6, 6).contiguous(memory_format=t.channels_last)
        return CALLS[name](t, x).stride()

    assert strides(rushlight) == strides(torch)


@pytest.mark.parametrize("name", CALLS)
def test_strides_of_rows(name):
    """What is in rows stays in rows."""

    def strides(t):
        return CALLS[name](t, t.ones(2, 4, 6, 6)).stride()

    assert strides(rushlight) == strides(torch)


BATCHES_OF_ONE = {
    "as it is": lambda x: x,
    "taken and put back": lambda x: x[0][None],
    "sliced": lambda x: x[:, :, 1:-1, 1:-1][0][None],
    "every other": lambda x: x[:, :, ::2][0, None],
    "one channel": lambda x: x[:, 1][:, None],
    "one line": lambda x: x[:, :, 2][:, :, None],
    "more dims": lambda x: x[:, :, None],
    "turned": lambda x: x.permute(3, 2, 0, 1),
    "expanded": lambda x: x[:, :1].expand(1, 4, 6, 6),
}


@pytest.mark.parametrize("name", BATCHES_OF_ONE)
@pytest.mark.parametrize("size", [6, 200])
def test_copies_of_a_batch_of_one(name, size):
    """Steps along dimensions of one element say how an image lies, and copies keep them."""

    def strides(t):
        x = t.ones(1, 3, size, 6).contiguous(memory_format=t.channels_last)
        y = BATCHES_OF_ONE[name](x if size == 6 else x[..., :6, :] if "exp" in name else x)
        copies = y.clone(), y.double(), y.half(), y.int(), y.bool(), y.double().int()
        assert all(bool((c == 1).all()) for c in copies)
        return y.stride(), [c.stride() for c in copies]

    assert strides(rushlight) == strides(torch)


def test_an_image_that_was_taken_out_and_cast_counts_as_rows():
    """As in PyTorch, whose own test calls it unexpected."""

    def resized(t):
        x = t.zeros(1, 3, 8, 8, dtype=t.uint8).contiguous(memory_format=t.channels_last)
        return t.nn.functional.interpolate(x[0][None].float(), scale_factor=2, mode="bilinear")

    assert resized(rushlight).stride() == resized(torch).stride()
