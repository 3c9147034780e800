"""How a layer is spread: what is cut of its parameters, how its inputs and outputs lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ....nn.module import Module
from ....nn.modules.linear import Linear
from ....nn.modules.sparse import Embedding
from ....nn.parameter import Parameter
from ....tensor import Tensor
from ...device_mesh import DeviceMesh
from .._api import DTensor, distribute_tensor
from .._modules import distribute_module
from ..placement_types import Placement, Replicate, Shard

Layouts = Placement | tuple[Placement | None, ...] | None


class ParallelStyle(ABC):
    """How a module is spread over a mesh; `parallelize_module` calls `_apply`."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module: ...

    def _put(self, module: Module, name: str, mesh: DeviceMesh, where: Placement) -> None:
        """Replace a parameter by its part."""
        p: Any = module._parameters[name]
        if p is not None and not isinstance(p, DTensor):
            part = distribute_tensor(p, mesh, [where], src_data_rank=self.src_data_rank)
            module.register_parameter(name, Parameter(part, p.requires_grad))


def spread(x: Any, mesh: DeviceMesh, now: Placement | None, then: Placement | None) -> Any:
    """A tensor that lies like `now`, or a DTensor, brought to lie like `then`."""
    if not isinstance(x, DTensor):
        x = DTensor.from_local(x, mesh, (now,))  # type: ignore[arg-type]
    if then is not None and x.placements != (then,):
        x = x.redistribute(placements=(then,))
    return x


class _Cut(ParallelStyle):
    """What ColwiseParallel and RowwiseParallel have in common."""

    # class of layer -> (how each parameter is cut, how the input must lie)
    _known: dict[type, tuple[dict[str, Placement], Placement]]

    def __init__(self, now: Placement, out: Placement, use_local_output: bool) -> None:
        self.input_layouts: tuple[Placement, ...] = (now,)
        self.output_layouts: tuple[Placement, ...] = (out,)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        known = next((v for k, v in self._known.items() if isinstance(module, k)), None)
        if known is None:
            raise NotImplementedError(
                f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!"
            )
        cuts, wanted = known
        self.desired_input_layouts = (wanted,)

        def partition(name: str, part: Module, mesh: DeviceMesh) -> None:
            for key, where in cuts.items():
                if key in part._parameters:
                    self._put(part, key, mesh, where)

        def enter(m: Module, inputs: Any, mesh: DeviceMesh) -> Any:
            return (spread(inputs[0], mesh, self.input_layouts[0], wanted), *inputs[1:])

        def leave(m: Module, out: Any, mesh: DeviceMesh) -> Any:
            y = out.redistribute(placements=self.output_layouts)
            return y.to_local() if self.use_local_output else y

        return distribute_module(module, device_mesh, partition, enter, leave)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(input_layouts={self.input_layouts}, "
            f"output_layouts={self.output_layouts}, use_local_output={self.use_local_output})"
        )


class ColwiseParallel(_Cut):
    """Each rank has some of a layer's outputs: rows of `nn.Linear`'s weight and of its bias,
    columns of `nn.Embedding`'s table.

    Args:
        input_layouts: how a plain input lies; None: replicated.
        output_layouts: how the output is to lie; None: cut along its last dimension.
        use_local_output: whether a plain tensor comes out, this rank's part.

    Raises:
        NotImplementedError: another layer.
    """

    _known = {  # noqa: RUF012
        Linear: ({"weight": Shard(0), "bias": Shard(0)}, Replicate()),
        Embedding: ({"weight": Shard(1)}, Replicate()),
    }

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        out = output_layouts or Shard(-1)
        super().__init__(input_layouts or Replicate(), out, use_local_output)


class RowwiseParallel(_Cut):
    """Each rank has some of a layer's inputs: columns of `nn.Linear`'s weight, rows of
    `nn.Embedding`'s table. What the ranks compute is added up.

    Args:
        input_layouts: how a plain input lies; None: cut along its last dimension (the indices of an
            embedding are given as `Replicate()`).
        output_layouts: how the output is to lie; None: replicated.
        use_local_output: whether a plain tensor comes out.

    Raises:
        NotImplementedError: another layer.
    """

    _known = {  # noqa: RUF012
        Linear: ({"weight": Shard(1), "bias": Replicate()}, Shard(-1)),
        Embedding: ({"weight": Shard(0)}, Replicate()),
    }

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        out = output_layouts or Replicate()
        super().__init__(input_layouts or Shard(-1), out, use_local_output)


class SequenceParallel(ParallelStyle):
    """A layer whose parameters every rank has, on parts of the sequence: normalisation, dropout.

    Args:
        sequence_dim: the dimension of the sequence in the input.
        use_local_output: whether a plain tensor comes out; else a DTensor cut along the sequence.

    Parameters are taken as they are on each rank: they must be the same, as ones and zeros are.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_sharding = (Shard(sequence_dim),)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        def replicate(name: str, part: Module, mesh: DeviceMesh) -> None:
            for key, p in list(part._parameters.items()):
                if p is not None and not isinstance(p, DTensor):
                    same = DTensor.from_local(p.detach(), mesh, [Replicate()])
                    part.register_parameter(key, Parameter(same, p.requires_grad))

        def enter(m: Module, inputs: Any, mesh: DeviceMesh) -> Any:
            if not isinstance(inputs[0], Tensor):
                raise ValueError(
                    f"expecting input of {m} to be a torch.Tensor or DTensor, but got {inputs[0]}"
                )
            cut = self.sequence_sharding[0]
            return (spread(inputs[0], mesh, cut, cut), *inputs[1:])

        def leave(m: Module, out: Any, mesh: DeviceMesh) -> Any:
            return out.to_local() if self.use_local_output else out

        return distribute_module(module, device_mesh, replicate, enter, leave)

    def __repr__(self) -> str:
        return (
            f"SequenceParallel(sequence_dim={self.sequence_sharding[0].dim}, "
            f"use_local_output={self.use_local_output})"
        )


def several(layouts: Layouts) -> tuple[Placement | None, ...] | None:
    return (layouts,) if isinstance(layouts, Placement) else layouts


class PrepareModuleInput(ParallelStyle):
    """What a module is called with becomes DTensors that lie as they are to.

    Args:
        input_layouts: how each input lies, in their order; None: leave that input alone.
        desired_input_layouts: how each is to lie.
        input_kwarg_layouts, desired_input_kwarg_layouts: the same by name.
        use_local_output: whether the module gets plain tensors, this rank's parts.

    Raises:
        AssertionError: other numbers of layouts and of desired ones.
        ValueError: the module is called with another number of inputs.
    """

    def __init__(
        self,
        *,
        input_layouts: Layouts = None,
        desired_input_layouts: Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ) -> None:
        self.input_layouts = several(input_layouts)
        self.desired_input_layouts = several(desired_input_layouts)
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError(
                    "input_layouts and desired_input_layouts should have same length!"
                )
        self.with_kwargs = input_kwarg_layouts is not None
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        same = len(self.input_kwarg_layouts) == len(self.desired_input_kwarg_layouts)
        if self.with_kwargs and not same:
            raise AssertionError(
                "input_kwarg_layouts and desired_input_kwarg_layouts should have same length!"
            )

    def _one(self, x: Any, mesh: DeviceMesh, now: Any, then: Any) -> Any:
        if now is None:
            return x
        if not isinstance(x, Tensor):
            raise AssertionError("expecting input to be a torch.Tensor!")
        x = spread(x, mesh, now, None if then == now else then)
        return x.to_local() if self.use_local_output else x

    def _inputs(self, inputs: Any, mesh: DeviceMesh) -> Any:
        if self.input_layouts is None:
            return inputs
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        if len(inputs) != len(self.input_layouts):
            raise ValueError("module inputs and input_layouts should have same length!")
        pairs = zip(inputs, self.input_layouts, self.desired_input_layouts or (), strict=True)
        return tuple([self._one(x, mesh, now, then) for x, now, then in pairs])

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        def with_names(m: Module, inputs: Any, kw: dict[str, Any]) -> Any:
            now, then = self.input_kwarg_layouts, self.desired_input_kwarg_layouts
            named = {k: self._one(v, device_mesh, now.get(k), then.get(k)) for k, v in kw.items()}
            return self._inputs(inputs, device_mesh), named

        if self.with_kwargs:
            module.register_forward_pre_hook(with_names, with_kwargs=True)
        else:
            module.register_forward_pre_hook(lambda m, x: self._inputs(x, device_mesh))
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleInput(input_layouts={self.input_layouts}, "
            f"desired_input_layouts={self.desired_input_layouts}, "
            f"input_kwarg_layouts={self.input_kwarg_layouts}, "
            f"desired_input_kwarg_layouts={self.desired_input_kwarg_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleOutput(ParallelStyle):
    """What a module gives becomes DTensors that lie as they are to.

    Args:
        output_layouts: how each output lies; None: leave it alone.
        desired_output_layouts: how each is to lie.
        use_local_output: whether plain tensors come out, this rank's parts.

    Raises:
        AssertionError: other numbers of layouts and of desired ones.
        ValueError: the module gives another number of outputs.
    """

    def __init__(
        self,
        *,
        output_layouts: Layouts,
        desired_output_layouts: Layouts,
        use_local_output: bool = True,
    ) -> None:
        self.output_layouts = several(output_layouts) or ()
        self.desired_output_layouts = several(desired_output_layouts) or ()
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError(
                "output_layouts and desired_output_layouts should have same length!"
            )

    def _outputs(self, out: Any, mesh: DeviceMesh) -> Any:
        outs = out if isinstance(out, tuple) else (out,)
        if len(outs) != len(self.output_layouts):
            raise ValueError("module outputs and output_layouts should have same length!")
        made = []
        layouts = zip(self.output_layouts, self.desired_output_layouts, strict=True)
        for x, (now, then) in zip(outs, layouts, strict=True):
            if now is not None:
                x = spread(x, mesh, now, None if then == now else then)
                x = x.to_local() if self.use_local_output else x
            made.append(x)
        return made[0] if len(made) == 1 else tuple(made)

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        module.register_forward_hook(lambda m, inputs, out: self._outputs(out, device_mesh))
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleOutput(output_layouts={self.output_layouts}, "
            f"desired_output_layouts={self.desired_output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleInputOutput(ParallelStyle):
    """`PrepareModuleInput` and `PrepareModuleOutput` together, with their arguments; of the inputs
    `use_local_input` says whether they are plain tensors."""

    def __init__(
        self,
        *,
        input_layouts: Layouts = None,
        desired_input_layouts: Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_input: bool = False,
        output_layouts: Layouts,
        desired_output_layouts: Layouts,
        use_local_output: bool = True,
    ) -> None:
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts,
            desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        self.prepare_module_input._apply(module, device_mesh)
        return self.prepare_module_output._apply(module, device_mesh)

    def __repr__(self) -> str:
        a, b = self.prepare_module_input, self.prepare_module_output
        return (
            f"PrepareModuleInputOutput(input_layouts={a.input_layouts}, "
            f"desired_input_layouts={a.desired_input_layouts}, "
            f"input_kwarg_layouts={a.input_kwarg_layouts}, "
            f"desired_input_kwarg_layouts={a.desired_input_kwarg_layouts}, "
            f"use_local_input={a.use_local_output}, output_layouts={b.output_layouts}, "
            f"desired_output_layouts={b.desired_output_layouts}, "
            f"use_local_output={b.use_local_output})"
        )
