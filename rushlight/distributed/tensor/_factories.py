"""New DTensors: `zeros`, `ones`, `empty`, `full`, `rand`, `randn` of a whole shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import dtypes
from ...autograd import no_grad
from ...errors import message
from ...layout import strided
from ...ops.create import factories
from ...ops.create.arguments import sizes_of
from ...ops.random.factories import rand as plain_rand
from ...ops.random.factories import randn as plain_randn
from ...size import Size
from ..device_mesh import DeviceMesh, _mesh_resources
from ._api import DTensor, checked
from ._dtensor_spec import DTensorSpec, TensorMeta, local_shapes
from ._special import agree, parted
from .placement_types import Placement, check_partials


def made(
    name: str, size: Any, fill: Callable[[Any, Any], Any], dtype: Any, layout: Any,
    requires_grad: bool, mesh: DeviceMesh | None, placements: Sequence[Placement] | None,
    whole: bool = False,
) -> Any:  # fmt: skip
    """The DTensor of a shape; `fill` makes this rank's part, or all of it that is then cut."""
    if layout is not None and layout is not strided:
        raise NotImplementedError(
            message(f"{name}: DTensors are strided", got=f"layout={layout!r}")
        )
    mesh = mesh or _mesh_resources.get_current_mesh()
    shape = tuple(sizes_of(size))
    where = checked(placements, mesh, len(shape))
    if len(where) != mesh.ndim:
        raise AssertionError(
            f"mesh dimension {mesh.ndim} does not match the length of placements {len(where)}"
        )
    check_partials(where)
    kind = dtype if dtype is not None else dtypes.get_default_dtype()
    with no_grad():
        if whole:
            agree(mesh)
            local = parted(fill(shape, kind), mesh, where)
        else:
            local = fill(tuple(local_shapes(shape, mesh, where)[-1]), kind)
    stride = factories.empty(shape, device="meta").stride()
    meta = TensorMeta(Size(shape), tuple(stride), local.dtype)
    return DTensor._made(local, DTensorSpec(mesh, where, meta), requires_grad)


def zeros(
    *size: Any, requires_grad: bool = False, dtype: Any = None, layout: Any = strided,
    device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
) -> DTensor:  # fmt: skip
    """Zeros of a whole shape, spread over a mesh.

    Args:
        size: the whole's shape.
        device_mesh: None: that of the `with` block.
        placements: one for each dimension of the mesh; None: the whole on each rank.

    Example, as each of two processes runs it::

        mesh = init_device_mesh("cpu", (2,))
        zeros(4, 3, device_mesh=mesh, placements=[Shard(0)]).to_local().shape   # (2, 3)
    """
    return made(  # type: ignore[no-any-return]
        "zeros", size, lambda s, d: factories.zeros(s, dtype=d), dtype, layout, requires_grad,
        device_mesh, placements,
    )  # fmt: skip


def ones(
    *size: Any, requires_grad: bool = False, dtype: Any = None, layout: Any = strided,
    device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
) -> DTensor:  # fmt: skip
    """Ones of a whole shape, spread over a mesh; arguments as of `zeros`."""
    return made(  # type: ignore[no-any-return]
        "ones", size, lambda s, d: factories.ones(s, dtype=d), dtype, layout, requires_grad,
        device_mesh, placements,
    )  # fmt: skip


def empty(
    *size: Any, requires_grad: bool = False, dtype: Any = None, layout: Any = strided,
    device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
) -> DTensor:  # fmt: skip
    """Memory of a whole shape that nothing was written to; arguments as of `zeros`."""
    return made(  # type: ignore[no-any-return]
        "empty", size, lambda s, d: factories.empty(s, dtype=d), dtype, layout, requires_grad,
        device_mesh, placements,
    )  # fmt: skip


def full(
    size: Any, fill_value: Any, *, requires_grad: bool = False, dtype: Any = None,
    layout: Any = strided, device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:  # fmt: skip
    """A whole shape of one number, spread over a mesh; arguments as of `zeros`."""
    return made(  # type: ignore[no-any-return]
        "full", (size,), lambda s, d: factories.full(s, fill_value, dtype=dtype), dtype, layout,
        requires_grad, device_mesh, placements,
    )  # fmt: skip


def rand(
    *size: Any, requires_grad: bool = False, dtype: Any = None, layout: Any = strided,
    device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
) -> DTensor:  # fmt: skip
    """Random numbers in [0, 1): those that `torch.rand` gives of the whole shape, however they lie;
    arguments as of `zeros`."""
    return made(  # type: ignore[no-any-return]
        "rand", size, lambda s, d: plain_rand(*s, dtype=d), dtype, layout, requires_grad,
        device_mesh, placements, True,
    )  # fmt: skip


def randn(
    *size: Any, requires_grad: bool = False, dtype: Any = None, layout: Any = strided,
    device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
) -> DTensor:  # fmt: skip
    """Random numbers of the normal distribution: those that `torch.randn` gives of the whole shape,
    however they lie; arguments as of `zeros`."""
    return made(  # type: ignore[no-any-return]
        "randn", size, lambda s, d: plain_randn(*s, dtype=d), dtype, layout, requires_grad,
        device_mesh, placements, True,
    )  # fmt: skip
