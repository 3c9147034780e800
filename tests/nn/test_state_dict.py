"""state_dict and load_state_dict: keys, hooks, errors, and that a failed load changes nothing."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn


def net() -> nn.Module:
    return nn.Sequential(OrderedDict(first=nn.Linear(3, 4), norm=nn.BatchNorm1d(4)))


def arrays(module: nn.Module) -> dict[str, np.ndarray]:
    return {k: v.numpy().copy() for k, v in module.state_dict().items()}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


def test_keys_metadata_and_sharing() -> None:
    m = net()
    state = m.state_dict()
    assert list(state) == [
        "first.weight",
        "first.bias",
        "norm.weight",
        "norm.bias",
        "norm.running_mean",
        "norm.running_var",
        "norm.num_batches_tracked",
    ]
    assert state._metadata["norm"] == {"version": 2}
    assert state._metadata[""] == {"version": 1}
    assert not state["first.weight"].requires_grad
    assert state["first.weight"].data_ptr() == m.first.weight.data_ptr()
    assert m.state_dict(keep_vars=True)["first.weight"] is m.first.weight
    assert list(m.first.state_dict(prefix="x.")) == ["x.weight", "x.bias"]
    given: dict[str, Any] = {}
    assert m.state_dict(destination=given) is given


def test_positional_arguments_still_work() -> None:
    with pytest.warns(FutureWarning, match="Positional args are being deprecated"):
        assert list(nn.Linear(1, 1).state_dict(None, "p.")) == ["p.weight", "p.bias"]


def test_loading_copies() -> None:
    a, b = net(), net()
    weight = a.first.weight
    result = a.load_state_dict(b.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert a.first.weight is weight
    assert same(arrays(a), arrays(b))
    assert a.first.weight.data_ptr() != b.first.weight.data_ptr()


def test_assign_takes_the_tensors_themselves() -> None:
    a, b = nn.Linear(3, 4), nn.Linear(3, 4)
    a.weight.requires_grad_(False)
    a.load_state_dict(b.state_dict(), assign=True)
    assert a.weight.data_ptr() == b.weight.data_ptr()
    assert isinstance(a.weight, nn.Parameter)
    assert not a.weight.requires_grad
    meta = nn.Linear(3, 4, device="meta")
    meta.load_state_dict(b.state_dict(), assign=True)
    assert meta.weight.device.type == "cpu"
    meta = nn.Linear(3, 4, device="meta")
    with pytest.warns(UserWarning, match="which is a no-op"):
        meta.load_state_dict(b.state_dict())


def test_missing_unexpected_and_mismatched_keys_are_all_listed() -> None:
    m = net()
    before = arrays(m)
    state = net().state_dict()
    del state["first.bias"]
    state["what"] = torch.ones(1)
    state["norm.what"] = torch.ones(1)
    state["norm.weight"] = torch.ones(5)
    with pytest.raises(RuntimeError) as caught:
        m.load_state_dict(state)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "first.bias". \n'
        '\tUnexpected key(s) in state_dict: "what", "norm.what". \n'
        "\tsize mismatch for norm.weight: copying a param with shape torch.Size([5]) from "
        "checkpoint, the shape in current model is torch.Size([4])."
    )
    assert same(arrays(m), before)


def test_not_strict() -> None:
    m, other = net(), net()
    state = other.state_dict()
    del state["first.bias"]
    state["what"] = torch.ones(1)
    result = m.load_state_dict(state, strict=False)
    assert result.missing_keys == ["first.bias"]
    assert result.unexpected_keys == ["what"]
    np.testing.assert_array_equal(m.first.weight.detach().numpy(), state["first.weight"].numpy())
    before = arrays(m)
    state["norm.bias"] = torch.ones(9)
    with pytest.raises(RuntimeError, match=r"size mismatch for norm.bias"):
        m.load_state_dict(state, strict=False)
    assert same(arrays(m), before)


def test_wrong_kinds() -> None:
    m = nn.Linear(1, 1)
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like"):
        m.load_state_dict([1])
    with pytest.raises(RuntimeError, match=r"expected torch.Tensor or Tensor-like object"):
        m.load_state_dict({"weight": 3, "bias": torch.ones(1)})


def test_a_copy_that_fails_is_reported_by_name() -> None:
    m = nn.Module()
    m.w = nn.Parameter(torch.zeros(1).expand(3))  # one number in three places
    with pytest.raises(RuntimeError, match='While copying the parameter named "w"') as caught:
        m.load_state_dict({"w": torch.ones(3)})
    assert str(caught.value).startswith("Error(s) in loading state_dict for Module:\n\t")


def test_one_element_for_a_scalar() -> None:
    m = nn.Module()
    m.scale = nn.Parameter(torch.tensor(1.0))
    m.load_state_dict({"scale": torch.tensor([2.0])})
    assert m.scale.item() == 2.0


def test_an_override_that_reads_what_it_loaded_sees_it_and_is_undone() -> None:
    seen: list[float] = []

    class Curious(nn.Linear):
        def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
            super()._load_from_state_dict(*args, **kwargs)
            seen.append(float(self.weight.detach().sum()))

    m = nn.Sequential(Curious(2, 2), nn.Linear(2, 2))
    before = arrays(m)
    state = {k: torch.ones_like(v) for k, v in m.state_dict().items()}
    bad = dict(state, **{"1.bias": torch.ones(3)})
    with pytest.raises(RuntimeError, match=r"size mismatch for 1.bias"):
        m.load_state_dict(bad)
    assert seen == [4.0]
    assert same(arrays(m), before)
    m.load_state_dict(state)
    assert seen == [4.0, 4.0]


def test_called_by_hand_it_loads_at_once() -> None:
    m = nn.Linear(2, 2)
    ones = {k: torch.ones_like(v) for k, v in m.state_dict().items()}
    missing: list[str] = []
    m._load_from_state_dict(ones, "", {}, True, missing, [], [])
    assert not missing
    assert float(m.weight.detach().sum()) == 4.0


def test_state_dict_hooks() -> None:
    m = net()
    calls: list[str] = []
    m.register_state_dict_pre_hook(lambda module, prefix, keep: calls.append(f"pre{prefix}{keep}"))

    def post(module: Any, state: Any, prefix: str, metadata: Any) -> None:
        state[prefix + "extra"] = torch.ones(1)

    handle = m.register_state_dict_post_hook(post)
    m.first._register_state_dict_hook(
        lambda module, state, prefix, metadata: OrderedDict(
            (k, v) for k, v in state.items() if not k.endswith("bias")
        )
    )
    assert "extra" in m.state_dict()
    assert calls == ["preFalse"]
    handle.remove()
    assert "extra" not in m.state_dict()
    with pytest.raises(RuntimeError, match="previously registered via register_state_dict_post"):
        m._register_state_dict_hook(post)
    m.register_state_dict_post_hook(lambda *a: {})
    with pytest.raises(RuntimeError, match="post-hook must return None"):
        m.state_dict()


def test_pre_hook_renames_old_keys() -> None:
    m = nn.Linear(2, 2)
    state = {"old": torch.ones(2, 2), "bias": torch.zeros(2)}

    def rename(module: Any, state: Any, prefix: str, *rest: Any) -> None:
        assert module is m
        state[prefix + "weight"] = state.pop(prefix + "old")

    m.register_load_state_dict_pre_hook(rename)
    m.load_state_dict(state)
    assert float(m.weight.detach().sum()) == 4
    assert "old" in state  # the caller's dictionary stays as it was


def test_post_hook_may_forgive_missing_keys_and_sees_loaded_values() -> None:
    m = nn.Linear(2, 2)
    seen: list[float] = []

    def forgive(module: Any, keys: Any) -> None:
        seen.append(float(module.weight.detach().sum()))
        keys.missing_keys.clear()

    handle = m.register_load_state_dict_post_hook(forgive)
    m.load_state_dict({"weight": torch.ones(2, 2)})
    assert seen == [4.0]
    handle.remove()
    before = arrays(m)
    m.register_load_state_dict_post_hook(lambda module, keys: None)
    with pytest.raises(RuntimeError, match=r'Missing key.s. in state_dict: "bias"'):
        m.load_state_dict({"weight": torch.zeros(2, 2)})
    assert same(arrays(m), before)


def test_extra_state() -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = 0

        def get_extra_state(self) -> Any:
            return {"count": self.count}

        def set_extra_state(self, state: Any) -> None:
            self.count = state["count"]

    a, b = nn.Sequential(Counter()), nn.Sequential(Counter())
    a[0].count = 5
    state = a.state_dict()
    assert state == {"0._extra_state": {"count": 5}}
    b.load_state_dict(state)
    assert b[0].count == 5
    with pytest.raises(RuntimeError, match=r"Unexpected key.s. in state_dict: \"0._extra_state\""):
        nn.Sequential(nn.Identity()).load_state_dict(state)
    with pytest.raises(RuntimeError, match="Missing key"):
        b.load_state_dict({})


def test_batch_norm_without_a_count_is_an_old_file() -> None:
    m = nn.BatchNorm1d(2)
    state = OrderedDict((k, v) for k, v in m.state_dict().items() if "num_batches" not in k)
    m.load_state_dict(state)
    versioned = copy.copy(state)
    versioned._metadata = {"": {"version": 2}}  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="num_batches_tracked"):
        m.load_state_dict(versioned)


def test_lazy_layers_take_their_shape_from_the_state() -> None:
    source = nn.Linear(3, 4)
    lazy = nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 1))
    state = {f"0.{k}": v for k, v in source.state_dict().items()}
    with pytest.raises(RuntimeError, match="Missing"):
        lazy.load_state_dict(state)
    assert nn.parameter.is_lazy(lazy[0].weight)  # as before
    lazy[0].load_state_dict(source.state_dict())
    assert lazy[0].weight.shape == (4, 3)
    assert lazy(torch.ones(1, 3)).shape == (1, 1)
    assert type(lazy[0]) is nn.Linear


def test_a_prefix_that_is_too_much_or_missing_is_named() -> None:
    plain, wrapped = net(), nn.DataParallel(net())
    with pytest.raises(RuntimeError, match="Missing key") as caught:
        plain.load_state_dict(wrapped.state_dict())
    assert (
        "consume_prefix_in_state_dict_if_present(state_dict, 'module.')"
        in (caught.value.__notes__[0])
    )
    with pytest.raises(RuntimeError, match="Missing key") as caught:
        wrapped.load_state_dict(plain.state_dict())
    assert "model.module.load_state_dict" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="Missing key") as caught:
        plain.load_state_dict(nn.Linear(1, 1).state_dict())
    assert not hasattr(caught.value, "__notes__")


def test_prefix_tool() -> None:
    state = nn.DataParallel(nn.Linear(1, 1)).state_dict()
    assert list(state) == ["module.weight", "module.bias"]
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["weight", "bias"]
    assert "module" not in state._metadata
