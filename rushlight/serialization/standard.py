"""Simple classes of the standard library that programs put into checkpoints.

Allowed with `load(..., weights_only=False)`: arguments of a command line, times, paths. As in
`values.py`, each function checks the types of what a file gives it.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import decimal
import fractions
import functools
import pathlib
import types
import uuid
from collections.abc import Callable
from typing import Any

from .unpickler import Known, broken
from .values import names_and_values


def _attributes(target: Any, state: Any) -> None:
    target.__dict__.update(names_and_values(state))


def _plain(make: Callable[..., Any], *kinds: type) -> Callable[..., Any]:
    def of_plain(*args: Any) -> Any:
        if not all(isinstance(a, kinds) for a in args):
            raise broken(f"a {make.__name__} is made of the wrong values")
        return make(*args)

    return of_plain


def _deque(items: Any = (), longest: Any = None) -> Any:
    if items != () or not (longest is None or type(longest) is int):
        raise broken("a deque is malformed")
    return collections.deque(maxlen=longest)


def _partial_state(target: Any, state: Any) -> None:
    function, args, keywords, fields = state
    if type(args) is not tuple or type(keywords) is not dict or not callable(function):
        raise broken("a partial function is malformed")
    target.__setstate__((function, args, keywords, fields and names_and_values(fields)))


def _uuid_state(target: Any, state: Any) -> None:
    number = names_and_values(state).get("int")
    if type(number) is not int or not 0 <= number < 2**128:
        raise broken("a UUID is malformed")
    target.__setstate__({"int": number})


_TIMES = (int, bytes, str, datetime.tzinfo, datetime.timedelta)
_ENTRIES = {
    "argparse.Namespace": Known(argparse.Namespace, new=argparse.Namespace, build=_attributes),
    "types.SimpleNamespace": Known(
        types.SimpleNamespace, call=_plain(types.SimpleNamespace), build=_attributes
    ),
    "collections.deque": Known(collections.deque, call=_deque, new=_deque),
    "datetime.datetime": Known(datetime.datetime, call=_plain(datetime.datetime, *_TIMES)),
    "datetime.date": Known(datetime.date, call=_plain(datetime.date, *_TIMES)),
    "datetime.time": Known(datetime.time, call=_plain(datetime.time, *_TIMES)),
    "datetime.timedelta": Known(datetime.timedelta, call=_plain(datetime.timedelta, int)),
    "datetime.timezone": Known(datetime.timezone, call=_plain(datetime.timezone, *_TIMES)),
    "decimal.Decimal": Known(decimal.Decimal, call=_plain(decimal.Decimal, str)),
    "fractions.Fraction": Known(fractions.Fraction, call=_plain(fractions.Fraction, int)),
    "uuid.UUID": Known(uuid.UUID, new=lambda: uuid.UUID.__new__(uuid.UUID), build=_uuid_state),
    "functools.partial": Known(
        functools.partial, call=lambda function: functools.partial(function), build=_partial_state
    ),
}
for _name in ("Path", "PosixPath", "WindowsPath"):  # one of the other system is read as this one's
    _ENTRIES[f"pathlib.{_name}"] = Known(pathlib.Path, call=_plain(pathlib.Path, str))
for _pure in (pathlib.PurePath, pathlib.PurePosixPath, pathlib.PureWindowsPath):
    _ENTRIES[f"pathlib.{_pure.__name__}"] = Known(_pure, call=_plain(_pure, str))


def entry(module: str, name: str) -> Known | None:
    """The entry of `module.name`, or None."""
    module = "pathlib" if module == "pathlib._local" else module
    return _ENTRIES.get(f"{module}.{name}")
