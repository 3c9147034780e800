"""Mixed precision against PyTorch: types of results under autocast, scales over a run."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

CALLS = {
    "matmul": lambda lib, F, v: v["a"] @ v["b"],
    "matmul of a vector": lambda lib, F, v: v["a"] @ v["v"],
    "mm": lambda lib, F, v: lib.mm(v["a"], v["b"]),
    "bmm": lambda lib, F, v: lib.bmm(v["w"], v["w"]),
    "addmm": lambda lib, F, v: lib.addmm(v["a"], v["a"], v["b"]),
    "baddbmm": lambda lib, F, v: lib.baddbmm(v["w"], v["w"], v["w"]),
    "dot": lambda lib, F, v: lib.dot(v["v"], v["v"]),
    "linear": lambda lib, F, v: F.linear(v["a"], v["b"], v["v"]),
    "conv2d": lambda lib, F, v: F.conv2d(v["x"], v["k"]),
    "conv_transpose2d": lambda lib, F, v: F.conv_transpose2d(v["x"], v["k"].transpose(0, 1)),
    "mixed product": lambda lib, F, v: v["a"] @ v["h"],
    "float64": lambda lib, F, v: v["a"].double() @ v["b"].double(),
    "sum": lambda lib, F, v: v["h"].sum(),
    "exp": lambda lib, F, v: v["h"].exp(),
    "prod": lambda lib, F, v: v["h"].prod(),
    "cat": lambda lib, F, v: lib.cat([v["a"], v["h"]]),
    "softmax": lambda lib, F, v: F.softmax(v["h"], -1),
    "layer_norm": lambda lib, F, v: F.layer_norm(v["h"], (4,)),
    "mse_loss": lambda lib, F, v: F.mse_loss(v["h"], v["h"]),
    "nll_loss": lambda lib, F, v: F.nll_loss(v["h"], v["i"]),
    "cross_entropy": lambda lib, F, v: F.cross_entropy(v["h"], v["i"]),
    "smooth_l1_loss": lambda lib, F, v: F.smooth_l1_loss(v["h"], v["h"]),
    "binary_cross_entropy": lambda lib, F, v: F.binary_cross_entropy(v["h"], v["h"]),
    "mv": lambda lib, F, v: lib.mv(v["a"], v["v"]),
    "vecdot": lambda lib, F, v: lib.linalg.vecdot(v["a"], v["a"]),
    "attention": lambda lib, F, v: F.scaled_dot_product_attention(v["w"], v["w"], v["w"]),
    "cross_entropy of probabilities": lambda lib, F, v: F.cross_entropy(v["h"], v["h"]),
    "l1_loss": lambda lib, F, v: F.l1_loss(v["h"], v["h"] * 2),
    "kl_div": lambda lib, F, v: F.kl_div(v["h"], v["h"], reduction="sum"),
    "poisson_nll_loss": lambda lib, F, v: F.poisson_nll_loss(v["h"], v["h"]),
    "hinge_embedding_loss": lambda lib, F, v: F.hinge_embedding_loss(v["h"], v["h"].sign()),
    "margin_ranking_loss": lambda lib, F, v: F.margin_ranking_loss(v["h"], v["h"], v["h"].sign()),
    "cosine_embedding_loss": lambda lib, F, v: F.cosine_embedding_loss(
        v["h"], v["h"], v["v"].sign()),
    "triplet_margin_loss": lambda lib, F, v: F.triplet_margin_loss(v["h"], v["h"], v["h"] * 2),
    "multi_margin_loss": lambda lib, F, v: F.multi_margin_loss(v["h"], v["i"]),
    "multilabel_margin_loss": lambda lib, F, v: F.multilabel_margin_loss(
        v["h"], lib.zeros(4, 4, dtype=lib.int64)),
    "cdist": lambda lib, F, v: lib.cdist(v["h"], v["h"] * 2),
    "index_copy": lambda lib, F, v: lib.index_copy(v["a"], 0, lib.tensor([0]), v["h"][:1]),
    "fft": lambda lib, F, v: lib.fft.fft(v["h"]).real,
    "reflect": lambda lib, F, v: F.pad(v["h"], (1, 1), "reflect"),
    "inv": lambda lib, F, v: lib.linalg.inv(v["h"] + 3 * lib.eye(4, dtype=v["h"].dtype)),
    "svdvals": lambda lib, F, v: lib.linalg.svdvals(v["h"]),
    "solve": lambda lib, F, v: lib.linalg.solve(v["a"] + 3 * lib.eye(4), v["h"]),
    "prelu": lambda lib, F, v: F.prelu(v["a"], v["v"]),
    "inner of vectors": lambda lib, F, v: lib.inner(v["v"], v["v"]),
    "quantile": lambda lib, F, v: lib.quantile(v["h"], 0.5),
    "max_pool3d": lambda lib, F, v: F.max_pool3d(v["h"][None, None], 1),
    "pinverse": lambda lib, F, v: lib.pinverse(v["h"]),
    "cholesky_solve": lambda lib, F, v: lib.cholesky_solve(
        v["h"], v["h"].tril() + 2 * lib.eye(4, dtype=lib.bfloat16)),
    "no autocast inside": lambda lib, F, v: lib.autocast("cpu", enabled=False)(
        lambda: F.pad(v["h"], (1, 1), "reflect") + F.l1_loss(v["h"], v["h"]))(),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_types_under_autocast(name):
    rng = np.random.default_rng(0)
    arrays = {"a": (4, 4), "b": (4, 4), "v": (4,), "w": (2, 4, 4), "x": (1, 4, 8, 8),
              "k": (3, 4, 3, 3)}  # fmt: skip
    values = {k: rng.random(s).astype("float32") for k, s in arrays.items()}
    found = []
    for lib in (rushlight, torch):
        v = {k: lib.from_numpy(a.copy()) for k, a in values.items()}
        v["h"] = v["a"].to(lib.bfloat16)
        v["i"] = lib.tensor([0, 1, 2, 3])
        with lib.amp.autocast("cpu"):
            y = CALLS[name](lib, lib.nn.functional, v)
        found.append((str(y.dtype), y.to(lib.float32).numpy()))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=2**-6, atol=2**-6)


def test_scales_over_a_run():
    states = []
    for lib in (rushlight, torch):
        rng = np.random.default_rng(1)
        p = lib.ones(3, requires_grad=True)
        optimizer = lib.optim.SGD([p], lr=0.1)
        scaler = lib.amp.GradScaler("cpu", init_scale=8.0, growth_interval=3)
        seen = []
        for _ in range(40):
            optimizer.zero_grad()
            factor = float("inf") if rng.random() < 0.2 else rng.random()
            scaler.scale((p * factor).sum()).backward()
            if rng.random() < 0.5:
                scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            seen.append([scaler.state_dict(), p.tolist()])
        states.append(seen)
    for mine, other in zip(*states, strict=True):
        assert mine[0] == other[0]
        assert mine[1] == pytest.approx(other[1], abs=1e-6)
