"""Where a loader is in its data, as a dict that can be saved, and the way back there.

A pass is repeated from its beginning as far as the *order* goes, without reading data: what random
generators the sampler draws from was noted when the pass began, so the same order is drawn again
and the indices of the batches handed out before are left out. Batches that workers had prepared but
the program had not been given do not count. A stream is asked for its own state
(`state_dict`, of its iterator or of the data set), or else read and left out.

Read next: `iterators.py`, which keeps a `Progress`.
"""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....blocks import contextmanager
from ....errors import message
from ....random import Generator, default_generator
from .. import distributed, sampler

VERSION = 1


@dataclass(slots=True)
class Share:
    """What one worker has given of a stream, or of a data set that tells its state."""

    yielded: int = 0
    state: Any = None


@dataclass(slots=True)
class Progress:
    """How far a pass is."""

    start: dict[str, Any]  # the generators at its beginning: see `snapshot`
    base_seed: int = 0
    drew_seed: bool = True  # at its beginning: a pass of workers that were there before does not
    yielded: int = 0  # batches handed out in order
    ahead: set[int] = field(default_factory=set)  # and those out of order (in_order=False)
    shares: list[Share] = field(default_factory=list)
    turn: int = 0  # the worker that comes next
    finished: bool = False
    fetcher: Any = None  # of a pass without workers: its stream is asked when the state is

    def handed_out(self, number: int | None, worker: int, state: Any) -> None:
        """The program has been given this batch; those of a stream have no number."""
        share = self.shares[worker]
        share.yielded += 1
        share.state = state
        self.turn = (worker + 1) % len(self.shares)
        if number is None or number == self.yielded:
            self.yielded += 1
            while self.yielded in self.ahead:
                self.ahead.remove(self.yielded)
                self.yielded += 1
        else:
            self.ahead.add(number)


def snapshot(loader: Any) -> dict[str, Any]:
    """Everything that decides about the order of the pass that begins now."""
    noted: dict[str, Any] = {"default": default_generator._rng.get_state()}
    if not _draws_as_we_know(loader):
        noted["python"] = random.getstate()
        noted["numpy"] = np.random.get_state(legacy=False)
    for name, part in _parts(loader):
        noted[name] = _read_part(part)
    return noted


@contextmanager
def replay(noted: dict[str, Any], loader: Any) -> Iterator[None]:
    """Within the block, the generators are where they were when the pass began.

    Afterwards the process's own are where they were before, for they belong to the program; but a
    program that stands where the pass began goes on from where it began to draw. Generators that
    the sampler and the loader own stay.
    """
    rng = default_generator._rng
    before = rng.get_state()
    python, numpy_state = random.getstate(), np.random.get_state(legacy=False)
    try:
        rng.set_state(np.asarray(noted["default"]))
        if "python" in noted:
            random.setstate(noted["python"])
            np.random.set_state(noted["numpy"])
        for name, part in _parts(loader):
            if name in noted:
                _write_part(part, noted[name])
        yield
    finally:
        if not np.array_equal(before, noted["default"]):
            rng.set_state(before)
        if "python" in noted:
            random.setstate(python)
            np.random.set_state(numpy_state)


# -- the saved form: tensors, numbers, text, lists and dicts, as `load` reads them safely ---------


def save(loader: Any, progress: Progress | None) -> dict[str, Any]:
    """The state of a loader."""
    import rushlight

    seed = loader._seed if progress is None else progress.base_seed
    if progress is None or progress.finished:
        # Between passes: only what the next one's order will be drawn from.
        progress = None
        noted = {name: _read_part(part) for name, part in _parts(loader)}
    else:
        noted = progress.start
    state: dict[str, Any] = {
        "version": VERSION,
        "num_workers": loader.num_workers,
        "batch_size": loader.batch_size,
        "generators": {name: _plain(value, rushlight) for name, value in noted.items()},
        "in_progress": progress is not None,
        # Workers that stay go on with their seed; others get a new one each pass.
        "base_seed": seed if loader.persistent_workers or progress is not None else None,
    }
    if progress is not None:
        state |= {
            "drew_seed": progress.drew_seed,
            "yielded": progress.yielded,
            "ahead": sorted(progress.ahead),
            "turn": progress.turn,
            "shares": [[share.yielded, share.state] for share in progress.shares],
        }
    return state


def restore(loader: Any, state: dict[str, Any]) -> Progress | None:
    """What `save` said, checked against the loader; between passes its generators are set at once.

    Raises:
        ValueError: the state belongs to a loader of another kind.
    """
    if not isinstance(state, dict) or state.get("version") != VERSION:
        raise ValueError(
            message(
                "DataLoader.load_state_dict: not the state of a DataLoader",
                got=type(state).__name__
                if not isinstance(state, dict)
                else f"a dict with the keys {sorted(map(str, state))[:8]}",
                wanted="what DataLoader.state_dict() returned",
            )
        )
    _must_agree("batch_size", state["batch_size"], loader.batch_size)
    noted = {name: _unplain(value) for name, value in state["generators"].items()}
    if not state["in_progress"]:
        for name, part in _parts(loader):
            if name in noted:
                _write_part(part, noted[name])
        loader._seed = state["base_seed"]
        return None
    shares = [Share(yielded, told) for yielded, told in state["shares"]]
    if loader._iterable or any(share.state is not None for share in shares):
        _must_agree("num_workers", state["num_workers"], loader.num_workers)
    return Progress(
        start=noted,
        base_seed=state["base_seed"],
        drew_seed=state["drew_seed"],
        yielded=state["yielded"],
        ahead=set(state["ahead"]),
        shares=shares,
        turn=state["turn"],
    )


def _must_agree(name: str, saved: Any, here: Any) -> None:
    if saved != here:
        raise ValueError(
            message(
                f"DataLoader.load_state_dict: the state is of a loader with another {name}",
                got=f"{name}={saved} in the state, {name}={here} here",
                wanted=f"the same {name}, or its position means other samples",
            )
        )


@dataclass(frozen=True, slots=True)
class _Own:
    """What a sampler says of itself: kept as it is."""

    state: Any


def _plain(value: Any, rushlight: Any) -> Any:
    if isinstance(value, _Own):
        return {"own": value.state}
    if isinstance(value, np.ndarray):
        return rushlight.from_numpy(value.astype(np.int64) if value.dtype == np.uint32 else value)
    if isinstance(value, dict):
        return {key: _plain(part, rushlight) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part, rushlight) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _unplain(value: Any) -> Any:
    if isinstance(value, dict):
        if list(value) == ["own"]:
            return _Own(value["own"])
        return {key: _unplain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):  # Python's own generator insists on tuples
        return tuple(_unplain(part) for part in value)
    array = getattr(value, "_a", None)
    if array is None:
        return value
    return array.astype(np.uint32) if array.dtype == np.int64 else array


# -- what a loader draws from ---------------------------------------------------------------------

_KNOWN = {
    getattr(module, name)
    for module in (sampler, distributed)
    for name in vars(module)
    if name.endswith("Sampler")
}


def _samplers(loader: Any) -> Iterator[tuple[str, Any]]:
    """The loader's sampler and those within it, with a name for each."""
    pending = [("sampler", loader._index_sampler)]
    seen: set[int] = set()
    while pending:
        name, found = pending.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield name, found
        for key, value in getattr(found, "__dict__", {}).items():
            if isinstance(value, sampler.Sampler):
                pending.append((f"{name}.{key}", value))


def _draws_as_we_know(loader: Any) -> bool:
    return loader._iterable or all(
        type(found) in _KNOWN or isinstance(found, list | tuple | range)
        for _, found in _samplers(loader)
    )


def _parts(loader: Any) -> Iterator[tuple[str, Any]]:
    """Generators and states that belong to the loader or to its samplers, with stable names."""
    if loader.generator is not None:
        yield "generator", loader.generator
    for name, found in _samplers(loader):
        if callable(getattr(found, "state_dict", None)) and callable(
            getattr(found, "load_state_dict", None)
        ):
            yield name, found
            continue
        for key, value in getattr(found, "__dict__", {}).items():
            if isinstance(value, Generator | random.Random | np.random.Generator):
                yield f"{name}.{key}", value
        if isinstance(found, distributed.DistributedSampler):
            yield f"{name}.epoch", found


def _read_part(part: Any) -> Any:
    if isinstance(part, Generator):
        return part._rng.get_state()
    if isinstance(part, random.Random):
        return part.getstate()
    if isinstance(part, np.random.Generator):
        return part.bit_generator.state
    if isinstance(part, distributed.DistributedSampler):
        return part.epoch
    return _Own(copy.deepcopy(part.state_dict()))


def _write_part(part: Any, value: Any) -> None:
    if isinstance(part, Generator):
        part._rng.set_state(np.asarray(value))
    elif isinstance(part, random.Random):
        part.setstate(value)
    elif isinstance(part, np.random.Generator):
        part.bit_generator.state = value
    elif isinstance(part, distributed.DistributedSampler):
        part.set_epoch(value)
    else:
        part.load_state_dict(copy.deepcopy(value.state))


def skipped(indices: Iterator[Any], progress: Progress) -> Iterator[Any]:
    """The pairs (number, index) of the batches that are still to come.

    The first is drawn at once: a sampler draws its seed when it is first asked.
    """
    numbered = enumerate(indices)
    rest = (pair for pair in numbered if pair[0] >= progress.yielded)
    rest = (pair for pair in rest if pair[0] not in progress.ahead)
    first = list(itertools.islice(rest, 1))
    return itertools.chain(first, rest)
