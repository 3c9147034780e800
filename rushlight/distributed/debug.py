"""How much is checked and said while collectives run: TORCH_DISTRIBUTED_DEBUG, as PyTorch has it.

The level is kept and told. Every call is checked here whatever the level is (decision 0039), so
that OFF loses nothing and DETAIL adds nothing.
"""

from __future__ import annotations

import enum
import os

from ..errors import message


class DebugLevel(enum.Enum):
    """OFF, INFO or DETAIL.

    >>> import rushlight.distributed as dist
    >>> dist.DebugLevel.INFO.value
    1
    """

    OFF = 0
    INFO = 1
    DETAIL = 2


_level: list[DebugLevel | None] = [None]


def get_debug_level() -> DebugLevel:
    """The level that was set, or that of the variable TORCH_DISTRIBUTED_DEBUG.

    >>> import rushlight.distributed as dist
    >>> dist.get_debug_level()
    <DebugLevel.OFF: 0>
    """
    if _level[0] is None:
        set_debug_level_from_env()
    found = _level[0]
    assert found is not None
    return found


def set_debug_level(level: DebugLevel) -> None:
    """Set it.

    >>> import rushlight.distributed as dist
    >>> dist.set_debug_level(dist.DebugLevel.OFF)
    """
    if not isinstance(level, DebugLevel):
        raise TypeError(message("set_debug_level", repr(level), "a torch.distributed.DebugLevel"))
    _level[0] = level


def set_debug_level_from_env() -> None:
    """Set it to what TORCH_DISTRIBUTED_DEBUG says.

    Raises:
        ValueError: another word than OFF, INFO and DETAIL.

    >>> import rushlight.distributed as dist
    >>> dist.set_debug_level_from_env()
    """
    word = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper() or "OFF"
    if word not in DebugLevel.__members__:
        raise ValueError(
            message(
                "The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.", repr(word)
            )
        )
    _level[0] = DebugLevel[word]
