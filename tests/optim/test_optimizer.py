"""Optimizer itself: groups, gradients, hooks, state dictionaries, errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar

import numpy as np
import pytest

import rushlight
from rushlight.optim import SGD, Adam, AdamW, Optimizer, SparseAdam
from rushlight.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    required,
)


def leaf(*values: float) -> rushlight.Tensor:
    return rushlight.tensor(list(values), dtype=rushlight.float64, requires_grad=True)


def with_gradient(*values: float) -> rushlight.Tensor:
    p = leaf(*values)
    p.grad = rushlight.ones(len(values), dtype=rushlight.float64)
    return p


class TestGroups:
    def test_settings_of_a_group_win_over_defaults(self):
        a, b = with_gradient(1.0), with_gradient(1.0)
        optimizer = SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.25)
        optimizer.step()
        assert a.tolist() == [0.75]
        assert b.tolist() == [0.5]
        assert [g["lr"] for g in optimizer.param_groups] == [0.25, 0.5]

    def test_a_group_added_later_takes_the_defaults(self):
        a, b = with_gradient(1.0), with_gradient(1.0)
        optimizer = SGD([a], lr=0.25)
        optimizer.add_param_group({"params": [b]})
        optimizer.step()
        assert b.tolist() == [0.75]
        assert optimizer.param_groups[1]["momentum"] == 0

    def test_a_change_of_lr_counts_at_the_next_step(self):
        p = with_gradient(1.0)
        optimizer = SGD([p], lr=0.5)
        optimizer.step()
        optimizer.param_groups[0]["lr"] = 0.25
        optimizer.step()
        assert p.tolist() == [0.25]

    def test_generators_and_single_tensors(self):
        assert len(SGD(leaf(1.0) for _ in range(3)).param_groups[0]["params"]) == 3
        optimizer = SGD([{"params": leaf(1.0)}])
        assert len(optimizer.param_groups[0]["params"]) == 1

    def test_named_parameters(self):
        optimizer = SGD([("w", leaf(1.0)), ("b", leaf(2.0))])
        assert optimizer.param_groups[0]["param_names"] == ["w", "b"]
        assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["w", "b"]
        with pytest.raises(ValueError, match="with/without names"):
            optimizer.add_param_group({"params": [leaf(3.0)]})

    def test_some_names_missing(self):
        with pytest.raises(ValueError, match="Some param names are missing"):
            SGD([("w", leaf(1.0)), leaf(2.0)])

    def test_parameters_without_gradient_are_left_alone(self):
        a, b = with_gradient(1.0), leaf(1.0)
        optimizer = Adam([a, b], weight_decay=0.1)
        optimizer.step()
        assert b.tolist() == [1.0]
        assert b not in optimizer.state

    def test_repr(self):
        text = repr(SGD([leaf(1.0)], lr=0.1))
        assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: ")
        assert text.endswith("    weight_decay: 0\n)")


class TestErrors:
    def test_a_bare_tensor(self):
        with pytest.raises(TypeError, match="should be an iterable of Tensors or dicts"):
            SGD(leaf(1.0))

    def test_nothing_to_optimize(self):
        with pytest.raises(ValueError, match="empty parameter list"):
            SGD([])

    def test_a_set_has_no_order(self):
        with pytest.raises(TypeError, match="ordered collections"):
            SGD([{"params": {leaf(1.0)}}])

    def test_not_a_tensor(self):
        with pytest.raises(TypeError, match=r"can only optimize Tensors, .* params is str"):
            SGD(["weight"])

    def test_a_computed_tensor(self):
        with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
            SGD([leaf(1.0) * 2])

    def test_a_parameter_in_two_groups(self):
        p = leaf(1.0)
        with pytest.raises(ValueError, match="more than one parameter group"):
            SGD([{"params": [p]}, {"params": [p]}])

    def test_a_parameter_twice_in_a_group(self):
        p = leaf(1.0)
        with pytest.warns(UserWarning, match="duplicate parameters"):
            SGD([p, p])

    def test_a_group_must_be_a_dictionary(self):
        with pytest.raises(TypeError, match="param_group must be a dict"):
            SGD([leaf(1.0)]).add_param_group([leaf(2.0)])

    def test_a_required_setting(self):
        class Needs(Optimizer):
            def __init__(self, params):
                super().__init__(params, {"lr": required})

        assert repr(required) == "<required parameter>"
        with pytest.raises(ValueError, match="required optimization parameter lr"):
            Needs([leaf(1.0)])
        assert Needs([{"params": [leaf(1.0)], "lr": 1}]).param_groups[0]["lr"] == 1

    def test_step_is_the_subclass_s_business(self):
        with pytest.raises(NotImplementedError):
            Optimizer([leaf(1.0)], {}).step()

    def test_sparse_adam_names_the_way_out(self):
        with pytest.raises(RuntimeError, match="dense gradients, please consider Adam"):
            SparseAdam([with_gradient(1.0)]).step()


class TestZeroGrad:
    def test_to_none(self):
        p = with_gradient(1.0)
        SGD([p]).zero_grad()
        assert p.grad is None

    def test_to_zeros_in_the_same_memory(self):
        p = with_gradient(1.0, 2.0)
        held = p.grad
        SGD([p]).zero_grad(set_to_none=False)
        assert p.grad is held
        assert held.tolist() == [0.0, 0.0]

    def test_a_recorded_gradient_loses_its_history(self):
        p = leaf(1.0)
        p.grad = leaf(2.0) * 3
        SGD([p]).zero_grad(set_to_none=False)
        assert not p.grad.requires_grad


class TestStep:
    def test_the_closure_runs_with_gradients_and_its_loss_comes_back(self):
        p = leaf(3.0)
        optimizer = SGD([p], lr=0.5)

        def closure():
            optimizer.zero_grad()
            loss = (p * p)[0]
            loss.backward()
            return loss

        with rushlight.no_grad():
            loss = optimizer.step(closure)
        assert float(loss.detach()) == 9.0
        assert p.tolist() == [0.0]

    def test_a_step_between_forward_and_backward_is_noticed(self):
        p = with_gradient(2.0)
        y = p * p
        SGD([p], lr=0.1).step()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward(rushlight.ones(1, dtype=rushlight.float64))

    def test_the_parameter_stays_a_leaf(self):
        p = with_gradient(2.0)
        before = p.data_ptr()
        Adam([p]).step()
        assert p.is_leaf
        assert p.requires_grad
        assert p.data_ptr() == before

    def test_numpy_warnings_stay_inside(self):
        p = leaf(1.0, 2.0)
        p.grad = rushlight.tensor([float("inf"), float("nan")], dtype=rushlight.float64)
        Adam([p], eps=0.0).step()
        assert all(np.isnan(p.tolist()))


class TestHooks:
    def test_order_and_arguments(self):
        seen = []
        p = with_gradient(1.0)
        optimizer = SGD([p], lr=0.5)
        handles = [
            optimizer.register_step_post_hook(lambda o, a, k: seen.append(("post", p.item()))),
            optimizer.register_step_pre_hook(lambda o, a, k: seen.append(("pre", p.item()))),
            register_optimizer_step_pre_hook(lambda o, a, k: seen.append(("global pre", o))),
            register_optimizer_step_post_hook(lambda o, a, k: seen.append(("global post", k))),
        ]
        optimizer.step()
        assert seen == [
            ("global pre", optimizer), ("pre", 1.0), ("post", 0.5), ("global post", {}),
        ]  # fmt: skip
        for handle in handles:
            handle.remove()
        optimizer.step()
        assert len(seen) == 4

    def test_a_pre_hook_may_change_the_arguments(self):
        p = with_gradient(1.0)
        optimizer = SGD([p], lr=0.5)
        with optimizer.register_step_pre_hook(lambda o, a, k: ((o, lambda: 7), {})):
            assert optimizer.step() == 7
        optimizer.register_step_pre_hook(lambda o, a, k: 1)
        with pytest.raises(RuntimeError, match="must return None or a tuple"):
            optimizer.step()

    def test_the_step_of_a_subclass_runs_them_too(self):
        class Own(SGD):
            def step(self, closure=None):
                super().step(closure)
                return "own"

        seen = []
        optimizer = Own([with_gradient(1.0)])
        optimizer.register_step_post_hook(lambda o, a, k: seen.append(1))
        assert optimizer.step() == "own"
        assert seen

    def test_state_dict_hooks(self):
        optimizer = SGD([leaf(1.0)])
        seen = []
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("second"))
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("first"), prepend=True)
        optimizer.register_state_dict_post_hook(lambda o, s: {**s, "extra": 1})
        optimizer.register_load_state_dict_pre_hook(lambda o, s: seen.append(s["extra"]))
        optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
        optimizer.load_state_dict(optimizer.state_dict())
        assert seen == ["first", "second", 1, "loaded"]


class TestStateDict:
    def test_parameters_are_numbers_across_groups(self):
        a, b, c = with_gradient(1.0), with_gradient(2.0), with_gradient(3.0)
        optimizer = Adam([{"params": [a, b]}, {"params": [c], "lr": 0.5}])
        optimizer.step()
        state = optimizer.state_dict()
        assert [g["params"] for g in state["param_groups"]] == [[0, 1], [2]]
        assert sorted(state["state"]) == [0, 1, 2]
        step = state["state"][2]["step"]
        assert step.shape == ()
        assert step.dtype is rushlight.float32
        assert step.item() == 1.0

    def test_plain_sgd_has_no_state(self):
        optimizer = SGD([with_gradient(1.0)])
        optimizer.step()
        assert optimizer.state_dict()["state"] == {}

    def test_loading_continues_the_run(self):
        a = with_gradient(1.0, 2.0)
        first = Adam([a], lr=0.1)
        first.step()
        b = leaf(*a.tolist())
        second = Adam([b], lr=99.0)
        second.load_state_dict(copy.deepcopy(first.state_dict()))
        b.grad = a.grad
        first.step()
        second.step()
        assert a.tolist() == b.tolist()
        assert second.param_groups[0]["lr"] == 0.1

    def test_state_takes_the_dtype_of_its_parameter(self):
        wide = Adam([with_gradient(1.0)])
        wide.step()
        narrow = Adam([rushlight.ones(1, requires_grad=True)])
        narrow.load_state_dict(wide.state_dict())
        state = narrow.state_dict()["state"][0]
        assert state["exp_avg"].dtype is rushlight.float32
        assert state["step"].dtype is rushlight.float32

    def test_a_number_of_steps_becomes_a_tensor(self):
        optimizer = Adam([with_gradient(1.0)])
        optimizer.step()
        state = optimizer.state_dict()
        state["state"][0]["step"] = 5
        optimizer.load_state_dict(state)
        assert optimizer.state_dict()["state"][0]["step"].item() == 5.0

    def test_settings_that_an_older_file_lacks(self):
        optimizer = SGD([leaf(1.0)])
        state = optimizer.state_dict()
        for name in ("nesterov", "maximize", "foreach", "differentiable", "fused"):
            del state["param_groups"][0][name]
        optimizer.load_state_dict(state)
        assert optimizer.param_groups[0]["nesterov"] is False

    def test_adamw_stays_decoupled(self):
        state = Adam([leaf(1.0)]).state_dict()
        optimizer = AdamW([leaf(1.0)])
        optimizer.load_state_dict(state)
        assert optimizer.param_groups[0]["decoupled_weight_decay"] is True

    def test_other_groups(self):
        state = SGD([leaf(1.0)]).state_dict()
        two = SGD([{"params": [leaf(1.0)]}, {"params": [leaf(2.0)]}])
        with pytest.raises(ValueError, match="different number of parameter groups"):
            two.load_state_dict(state)
        with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
            SGD([leaf(1.0), leaf(2.0)]).load_state_dict(state)

    def test_names_survive_a_state_without_them(self):
        state = SGD([leaf(1.0)]).state_dict()
        named = SGD([("w", leaf(1.0))])
        named.load_state_dict(state)
        assert named.param_groups[0]["param_names"] == ["w"]

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
    def test_copies_step_by_themselves(self, copied):
        p = with_gradient(1.0)
        optimizer = SGD([p], lr=0.5, momentum=0.9)
        optimizer.step()
        other = copied(optimizer)
        twin = other.param_groups[0]["params"][0]
        assert twin is not p
        twin.grad = rushlight.ones(1, dtype=rushlight.float64)
        other.step()
        assert p.tolist() == [0.5]
        assert twin.tolist() == [0.5 - 0.5 * 1.9]


def test_an_attribute_makes_no_tensor_one_of_parts() -> None:
    """Only a class that says so (`__tensor_parts__`) is stepped by parts: names of attributes are
    the user's."""

    class Mine(rushlight.Tensor):
        pass

    p = rushlight.nn.Parameter(rushlight.ones(3).as_subclass(Mine))
    p._local_tensor = rushlight.zeros(1)  # type: ignore[attr-defined]
    for make in (SGD, Adam, rushlight.optim.Adafactor, rushlight.optim.LBFGS):
        before = p.detach().clone()
        opt = make([p], lr=0.1)  # type: ignore[operator]
        p.grad = rushlight.full((3,), 2.0).as_subclass(Mine)
        p.grad._local_tensor = rushlight.zeros(1)  # type: ignore[attr-defined]
        norm = rushlight.nn.utils.clip_grad_norm_([p], 1.0)
        assert abs(float(norm) - 12**0.5) < 1e-5
        assert (p.grad < 1).all()
        opt.step(lambda: rushlight.tensor(0.0))
        assert (p < before).all()
        opt.zero_grad(set_to_none=False)
        assert (p.grad == 0).all()


def test_gradients_are_forgotten_as_the_attribute_forgets_them() -> None:
    """Of parameters, of a tensor that has an attribute of its own, and without any."""

    class Own(rushlight.Tensor):
        asked: ClassVar[list[str]] = []

        @property
        def grad(self) -> Any:
            self.asked.append("read")
            return super().grad

        @grad.setter
        def grad(self, value: Any) -> None:
            self.asked.append("set")
            rushlight.Tensor.grad.__set__(self, value)

    own = rushlight.ones(2).as_subclass(Own).requires_grad_()
    plain = rushlight.nn.Parameter(rushlight.ones(2))
    without = rushlight.nn.Parameter(rushlight.ones(2))
    optimizer = rushlight.optim.SGD([own, plain, without], lr=0.5)
    (own * 1 + plain).sum().backward()
    Own.asked.clear()
    optimizer.step()
    assert Own.asked == ["read"]
    assert (own.tolist(), plain.tolist(), without.tolist()) == ([0.5] * 2, [0.5] * 2, [1.0] * 2)
    Own.asked.clear()
    optimizer.zero_grad()
    assert Own.asked == ["read", "set"]
    assert own.grad is plain.grad is without.grad is None
