"""Outputs of inner modules by hooks: for models that cannot be traced.

What can be asked for is what a module returns; `feature_extraction.py` can name single operations
of the models that it can trace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ... import nn
from ...errors import message

_NTH = re.compile(r"(.+)_(\d+)$")


class _Done(Exception):
    """All outputs are there: the rest of the forward is not needed."""


def locate(modules: Mapping[str, nn.Module], name: str) -> tuple[str, int] | None:
    """The module that a node belongs to, and which of its calls is meant, from 1."""
    if name in modules:
        return name, 1
    match = _NTH.match(name)
    if match and match[1] in modules:
        return match[1], int(match[2]) + 1
    return None


class FeatureExtractor(nn.Module):
    """A model that returns what some of its modules gave, as a dictionary.

    It shares all parameters and submodules with the model, under the same names.
    """

    def __init__(self, model: nn.Module, train: dict[str, str], evaluate: dict[str, str]) -> None:
        super().__init__()
        # Not an attribute of the usual kind, which would register the model as a child.
        self.__dict__["model"] = model
        self.__dict__.update(
            _parameters=model._parameters, _buffers=model._buffers, _modules=model._modules
        )
        self.training = model.training
        self.return_nodes = {True: train, False: evaluate}

    def train(self, mode: bool = True) -> FeatureExtractor:
        self.__dict__["model"].train(mode)
        self.training = mode
        return self

    def forward(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        model = self.__dict__["model"]
        wanted = self.return_nodes[self.training]
        modules = dict(model.named_modules())
        missing = {locate(modules, node): node for node in wanted}
        found: dict[str, Any] = {}
        calls = dict.fromkeys((place[0] for place in missing if place is not None), 0)

        def hook_of(name: str) -> Any:
            def hook(_module: nn.Module, _args: Any, output: Any) -> None:
                calls[name] += 1
                node = missing.pop((name, calls[name]), None)
                if node is not None:
                    found[node] = output
                if not missing:
                    raise _Done

            return hook

        # The hooks live for one run, so that copies and other users of the model see none.
        handles = [modules[name].register_forward_hook(hook_of(name)) for name in calls]
        try:
            model(*args, **kwargs)
        except _Done:
            pass
        finally:
            for handle in handles:
                handle.remove()
        for node in missing.values():
            raise ValueError(message(f"node: '{node}' was not computed", "fewer calls of it"))
        return {key: found[node] for node, key in wanted.items()}
