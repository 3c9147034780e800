"""Finding what is in a tree of modules: by dotted name, or all of it in order.

Read next: `module.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..tensor import Parameter, Tensor

if TYPE_CHECKING:
    from .module import Module


class TreeMethods:
    """The methods of Module that look for submodules, parameters and buffers."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def get_submodule(self: Any, target: str) -> Module:
        """The module at a dotted path, such as ``'features.2'``; '' is the module itself.

        >>> net = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> net.get_submodule("0.0")
        ReLU()
        """
        module: Any = self
        for atom in target.split(".") if target else []:
            if not hasattr(module, atom):
                raise AttributeError(f"{module._get_name()} has no attribute `{atom}`")
            module = getattr(module, atom)
            if not isinstance(module, TreeMethods):
                raise AttributeError(f"`{atom}` is not an nn.Module")
        return module

    def set_submodule(self: Any, target: str, module: Module, strict: bool = False) -> None:
        """Replace the module at a dotted path; with `strict` there must be one.

        >>> net = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> net.set_submodule("0.0", nn.Tanh())
        >>> net[0]
        Sequential(
          (0): Tanh()
        )
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, TreeMethods):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if hasattr(parent, name):
            if not isinstance(getattr(parent, name), TreeMethods):
                raise AttributeError(f"`{name}` is not an nn.Module")
        elif strict:
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        setattr(parent, name, module)

    def get_parameter(self: Any, target: str) -> Parameter:
        """The parameter at a dotted path.

        >>> net = nn.Sequential(nn.Linear(2, 3))
        >>> net.get_parameter("0.bias").shape
        torch.Size([3])
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        param = getattr(module, name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self: Any, target: str) -> Tensor:
        """The buffer at a dotted path.

        >>> net = nn.Sequential(nn.BatchNorm1d(2))
        >>> net.get_buffer("0.running_var")
        tensor([1., 1.])
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return module._buffers[name]

    def _named_members(
        self: Any,
        get_members_fn: Callable[[Module], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def parameters(self: Any, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once; what an optimiser is given.

        Args:
            recurse: False: only those of this module itself.

        >>> sum(p.numel() for p in nn.Linear(3, 2).parameters())
        8
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their dotted names.

        Args:
            prefix: put before every name.
            recurse: False: only those of this module itself.
            remove_duplicate: False: a shared parameter comes under each of its names.

        >>> net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1, bias=False))
        >>> [(name, tuple(p.shape)) for name, p in net.named_parameters()]
        [('0.weight', (3, 2)), ('0.bias', (3,)), ('1.weight', (1, 3))]
        """
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self: Any, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once.

        >>> [b.shape for b in nn.BatchNorm1d(2).buffers()]
        [torch.Size([2]), torch.Size([2]), torch.Size([])]
        """
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their dotted names.

        >>> [name for name, _ in nn.BatchNorm1d(2).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def children(self: Any) -> Iterator[Module]:
        """The direct children, each once.

        >>> list(nn.Sequential(nn.ReLU(), nn.Tanh()).children())
        [ReLU(), Tanh()]
        """
        for _, module in self.named_children():
            yield module

    def named_children(self: Any) -> Iterator[tuple[str, Module]]:
        """The direct children with their names.

        >>> list(nn.Sequential(nn.ReLU(), nn.Tanh()).named_children())
        [('0', ReLU()), ('1', Tanh())]
        """
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self: Any, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and everything below it.

        >>> net = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> [type(module).__name__ for module in net.modules()]
        ['Sequential', 'Sequential', 'ReLU']
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self: Any, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module ('') and everything below it, with dotted names.

        >>> net = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> [name for name, _ in net.named_modules()]
        ['', '0', '0.0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)
