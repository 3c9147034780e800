"""Named results: the tuples that `max(x, dim)`, `sort`, `topk` or `linalg.svd` return.

`return_type("max", ("values", "indices"))` makes (or finds) the class. The classes behave as
PyTorch's structseqs: they are tuples, are built from one sequence, have the fields as read-only
attributes, print as `torch.return_types.max(...)` and pickle. They are also reachable as attributes
of this module (`return_types.max`). The ops that return them are elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

__all__ = ["ReturnType", "all_return_types", "return_type"]

_types: dict[str, type[ReturnType]] = {}


class ReturnType(tuple):
    """The base of all named results; `fields` holds the names in order."""

    __slots__ = ()
    fields: tuple[str, ...] = ()
    __match_args__: tuple[str, ...] = ()
    n_fields = n_sequence_fields = n_unnamed_fields = 0

    def __new__(cls, values: Iterable[Any], _extra: dict[str, Any] | None = None) -> ReturnType:
        if values.__class__ is not tuple and not isinstance(values, Iterable):
            raise TypeError("constructor requires a sequence")
        self = super().__new__(cls, values)
        if len(self) != len(cls.fields):
            raise TypeError(
                f"torch.return_types.{cls.__name__}() takes a {len(cls.fields)}-sequence "
                f"({len(self)}-sequence given)"
            )
        return self

    def __repr__(self) -> str:
        body = ",\n".join(
            f"{name}={value!r}" for name, value in zip(self.fields, self, strict=True)
        )
        return f"torch.return_types.{type(self).__name__}(\n{body})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self).__name__, self.fields, tuple(self))


def return_type(name: str, fields: tuple[str, ...]) -> type[ReturnType]:
    """The named-tuple class `torch.return_types.<name>` with these fields, made on first use."""
    found = _types.get(name)
    if found is not None:
        if found.fields != tuple(fields):
            raise TypeError(f"return type {name} exists with fields {found.fields}, not {fields}")
        return found
    body: dict[str, Any] = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    body |= {
        "__slots__": (),
        "__module__": "torch.return_types",
        "fields": tuple(fields),
        "__match_args__": tuple(fields),
        "n_fields": len(fields),
        "n_sequence_fields": len(fields),
    }
    made = _types[name] = type(name, (ReturnType,), body)
    return made


def all_return_types() -> list[type[ReturnType]]:
    """Every class made so far."""
    return list(_types.values())


def _rebuild(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> ReturnType:
    return return_type(name, fields)(values)


def __getattr__(name: str) -> type[ReturnType]:
    try:
        return _types[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
