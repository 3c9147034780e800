"""Outputs of layers inside a model, under names of the user's choice.

Done by hooks on modules, so what can be asked for is what a module returns; torchvision's graphs
can name single operations too (`flatten`, `add`), which are refused here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ... import nn
from ...errors import message

__all__ = ["create_feature_extractor", "get_graph_node_names"]

Names = Sequence[str] | Mapping[str, str]
_NTH = re.compile(r"(.+)_(\d+)$")


class _Done(Exception):
    """All outputs are there: the rest of the forward is not needed."""


def _locate(modules: Mapping[str, nn.Module], name: str) -> tuple[str, int]:
    """The module that a node belongs to, and which of its calls is meant, from 1."""
    if name in modules:
        return name, 1
    match = _NTH.match(name)
    if match and match[1] in modules:
        return match[1], int(match[2]) + 1
    raise ValueError(
        message(
            f"node: '{name}' is not present in model",
            wanted="the name of a module; 'name_1' is its second call",
            hint="get_graph_node_names(model)",
        )
    )


def _named(names: Names) -> dict[str, str]:
    if isinstance(names, Mapping):
        return {str(node): str(key) for node, key in names.items()}
    return {str(node): str(node) for node in names}


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
        missing = {_locate(modules, node): node for node in wanted}
        found: dict[str, Any] = {}
        calls = dict.fromkeys((name for name, _ in missing), 0)

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
        for (_, call), node in missing.items():
            raise ValueError(
                message(f"node: '{node}' was not computed", f"{call - 1} calls or fewer")
            )
        return {key: found[node] for node, key in wanted.items()}


def create_feature_extractor(
    model: nn.Module,
    return_nodes: Names | None = None,
    train_return_nodes: Names | None = None,
    eval_return_nodes: Names | None = None,
    tracer_kwargs: dict[str, Any] | None = None,
    suppress_diff_warning: bool = False,
    concrete_args: dict[str, Any] | None = None,
) -> FeatureExtractor:
    """A module that runs `model` as far as needed and returns outputs of inner modules.

    Args:
        return_nodes: names of modules, or module -> key in the result. A module that is called
            several times is `name`, then `name_1`, `name_2`.
        train_return_nodes, eval_return_nodes: instead, different ones for each mode.
        tracer_kwargs, suppress_diff_warning, concrete_args: accepted and not needed, since nothing
            is traced.

    >>> net = rushlight.vision.models.resnet18()
    >>> cut = create_feature_extractor(net, {"layer1": "low", "layer2.0.relu_1": "high"})
    >>> {name: tuple(y.shape) for name, y in cut(torch.zeros(1, 3, 64, 64)).items()}
    {'low': (1, 64, 16, 16), 'high': (1, 128, 8, 8)}
    """
    if (train_return_nodes is None) != (eval_return_nodes is None):
        raise ValueError(
            "If any of `train_return_nodes` and `eval_return_nodes` are specified, then both "
            "should be specified"
        )
    if (return_nodes is None) == (train_return_nodes is None):
        raise ValueError(
            "Either `return_nodes` or `train_return_nodes` and `eval_return_nodes` together, "
            "should be specified"
        )
    train = _named(train_return_nodes if return_nodes is None else return_nodes)  # type: ignore
    evaluate = _named(eval_return_nodes if return_nodes is None else return_nodes)  # type: ignore
    modules = dict(model.named_modules())
    for name in (*train, *evaluate):
        _locate(modules, name)
    return FeatureExtractor(model, train, evaluate)


def get_graph_node_names(
    model: nn.Module,
    tracer_kwargs: dict[str, Any] | None = None,
    suppress_diff_warning: bool = False,
    concrete_args: dict[str, Any] | None = None,
) -> tuple[list[str], list[str]]:
    """Names that :func:`create_feature_extractor` takes, for training and for evaluation.

    >>> get_graph_node_names(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    (['0', '1'], ['0', '1'])
    """
    names = [name for name, _ in model.named_modules() if name]
    return names, list(names)
