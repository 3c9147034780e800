"""A version string that compares as a version: `"2.13.0" >= (2, 9)` and `>= "2.9"` are true."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

__all__ = ["TorchVersion"]

# Stages before a release sort below it, a local part (after +) above.
STAGES = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "rc": -1, "c": -1}


def key(version: Any) -> tuple[Any, ...]:
    """What to compare: release numbers without trailing zeros, the stage, the local part.

    >>> key("2.13.0") > key("2.9.1"), key("2.13.0a0+git1") < key((2, 13)), key("1.0") == key("1")
    (True, True, True)
    """
    if isinstance(version, Iterable) and not isinstance(version, str):
        version = ".".join(str(part) for part in version)
    if not isinstance(version, str):
        raise ValueError(f"Invalid version: {version!r}")
    public, _, local = version.strip().lower().partition("+")
    match = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:[._-]?([a-z]+)[._-]?(\d*))?.*", public)
    if match is None:
        raise ValueError(f"Invalid version: {version!r}")
    release = [int(part) for part in match[1].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    stage = (STAGES.get(match[2], 0), int(match[3] or 0)) if match[2] else (0, 0)
    return tuple(release), stage, local


class TorchVersion(str):
    """A `str` that compares with strings and tuples by the numbers in it.

    >>> version = TorchVersion("2.13.0")
    >>> version >= (2, 9), version > "2.9", version.split(".")
    (True, True, ['2', '13', '0'])
    """

    __slots__ = ()

    def _compare(self, other: Any) -> int | None:
        try:
            own, their = key(str(self)), key(other)
        except ValueError:
            return None
        return (own > their) - (own < their)

    def __lt__(self, other: Any) -> bool:
        found = self._compare(other)
        return str.__lt__(self, other) if found is None else found < 0

    def __le__(self, other: Any) -> bool:
        found = self._compare(other)
        return str.__le__(self, other) if found is None else found <= 0

    def __gt__(self, other: Any) -> bool:
        found = self._compare(other)
        return str.__gt__(self, other) if found is None else found > 0

    def __ge__(self, other: Any) -> bool:
        found = self._compare(other)
        return str.__ge__(self, other) if found is None else found >= 0

    def __eq__(self, other: object) -> bool:
        found = self._compare(other)
        return str.__eq__(self, other) if found is None else found == 0

    __hash__ = str.__hash__
