"""The update rules: first steps by hand, closed forms, and what holds for any of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight
from rushlight import optim
from rushlight.kernels.tuning import OPTIM_BLOCK as BLOCK

ALL = ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop",
       "Rprop", "ASGD", "Adafactor"]  # fmt: skip
ELEMENTWISE = [name for name in ALL if name != "Adafactor"]


def run(name, start, grads, dtype=rushlight.float64, **settings):
    """The parameter after one step for each gradient."""
    p = rushlight.tensor(start, dtype=dtype, requires_grad=True)
    optimizer = getattr(optim, name)([p], **settings)
    for g in grads:
        p.grad = rushlight.tensor(g, dtype=dtype)
        optimizer.step()
    return p.detach().numpy(), optimizer.state[p]


def test_sgd_by_hand():
    assert run("SGD", [1.0], [[2.0]], lr=0.25)[0].tolist() == [0.5]
    assert run("SGD", [1.0], [[2.0]], lr=0.25, maximize=True)[0].tolist() == [1.5]
    assert run("SGD", [1.0], [[2.0]], lr=0.25, weight_decay=2.0)[0].tolist() == [0.0]
    # average: 2, then 0.5 * 2 + 2 = 3
    p, state = run("SGD", [1.0], [[2.0]] * 2, lr=0.25, momentum=0.5)
    assert p.tolist() == [1 - 0.25 * 2 - 0.25 * 3]
    assert state["momentum_buffer"].tolist() == [3.0]
    # The first gradient is not dampened, the second by half: 0.5 * 2 + 0.5 * 2 = 2
    assert run("SGD", [1.0], [[2.0]] * 2, lr=0.25, momentum=0.5, dampening=0.5)[0].tolist() == [0.0]
    # nesterov: 2 + 0.5 * 2 = 3
    assert run("SGD", [1.0], [[2.0]], lr=0.25, momentum=0.5, nesterov=True)[0].tolist() == [0.25]


def test_the_first_step_of_adam_is_lr_whatever_the_gradient():
    p, state = run("Adam", [1.0, 1.0], [[1e-3, -1e3]], lr=0.1, eps=0.0)
    assert p == pytest.approx([0.9, 1.1], rel=1e-12)
    assert state["exp_avg"].tolist() == pytest.approx([1e-4, -1e2])
    assert state["exp_avg_sq"].tolist() == pytest.approx([1e-9, 1e3])
    assert state["step"].item() == 1.0


def test_adam_closed_form_over_steps():
    grads = [0.5, -1.0, 2.0, 0.25]
    m = v = 0.0
    x = 1.0
    for t, g in enumerate(grads, 1):
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        x -= 0.1 * (m / (1 - 0.9**t)) / (math.sqrt(v / (1 - 0.99**t)) + 1e-8)
    p, _ = run("Adam", [1.0], [[g] for g in grads], lr=0.1, betas=(0.9, 0.99))
    assert p == pytest.approx([x], rel=1e-12)


def test_adamw_shrinks_apart_from_the_moments():
    p, state = run("AdamW", [2.0], [[0.0]], lr=0.1, weight_decay=0.5)
    assert p == pytest.approx([2.0 * 0.95])
    assert state["exp_avg"].tolist() == [0.0]
    p, state = run("Adam", [2.0], [[0.0]], lr=0.1, weight_decay=0.5)
    assert state["exp_avg"].tolist() == pytest.approx([0.1])


def test_amsgrad_remembers_the_largest_square():
    _, state = run("Adam", [0.0], [[10.0], [0.0], [0.0]], amsgrad=True, betas=(0.9, 0.5))
    assert state["max_exp_avg_sq"].tolist() == [50.0]
    assert state["exp_avg_sq"].tolist() == [12.5]


def test_adagrad_divides_by_the_sum():
    p, state = run("Adagrad", [0.0], [[3.0], [4.0]], lr=1.0, eps=0.0)
    assert p == pytest.approx([-1 - 4 / 5])
    assert state["sum"].tolist() == [25.0]
    p, _ = run("Adagrad", [0.0], [[3.0], [4.0]], lr=1.0, eps=0.0, lr_decay=1.0)
    assert p == pytest.approx([-1 - 4 / 5 / 2])


def test_rmsprop_divides_by_the_running_root():
    p, _ = run("RMSprop", [0.0], [[2.0]], lr=1.0, alpha=0.75, eps=0.0)
    assert p == pytest.approx([-2.0])  # 2 / sqrt(0.25 * 4)
    p, _ = run("RMSprop", [0.0], [[2.0]], lr=1.0, alpha=0.75, eps=0.0, centered=True)
    assert p == pytest.approx([-2 / math.sqrt(1 - 0.25)])


def test_adadelta_starts_with_eps():
    p, _ = run("Adadelta", [0.0], [[2.0]], rho=0.75, eps=1.0)
    assert p == pytest.approx([-2 / math.sqrt(1 + 1)])


def test_rprop_waits_after_a_change_of_sign():
    p, state = run("Rprop", [0.0], [[1.0], [5.0], [-1.0], [-1.0]], lr=0.5)
    # sizes 0.5, 0.6, then 0.3 without a move, then 0.3 the other way
    assert p == pytest.approx([-0.5 - 0.6 + 0.3])
    assert state["step_size"].tolist() == pytest.approx([0.3])


def test_asgd_averages_after_t0():
    p, state = run("ASGD", [0.0], [[1.0]] * 3, lr=1.0, lambd=0.0, t0=1.0)
    assert p.tolist() == [-3.0]
    # mu: 1, 1, then 1/2 seen at the fourth step only
    assert state["ax"].tolist() == [-3.0]
    assert state["mu"].item() == 0.5


def test_adafactor_keeps_a_row_and_a_column():
    _, state = run("Adafactor", [[1.0, 2.0, 3.0]] * 2, [[[1.0, 1.0, 2.0]] * 2])
    assert tuple(state["row_var"].shape) == (2, 1)
    assert tuple(state["col_var"].shape) == (1, 3)
    assert state["row_var"].tolist() == [[2.0], [2.0]]
    assert state["col_var"].tolist() == [[1.0, 1.0, 4.0]]
    _, state = run("Adafactor", [1.0, 2.0], [[1.0, 2.0]])
    assert state["variance"].tolist() == [1.0, 4.0]


def test_muon_wants_matrices():
    with pytest.raises(ValueError, match="only supports 2D parameters"):
        optim.Muon([rushlight.zeros(3, requires_grad=True)])


@pytest.mark.parametrize("name", ALL)
def test_every_optimizer_goes_downhill(name):
    p = rushlight.tensor([3.0, -2.0], dtype=rushlight.float64, requires_grad=True)
    optimizer = getattr(optim, name)([p], lr=1.0 if name == "Adadelta" else 0.05)
    for _ in range(60):
        p.grad = p.detach() * 2
        optimizer.step()
    assert float(np.square(p.detach().numpy()).sum()) < 13.0


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_blocks_change_nothing(name):
    """An array that is cut into blocks moves as its elements would in small arrays."""
    rng = np.random.default_rng(0)
    n = 2 * BLOCK + 37
    start, grads = rng.standard_normal(n), rng.standard_normal((3, n))
    whole, _ = run(name, start, list(grads))
    some = np.r_[0:5, BLOCK - 2 : BLOCK + 3, n - 4 : n]
    part, _ = run(name, start[some], [g[some] for g in grads])
    assert np.array_equal(whole[some], part)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_complex_number_is_two_real_ones(name):
    rng = np.random.default_rng(0)
    parts, grads = rng.standard_normal((3, 2)), rng.standard_normal((4, 3, 2))
    as_complex = [a[..., 0] + 1j * a[..., 1] for a in (parts, *grads)]
    p, _ = run(name, as_complex[0], as_complex[1:], dtype=rushlight.complex128)
    q, _ = run(name, parts, list(grads))
    assert np.array_equal(np.stack([p.real, p.imag], -1), q)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ALL)
def test_low_precision_is_rounded_once(name, dtype):
    dtype = getattr(rushlight, dtype)
    start, grads = [1.0, -2.0, 0.5], [[0.5, 1.0, -2.0]] * 2
    p = rushlight.tensor(start, dtype=dtype, requires_grad=True)
    optimizer = getattr(optim, name)([p])
    for g in grads:
        p.grad = rushlight.tensor(g, dtype=dtype)
        optimizer.step()
    assert p.dtype is dtype
    exact, _ = run(name, start, grads)
    spacing = 2.0**-8 if dtype is rushlight.bfloat16 else 2.0**-10
    assert p.detach()._a.astype(np.float64) == pytest.approx(exact, abs=6 * spacing)


@pytest.mark.parametrize("name", ALL)
def test_scalars_and_empty_parameters(name):
    for start in (2.0, []):
        p, _ = run(name, start, [start])
        assert p.shape == np.shape(start)


@pytest.mark.parametrize(("name", "settings", "text"), [
    ("SGD", {"lr": -1}, "Invalid learning rate: -1"),
    ("SGD", {"lr": float("nan")}, "Invalid learning rate: nan"),
    ("SGD", {"momentum": -0.5}, "Invalid momentum value: -0.5"),
    ("SGD", {"nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
    ("Adam", {"eps": -1}, "Invalid epsilon value: -1"),
    ("Adam", {"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
    ("Adam", {"betas": (0, 0.9)}, "both floats or both Tensors"),
    ("RMSprop", {"alpha": -1}, "Invalid alpha value: -1"),
    ("Adadelta", {"rho": 2}, "Invalid rho value: 2"),
    ("Rprop", {"etas": (2.0, 3.0)}, "Invalid eta values: 2.0, 3.0"),
    ("Adafactor", {"d": 0.5}, "Clipping threshold d should be >= 1 but is: 0.5"),
    ("Muon", {"adjust_lr_fn": "own"}, "function own is not supported"),
])  # fmt: skip
def test_bad_settings(name, settings, text):
    with pytest.raises(ValueError, match=text) as caught:
        getattr(optim, name)([rushlight.zeros(2, 2, requires_grad=True)], **settings)
    assert "wanted" in str(caught.value) or "got" in str(caught.value)


def test_a_tensor_lr_must_have_one_element():
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        optim.SGD([rushlight.zeros(2, requires_grad=True)], lr=rushlight.tensor([0.1, 0.2]))
    p = rushlight.ones(2, requires_grad=True)
    optimizer = optim.SGD([p], lr=rushlight.tensor([0.25]))
    p.grad = rushlight.ones(2)
    optimizer.step()
    optimizer.param_groups[0]["lr"].fill_(0.5)  # a Tensor may change in place
    optimizer.step()
    assert p.tolist() == [0.25, 0.25]


def test_fused_wants_real_numbers():
    p = rushlight.zeros(2, dtype=rushlight.complex64, requires_grad=True)
    p.grad = rushlight.zeros(2, dtype=rushlight.complex64)
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params"):
        optim.SGD([p], fused=True).step()
    p = rushlight.zeros(2, device="meta", requires_grad=True)
    p.grad = rushlight.zeros(2, device="meta")
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params"):
        optim.Adam([p], fused=True).step()
    p.grad = None
    optim.Adam([p], fused=True).step()  # nothing to do


def test_sparse_adam_refuses_what_it_cannot_do():
    p = rushlight.zeros(2, requires_grad=True)
    with pytest.raises(ValueError, match="Tensor lr must be 1-element"):
        optim.SparseAdam([p], lr=rushlight.tensor([0.1, 0.2]))
    with pytest.raises(ValueError, match="does not support complex parameters"):
        optim.SparseAdam([p.detach().to(rushlight.complex64)])


def test_one_cycle_takes_states_with_a_function():
    optimizer = optim.SGD([rushlight.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=4, cycle_momentum=False)
    state = {k: v for k, v in scheduler.state_dict().items() if k != "_anneal_func_type"}
    del scheduler._anneal_func_type
    scheduler.load_state_dict({**state, "anneal_func": lambda start, end, share: 7.0})
    optimizer.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [7.0]


def test_differentiable_step_is_recorded():
    x = rushlight.tensor([2.0], requires_grad=True)
    p = x.clone()
    optimizer = optim.SGD([p], lr=0.25, momentum=0.5, differentiable=True)
    for _ in range(2):
        p.grad = x * x
        optimizer.step()
    assert p.detach().tolist() == [2 - 0.25 * 4 - 0.25 * 6]
    p.backward(rushlight.ones(1))
    # p = x - 0.25 * x^2 * (1 + 1.5)
    assert x.grad.tolist() == [1 - 0.25 * 2.5 * 4]


@pytest.mark.parametrize(("name", "settings"), [
    ("SGD", {"momentum": 0.9, "weight_decay": 0.1}), ("SGD", {"nesterov": True, "momentum": 0.5}),
    ("Adam", {"amsgrad": True}), ("AdamW", {}), ("Adamax", {}), ("NAdam", {"weight_decay": 0.1}),
    ("RAdam", {"betas": (0.9, 0.7)}), ("Adagrad", {}), ("Adadelta", {}),
    ("RMSprop", {"centered": True, "momentum": 0.5}), ("Rprop", {}), ("ASGD", {"t0": 1}),
])  # fmt: skip
def test_gradients_through_several_steps(name, settings):
    """Of the parameter after three steps, by what the gradients depend on and by the start."""

    def after(scale, start, recorded):
        s = rushlight.tensor(scale, dtype=rushlight.float64, requires_grad=recorded)
        x = rushlight.tensor(start, dtype=rushlight.float64, requires_grad=recorded)
        p = x.clone()
        optimizer = getattr(optim, name)([p], lr=0.2, differentiable=recorded, **settings)
        for i in (1.0, 2.0, 0.5):
            p.grad = s * s * i + s
            optimizer.step()
        return p, s, x

    p, s, x = after([1.5], [0.7], True)
    p.backward(rushlight.ones(1, dtype=rushlight.float64))
    h = 1e-6
    for found, ds, dx in ((s.grad, h, 0.0), (x.grad, 0.0, h)):
        high, _, _ = after([1.5 + ds], [0.7 + dx], False)
        low, _, _ = after([1.5 - ds], [0.7 - dx], False)
        slope = (high.item() - low.item()) / (2 * h)
        assert (0.0 if found is None else found.item()) == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adagrad", "RMSprop", "RAdam", "Adamax"])
def test_gradient_of_the_learning_rate(name):
    def after(lr):
        p = rushlight.tensor([1.0], dtype=rushlight.float64)
        recorded = not isinstance(lr, float)
        optimizer = getattr(optim, name)([p], lr=lr, differentiable=recorded)
        for g in (0.5, 2.0):
            p.grad = rushlight.tensor([g], dtype=rushlight.float64)
            optimizer.step()
        return p

    lr = rushlight.tensor(0.25, dtype=rushlight.float64, requires_grad=True)
    after(lr).backward(rushlight.ones(1, dtype=rushlight.float64))
    slope = (after(0.25 + 1e-6).item() - after(0.25 - 1e-6).item()) / 2e-6
    assert lr.grad.item() == pytest.approx(slope, rel=1e-6)


def test_lbfgs_finds_the_minimum_of_a_quadratic():
    scale = rushlight.tensor([1.0, 10.0, 100.0], dtype=rushlight.float64)
    for search in (None, "strong_wolfe"):
        p = rushlight.tensor([1.0, 1.0, 1.0], dtype=rushlight.float64, requires_grad=True)
        optimizer = optim.LBFGS([p], lr=1.0 if search else 0.5, line_search_fn=search, max_iter=60)

        def closure(p=p, optimizer=optimizer):
            optimizer.zero_grad()
            d = p - 3
            loss = (scale * d) @ d
            loss.backward()
            return loss

        optimizer.step(closure)
        assert p.detach().numpy() == pytest.approx([3.0, 3.0, 3.0], abs=1e-4)


def test_lbfgs_errors():
    p = rushlight.zeros(2, requires_grad=True)
    with pytest.raises(ValueError, match="doesn't support per-parameter options"):
        optim.LBFGS([{"params": [p]}, {"params": [rushlight.zeros(1, requires_grad=True)]}])
    with pytest.raises(TypeError, match="closure"):
        optim.LBFGS([p]).step()
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optim.LBFGS([p], line_search_fn="weak").step(lambda: 1.0)


@pytest.mark.parametrize("n", [3, 300])
def test_rprop_leaves_what_has_a_gradient_of_nan(n):
    """Which has no sign; in PyTorch, too."""
    p = rushlight.ones(n, requires_grad=True)
    optimizer = rushlight.optim.Rprop([p])
    for _ in range(2):
        p.grad = rushlight.ones(n)
        p.grad[0] = float("nan")
        optimizer.step()
    assert p[0] == 1
    assert (p[1:] < 1).all()
