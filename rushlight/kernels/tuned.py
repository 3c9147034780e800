"""What was measured or set on this machine: kept on disk, and read once by a process.

Shapes do not always say which kernel is faster: where a matrix unit (AMX) is shared or throttled,
it takes twice as long as vectors, and nothing but a clock can tell. `choice` answers for which
groups of work this process uses the unit, and why:

1. RUSHLIGHT_AMX=0 forbids it, RUSHLIGHT_AMX=1 demands it (where there is one),
   RUSHLIGHT_AMX=emulate computes its bits without one, slowly: for tests;
2. otherwise what `python -m rushlight tune` has kept for this CPU;
3. otherwise vectors, whose speed does not depend on the host.

Products and convolutions of bfloat16 are no matter of measuring: they take the unit one product,
where those of float32 take six, and it was two to five times as fast as vectors on every host that
was seen, the throttled ones too. They use it unless the setting forbids it, or `tune amx off`.

The answer is made when it is first needed and stays for the life of the process, so that the same
call gives the same bits. What is kept is a small JSON file beside the folder of compiled kernels,
named by a hash of the CPU: a home that several machines share holds a file for each kind. A file
that is damaged, or was measured with other kernels, is not used and named in a warning.

Not here: measuring (`rushlight/dropin/tune.py`), sizes (`tuning.py`), whether there is a unit
(`matmul/amx.py`).
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import threading
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import runtime

FORMAT = "rushlight tuned 1"
GROUPS = {"matmul": "products", "conv": "convolutions"}  # each is chosen by itself
COMMAND = "python -m rushlight tune"
OFF, ON = ("0", "off", "no", "false"), ("1", "on", "yes", "true")  # words of RUSHLIGHT_AMX
EMULATE = "emulate"  # its bits, by vectors
LARGEST = 1 << 18  # bytes of a file; ours have a few thousand
VECTORS = ("avx", "amx", "fma", "f16c", "asimd", "sve")  # how features that count begin


class Refused(ValueError):
    """A file that is not used; its text says why."""


@dataclass(frozen=True)
class Figure:
    """One piece of work, both ways, in alternating rounds."""

    group: str
    work: str
    threads: int
    unit: float  # seconds of a call: the median of the rounds
    vectors: float
    ratio: float  # the median of the rounds' unit / vectors
    worst: float  # the largest of them
    rounds: int
    lost: int  # rounds in which the unit was clearly slower


@dataclass(frozen=True)
class Kept:
    """What the file holds."""

    groups: tuple[str, ...]  # that use the unit
    by: str  # "measurement" or "hand"
    date: str
    version: str  # of Rushlight
    kernels: str = ""  # a hash over those that were measured
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Choice:
    """Which groups of work use the matrix unit, and why."""

    groups: tuple[str, ...]
    why: str
    complaint: str = ""  # about a setting or a file that is not used
    bfloat16: bool = True  # whether products and convolutions of bfloat16 do


# -- the choice of this process ------------------------------------------------------------------

_lock = threading.Lock()
_choice: Choice | None = None


def choice() -> Choice:
    """For which groups this process uses the matrix unit: the same answer as long as it lives."""
    global _choice
    found = _choice
    if found is not None:
        return found
    with _lock:
        found, first = _choice or chosen(), _choice is None
        _choice = found
    if first and found.complaint:  # behind the choice: a warning may be made an error
        warnings.warn(found.complaint, UserWarning, stacklevel=2)
    return found


def chosen() -> Choice:
    """What `choice` would answer in a process that starts now."""
    demanded, complaint = setting()
    if demanded is not None:
        word = "emulated" if asked() == EMULATE else "demanded" if demanded else "forbidden"
        why = f"{word} by RUSHLIGHT_AMX={os.environ['RUSHLIGHT_AMX']}"
        return Choice(tuple(GROUPS) if demanded else (), why, bfloat16=demanded)
    path = place()
    try:
        kept = None if path is None else read(path)
    except Refused as error:
        unused = (
            f"{path} is not used, so the matrix unit (AMX) is left alone: {error}. `{COMMAND}` "
            f"measures again, `{COMMAND} --clear` removes the file"
        )
        complaint = "; ".join(filter(None, (complaint, unused)))
        return Choice((), "the default, since what is kept cannot be used", complaint)
    if kept is None:
        return Choice((), f"the default: not measured here (`{COMMAND}` does)", complaint)
    how = "set by hand" if kept.by == "hand" else "measured"
    why = f"{how} on {kept.date}, Rushlight {kept.version}"
    return Choice(kept.groups, why, complaint, kept.by != "hand" or bool(kept.groups))


def asked() -> str:
    """The word that RUSHLIGHT_AMX has now."""
    return os.environ.get("RUSHLIGHT_AMX", "").strip().lower()


def setting() -> tuple[bool | None, str]:
    """What RUSHLIGHT_AMX says: True, False, or None for what is kept; and a complaint."""
    word = asked()
    if word in OFF or word in ON or word == EMULATE:
        return word not in OFF, ""
    value = os.environ.get("RUSHLIGHT_AMX")
    complaint = f"RUSHLIGHT_AMX={value!r} is neither 0 nor 1 nor {EMULATE}, and not used"
    return None, complaint if word else ""


@functools.cache
def emulated() -> bool:
    """Whether vectors compute what the unit would (`matmul/amx_emulated.py`): for a process, since
    the kernels that it has written stay as they are."""
    return asked() == EMULATE


# -- what it is kept for -------------------------------------------------------------------------


def cpu_fields() -> dict[str, str]:
    """What Linux says of the first processor; nothing on other systems."""
    fields: dict[str, str] = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                key, colon, value = line.partition(":")
                if colon:
                    fields[key.strip()] = value.strip()
                elif fields:
                    break  # the other processors are alike
    except OSError:
        pass
    return fields


@functools.cache
def cpu() -> dict[str, str | int]:
    """The machine, as far as it can be known again: model, vector features, processors."""
    fields = cpu_fields()
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    return {
        "model": fields.get("model name") or platform.processor() or platform.machine(),
        "features": " ".join(sorted(f for f in flags if f.startswith(VECTORS))),
        "processors": os.cpu_count() or 1,
    }


def kernels() -> str:
    """A hash over all that decides how the kernels here come out."""
    from .runtime import jit

    return jit.fingerprint().hex()[:32]


# -- on disk -------------------------------------------------------------------------------------


def place() -> Path | None:
    """Where this CPU's file is, or would be; None: nothing is kept (RUSHLIGHT_CACHE is empty)."""
    from .runtime import disk

    folder = disk.base()
    if folder is None:
        return None
    named = hashlib.sha256(json.dumps(cpu(), sort_keys=True).encode()).hexdigest()[:16]
    return folder / f"tuned-{named}.json"


def read(path: Path) -> Kept | None:
    """What a file holds; None where there is none.

    Raises:
        Refused: it is damaged, or it is about another CPU or other kernels.
    """
    try:
        if not path.is_file():
            if not path.exists():
                return None
            raise Refused("it is no file")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Refused(f"it cannot be read ({error.strerror})") from None
    kept, about = parsed(data)
    if about != cpu():
        raise Refused("it is about another CPU")
    if kept.by == "measurement" and runtime.available() and kept.kernels != kernels():
        raise Refused(f"it was measured with other kernels (Rushlight {kept.version})")
    return kept


def parsed(data: bytes) -> tuple[Kept, Any]:
    """The content of a file, every field of it looked at, and the CPU that it names."""
    if len(data) > LARGEST:
        raise Refused("it is damaged (too large)")
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused("it is damaged (no JSON)") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise Refused("it is damaged, or of another version of Rushlight")
    try:
        groups = tuple(one_of(g, *GROUPS) for g in listed(found["amx"]))
        figures = tuple(figure(f) for f in listed(found["figures"]))
        by = one_of(found["by"], "measurement", "hand")
        date, version, made = (line(found[k]) for k in ("date", "version", "kernels"))
    except (KeyError, TypeError, ValueError):
        raise Refused("it is damaged (fields are missing or odd)") from None
    return Kept(groups, by, date, version, made, figures), found.get("cpu")


def figure(found: Any) -> Figure:
    """A figure of a file."""
    kinds: dict[str, Callable[[Any], Any]] = {"group": group, "work": line}
    kinds |= dict.fromkeys(("threads", "rounds", "lost"), whole)
    kinds |= dict.fromkeys(("unit", "vectors", "ratio", "worst"), positive)
    return Figure(**{name: kind(found[name]) for name, kind in kinds.items()})


def listed(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > 1000:
        raise TypeError
    return value


def one_of(value: Any, *words: str) -> str:
    if not isinstance(value, str) or value not in words:
        raise TypeError
    return value


def group(value: Any) -> str:
    return one_of(value, *GROUPS)


def line(value: Any) -> str:
    """Text that may be shown in a terminal."""
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise TypeError
    return value


def whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise TypeError
    return value


def positive(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError
    if not 0 < value < 1e9:  # nor NaN
        raise TypeError
    return float(value)


def write(kept: Kept) -> Path | None:
    """Keep it for this CPU: the file is there whole or not at all. None: nothing is kept here.

    Raises:
        OSError: the folder cannot be written.
    """
    path = place()
    if path is None:
        return None
    found = asdict(kept)
    groups = found.pop("groups")
    text = json.dumps({"format": FORMAT, "cpu": cpu(), "amx": groups, **found}, indent=1)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        temporary.write_text(text + "\n", encoding="utf-8")
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path


def clear() -> bool:
    """Remove this CPU's file; whether there was one.

    Raises:
        OSError: it cannot be removed.
    """
    path = place()
    if path is None or not path.exists():
        return False
    path.unlink()
    return True
