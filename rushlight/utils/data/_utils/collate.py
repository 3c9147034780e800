"""Collation: a list of samples becomes one batch of the same structure.

Not here: where the samples come from (`dataloader.py`).
"""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ....errors import message
from ....tensor import Tensor

CollateMap = dict[type | tuple[type, ...], Callable[..., Any]]

_FOUND = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_collate(batch: Any) -> Any:
    """Stack a list of samples: tensors and arrays along a new first dimension, numbers to a tensor.

    Mappings, named tuples, tuples and lists are taken apart, and text stays a list.

    >>> default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """The same with a table of functions `f(batch, *, collate_fn_map)`, one a type of sample."""
    first = batch[0]
    cls = type(first)
    if collate_fn_map is not None:
        function = collate_fn_map.get(cls)
        if function is None:
            function = next(
                (f for kind, f in collate_fn_map.items() if isinstance(first, kind)), None
            )
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)

    def part(samples: Any) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        try:
            columns = {key: [d[key] for d in batch] for key in first}
        except KeyError as error:
            error.add_note(f"  wanted  the keys of the batch's first sample, {list(first)}, in all")
            raise
        return _mapping_like(first, {key: part(column) for key, column in columns.items()})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return cls(*(part(samples) for samples in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            lengths = [len(sample) for sample in batch]
            raise RuntimeError(
                message(
                    "each element in list of batch should be of equal size",
                    got=f"lengths {lengths[:8]}",
                    hint="a collate_fn: nn.utils.rnn.pad_sequence([torch.tensor(s) for s in ...])",
                )
            )
        parts = [part(samples) for samples in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else _sequence_like(first, parts)
    raise _uncollated(first, cls)


def _uncollated(sample: Any, found: Any) -> TypeError:
    """The error of a sample that no batch can be made of."""
    hint = "a collate_fn of your own: DataLoader(..., collate_fn=lambda samples: ...)"
    if sample is None:
        hint = "a return in __getitem__; or a collate_fn that leaves the samples out that are None"
    elif hasattr(sample, "getbands"):  # pillow's images
        hint = "transforms.ToTensor() on the image, in the data set"
    elif isinstance(sample, np.ndarray):
        hint = "numbers in place of text and objects, or the array as a list"
    return TypeError(message(_FOUND.format(found), hint=hint))


def _unequal(shapes: list[tuple[int, ...]]) -> RuntimeError:
    """The error of samples that have not one shape."""
    at = next(i for i, shape in enumerate(shapes) if shape != shapes[0])
    first, other = shapes[0], shapes[at]
    hint = "a collate_fn that pads them, or batch_size=1"
    if len(first) == len(other) == 3 and first[0] in (1, 3, 4) and other[0] in (1, 3, 4):
        hint = "transforms.Resize((h, w)) for images of several sizes"
        if first[0] != other[0]:
            hint = "image.convert('RGB') in the data set, as some images have no or more colours"
    elif first[1:] == other[1:]:
        hint = "collate_fn=nn.utils.rnn.pad_sequence (or one that calls it), which pads with zeros"
    return RuntimeError(
        message(
            f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
            f"{list(other)} at entry {at}",
            got=f"samples 0 and {at} of one batch",
            hint=hint,
        )
    )


def default_convert(data: Any) -> Any:
    """Turn the arrays and NumPy numbers inside `data` into tensors, and leave the rest as it is.

    >>> default_convert({"x": np.array([1.0]), "name": "a"})
    {'x': tensor([1.], dtype=torch.float64), 'name': 'a'}
    """
    import rushlight

    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic):
        if isinstance(data, np.str_ | np.bytes_):
            return data
        if isinstance(data, np.ndarray) and data.dtype.kind in "SUO":
            return data
        return rushlight.as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple):
        parts = [default_convert(d) for d in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _sequence_like(data, [default_convert(d) for d in data])
    return data


def _mapping_like(example: Any, items: dict[Any, Any]) -> Any:
    """A mapping of the class of `example`, with whatever else the class carries; or a dict."""
    try:
        if isinstance(example, MutableMapping):
            clone = copy.copy(example)
            clone.update(items)
            return clone
        return type(example)(items)  # type: ignore[call-arg]
    except TypeError:
        return items


def _sequence_like(example: Any, items: list[Any]) -> Any:
    """A sequence of the class of `example`, with whatever else the class carries; or a list."""
    try:
        if isinstance(example, MutableSequence):
            clone = copy.copy(example)
            for i, item in enumerate(items):
                clone[i] = item
            return clone
        return type(example)(items)  # type: ignore[call-arg]
    except TypeError:
        return items


def collate_tensor_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Stack tensors."""
    import rushlight

    first = batch[0]
    if first.__class__ is Tensor and first._a.__class__ is np.ndarray and first._a.ndim:
        # The usual case by the shortest way: plain samples of one shape lie one after another.
        shape, dtype = first._a.shape, first._a.dtype
        if all(
            t.__class__ is Tensor
            and t._fn is None
            and t._a.__class__ is np.ndarray
            and t._a.shape == shape
            and t._a.dtype == dtype
            for t in batch
        ):
            stacked = np.concatenate([t._a for t in batch]).reshape((len(batch), *shape))
            return Tensor._wrap(stacked)  # type: ignore[no-any-return]
    shapes = [tuple(t.shape) for t in batch if isinstance(t, Tensor)]
    if len(set(shapes)) > 1:
        raise _unequal(shapes)
    return rushlight.stack(list(batch), 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Stack arrays as tensors."""
    import rushlight

    if batch[0].dtype.kind in "SUO":
        raise _uncollated(batch[0], batch[0].dtype)
    return collate([rushlight.as_tensor(a) for a in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """One tensor of NumPy numbers."""
    import rushlight

    return rushlight.as_tensor(np.array(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """One float64 tensor of Python floats."""
    return Tensor._wrap(np.array(batch, np.float64))  # type: ignore[no-any-return]


def collate_int_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """One tensor of Python ints."""
    import rushlight

    if all(type(i) is int for i in batch):
        with contextlib.suppress(OverflowError):  # the general way says what is wrong
            return Tensor._wrap(np.array(batch, np.int64))  # type: ignore[no-any-return]
    return rushlight.tensor(list(batch))  # type: ignore[operator]


def collate_str_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Text and bytes stay as they are."""
    return batch


default_collate_fn_map: CollateMap = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


np_str_obj_array_pattern = re.compile(r"[SaUO]")  # the NumPy types that no tensor has
default_collate_err_msg_format = _FOUND
