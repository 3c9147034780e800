"""GradScaler: the iteration, growth and backoff, states, misuse."""

from __future__ import annotations

import pickle

import pytest

import rushlight
from rushlight.amp import GradScaler
from rushlight.optim import SGD


def setup(**settings):
    p = rushlight.tensor([1.0, 2.0], requires_grad=True)
    return p, SGD([p], lr=0.5), GradScaler("cpu", init_scale=4.0, **settings)


def backward(p, scaler, factor=1.0):
    p.grad = None
    scaler.scale((p * factor)[0]).backward()


def test_an_iteration():
    p, optimizer, scaler = setup()
    backward(p, scaler)
    assert p.grad.tolist() == [4.0, 0.0]
    scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == [0.5, 2.0]
    assert scaler.get_scale() == 4.0


def test_unscaling_first():
    p, optimizer, scaler = setup()
    backward(p, scaler)
    scaler.unscale_(optimizer)
    assert p.grad.tolist() == [1.0, 0.0]
    with pytest.raises(RuntimeError, match="already been called on this optimizer"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called"):
        scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == [0.5, 2.0]


def test_a_step_that_overflowed_is_skipped():
    p, optimizer, scaler = setup()
    backward(p, scaler, float("inf"))
    assert scaler.step(optimizer) is None
    scaler.update()
    assert p.tolist() == [1.0, 2.0]
    assert scaler.get_scale() == 2.0


def test_the_scale_grows_after_good_steps():
    p, optimizer, scaler = setup(growth_interval=2)
    for expected in (4.0, 8.0, 8.0, 16.0):
        backward(p, scaler)
        scaler.step(optimizer)
        scaler.update()
        assert scaler.get_scale() == expected
    scaler.update(64.0)
    assert scaler.get_scale() == 64.0


def test_several_outputs():
    _, _, scaler = setup()
    one = rushlight.ones(1)
    a, (b, c) = scaler.scale([one, (one, one)])
    assert a.item() == b.item() == c.item() == 4.0
    assert [t.item() for t in scaler.scale(t for t in (one, one))] == [4.0, 4.0]
    with pytest.raises(ValueError, match="must be a Tensor or an iterable of Tensors"):
        scaler.scale(3)


def test_disabled_it_passes_through():
    p = rushlight.tensor([1.0], requires_grad=True)
    optimizer = SGD([p], lr=0.5)
    scaler = GradScaler("cpu", enabled=False)
    loss = p * 1
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == [0.5]
    assert scaler.get_scale() == 1.0
    assert scaler.state_dict() == {}
    assert not scaler.is_enabled()


def test_without_cuda_it_is_disabled():
    with pytest.warns(UserWarning, match="CUDA is not available"):
        assert not GradScaler().is_enabled()


def test_states():
    p, optimizer, scaler = setup(growth_interval=3)
    backward(p, scaler)
    scaler.step(optimizer)
    with pytest.raises(AssertionError, match="may only be pickled"):
        pickle.dumps(scaler)
    scaler.update()
    state = scaler.state_dict()
    assert state == {"scale": 4.0, "growth_factor": 2.0, "backoff_factor": 0.5,
                     "growth_interval": 3, "_growth_tracker": 1}  # fmt: skip
    other = GradScaler("cpu")
    other.load_state_dict(state)
    assert other.state_dict() == state == pickle.loads(pickle.dumps(scaler)).state_dict()
    with pytest.raises(RuntimeError, match="source state dict is empty"):
        other.load_state_dict({})


def test_misuse():
    p, optimizer, scaler = setup()
    for method in (scaler.step, scaler.unscale_):
        with pytest.raises(AssertionError, match="_scale is None"):
            method(optimizer)
    backward(p, scaler)
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, closure=None)
    p.grad = None
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    with pytest.raises(AssertionError, match="growth factor must be > 1"):
        GradScaler("cpu", growth_factor=1.0)
    q = rushlight.ones(1, dtype=rushlight.float16, requires_grad=True)
    q.grad = rushlight.ones(1, dtype=rushlight.float16)
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.unscale_(SGD([q]))


def test_a_subclass_allows_float16():
    class Narrow(GradScaler):
        def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16):
            return super()._unscale_grads_(optimizer, inv_scale, found_inf, True)

    p = rushlight.ones(2, dtype=rushlight.float16, requires_grad=True)
    optimizer, scaler = SGD([p], lr=0.5), Narrow("cpu", init_scale=4.0)
    scaler.scale(p.sum()).backward()
    scaler.step(optimizer)
    assert p.tolist() == [0.5, 0.5]
    assert [v.item() for v in scaler._found_inf_per_device(optimizer).values()] == [0.0]


def test_sparse_gradients():
    weight = rushlight.ones(3, 2, requires_grad=True)
    optimizer, scaler = SGD([weight], lr=0.5), GradScaler("cpu", init_scale=4.0)
    rows = rushlight.tensor([0, 2, 0])
    taken = rushlight.nn.functional.embedding(rows, weight, sparse=True)
    scaler.scale(taken.sum()).backward()
    scaler.step(optimizer)
    assert weight.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]


def test_optimizers_that_unscale_by_themselves():
    class Told(SGD):
        _step_supports_amp_scaling = True

        def step(self, closure=None):
            self.told = (self.grad_scale.item(), self.found_inf.item())

    class Handed(SGD):
        _step_supports_amp_scaling = True

        def step(self, closure=None, *, grad_scaler=None):
            self.told = grad_scaler

    p, _, scaler = setup()
    backward(p, scaler, float("nan"))
    optimizer = Told([p], lr=0.5)
    scaler.step(optimizer)
    assert optimizer.told == (4.0, 1.0)
    assert not hasattr(optimizer, "found_inf")
    handed = Handed([p], lr=0.5)
    with pytest.warns(FutureWarning, match="passing itself"):
        scaler.step(handed)
    assert handed.told is scaler


def test_the_functions_below():
    grads = [rushlight.tensor([2.0, 4.0]), rushlight.tensor([2.0]).half()]
    found, scale = rushlight.zeros(1), rushlight.tensor([0.5])
    rushlight._amp_foreach_non_finite_check_and_unscale_(grads, found, scale)
    assert [g.tolist() for g in grads] == [[1.0, 2.0], [1.0]]
    assert found.tolist() == [0.0]
    grads[0][1] = float("inf")
    rushlight._amp_foreach_non_finite_check_and_unscale_(grads, found, scale)
    assert found.tolist() == [1.0]
    tracker = rushlight.zeros(1, dtype=rushlight.int32)
    rushlight._amp_update_scale_(scale, tracker, found, 2.0, 0.25, 2)
    assert scale.tolist() == [0.125]
