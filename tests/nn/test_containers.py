"""Containers: Sequential, lists and dictionaries of modules and parameters."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn


def kinds(modules: Any) -> str:
    return " ".join(type(m).__name__ for m in modules)


def test_sequential_runs_in_order() -> None:
    s = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    x = torch.ones(4, 2)
    assert torch.equal(s(x), s[2](torch.tanh(s[0](x))))


def test_sequential_is_a_list() -> None:
    s = nn.Sequential(nn.Linear(1, 1), nn.Tanh())
    s.append(nn.Sigmoid()).insert(0, nn.Identity())
    assert kinds(s) == "Identity Linear Tanh Sigmoid"
    assert kinds(s[1:3]) == "Linear Tanh"
    assert kinds([s.pop(-1), s.pop(0)]) == "Sigmoid Identity"
    assert list(s._modules) == ["0", "1"]
    s[0] = nn.Identity()
    assert kinds(s + s) == "Identity Tanh Identity Tanh"
    assert kinds(s * 2) == kinds(s + s)
    s += nn.Sequential(nn.Sigmoid())
    s *= 2
    assert len(s) == 6
    del s[1:5]
    assert kinds(s) == "Identity Sigmoid"
    assert kinds(nn.Sequential().extend([nn.Tanh()])) == "Tanh"
    with pytest.raises(IndexError, match="index 7 is out of range"):
        s[7]
    with pytest.raises(ValueError, match="supports only objects of Sequential class"):
        s + 3
    with pytest.raises(TypeError, match="unsupported operand type"):
        s * 1.5
    with pytest.raises(ValueError, match="Non-positive multiplication factor"):
        s * 0
    with pytest.raises(IndexError, match="Index out of range: 9"):
        s.insert(9, nn.Tanh())


def test_sequential_with_names() -> None:
    s = nn.Sequential(OrderedDict(a=nn.Tanh(), b=nn.Identity()))
    assert s.a is s[0]
    assert list(s[1:]._modules) == ["b"]


def test_module_list() -> None:
    m = nn.ModuleList([nn.Tanh()])
    m += [nn.Identity()]
    m.insert(1, nn.Sigmoid())
    m.extend([nn.Tanh()])
    assert kinds(m) == "Tanh Sigmoid Identity Tanh"
    assert kinds(m[::2]) == "Tanh Identity"
    del m[0]
    m[0] = nn.Linear(1, 1)
    more = [nn.Tanh()]
    assert kinds(m + more) == "Linear Identity Tanh Tanh"
    assert "0" not in dir(m)
    with pytest.raises(TypeError, match="should be called with an iterable, but got int"):
        m.extend(3)
    with pytest.raises(NotImplementedError, match="missing the required"):
        m(1)


def test_module_dict() -> None:
    d = nn.ModuleDict({"b": nn.Tanh(), "a": nn.Identity()})
    d.update([("c", nn.Sigmoid())])
    assert list(d) == ["b", "a", "c"]
    assert "a" in d
    assert kinds([d.pop("b"), d["a"]]) == "Tanh Identity"
    del d["a"]
    assert [(k, type(v).__name__) for k, v in d.items()] == [("c", "Sigmoid")]
    d.clear()
    assert len(d) == 0
    with pytest.raises(TypeError, match="iterable of key/value pairs"):
        d.update(3)
    with pytest.raises(ValueError, match="has length 1; 2 is required"):
        d.update([["x"]])


def test_parameter_list() -> None:
    p = nn.ParameterList([torch.ones(1), nn.Parameter(torch.ones(2))])
    p.append("word")
    p[0] = torch.zeros(3)
    assert [n for n, _ in p.named_parameters()] == ["0", "1"]
    assert isinstance(p[0], nn.Parameter)
    assert len(p[1:]) == 2
    assert p[-1] == "word"
    with pytest.raises(RuntimeError, match="ParameterList should not be called"):
        p()


def test_parameter_dict() -> None:
    p = nn.ParameterDict({"b": torch.ones(1), "a": torch.ones(2)})
    assert list(p) == ["a", "b"]  # a plain dict is sorted, as in PyTorch
    p["n"] = 3
    assert p.popitem() == ("n", 3)
    assert p.get("z", 7) == 7
    assert isinstance(p.setdefault("c", torch.ones(1)), nn.Parameter)
    assert list(p | nn.ParameterDict({"d": 1})) == ["a", "b", "c", "d"]
    assert len(list(p.parameters())) == 3
    assert p.copy()["a"] is p["a"]
    with pytest.raises(TypeError, match="cannot be used as a key as it is not a string"):
        p[3] = torch.ones(1)
    p.clear()
    assert len(p) == 0


def test_container_is_deprecated() -> None:
    with pytest.warns(FutureWarning, match=r"`nn.Container` is deprecated"):
        assert type(nn.Container(a=nn.Tanh()).a) is nn.Tanh
