"""Parameters that got no gradient, and what cut the chain.

Followed through the events: from the operations that take a parameter, along their results, to the
first one whose result has no history although it was given some.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from .modules import Known
from .numbers import parameters
from .recording import NONE, Event, Unreached


def unreached(look: Any) -> list[Unreached]:
    """The parameters of a recording with a backward to which no gradient came."""
    events: list[Event] = look.events
    if not any(e.kind == "backward" for e in events):
        return []
    later = {  # the program steps them less often than others, as of the generator of a WGAN
        look.modules.name(p)
        for optimizer, about in look.optimizers.values()
        if not about.steps
        for p in parameters(optimizer)
    }
    compiled = any(e.kind == "compiled" for e in events)  # in which gradients are not told
    missed = [
        known
        for known in look.modules.tensors()
        if known.role == "parameter"
        and known.name not in later
        and not known.reached
        and not (compiled and known.has_gradient())
    ]
    if not missed:
        return []
    takers: dict[str, list[int]] = {}
    users: dict[int, list[int]] = {}
    parents = {e.parent for e in events if e.kind == "op"}
    inside: set[int] = set()  # Functions, which have no history inside
    for k, e in enumerate(events):
        if e.parent in inside or e.parent in look.functions:
            inside.add(k)
            continue
        alone = e.kind == "function" and (k in look.functions or k not in parents)
        if e.kind not in ("op", "item") and not alone:
            continue
        for v in e.takes:
            if v.name:
                takers.setdefault(v.name, []).append(k)
            if v.made_by != NONE:
                users.setdefault(v.made_by, []).append(k)
    return [told(look, known, takers.get(known.name, []), users) for known in missed]


def told(look: Any, known: Known, takers: list[int], users: dict[int, list[int]]) -> Unreached:
    """Why one parameter got no gradient."""
    events: list[Event] = look.events
    name = known.name
    if known.frozen:
        return Unreached(name, "it is frozen: its requires_grad is False", known.line)
    used = [k for k in takers if events[k].phase == "forward"]
    if not used:
        return Unreached(name, "no operation takes it: it is not used in the forward")
    seen, queue, last = set(used), deque(used), used[-1]
    roots = {e.of for e in events if e.kind == "backward"}
    while queue:
        k = queue.popleft()
        e, last = events[k], k
        if not any(v.grad for v in e.gives):
            why, line = reason(look, k, users)
            return Unreached(name, why, line, k)
        if k in roots:
            why = "what is computed from it goes into the loss, and yet no gradient came: a hook "
            return Unreached(name, why + "or a Function has dropped it", e.line, k)
        for other in users.get(k, ()):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    why = "what is computed from it does not go into the loss"
    return Unreached(name, why, events[last].line, last)


def reason(look: Any, place: int, users: dict[int, list[int]]) -> tuple[str, int]:
    """What an event whose result has no history did, and its line."""
    e: Event = look.events[place]
    after = [look.events[k].name for k in users.get(place, ())]
    if e.name == "numpy" or "numpy" in after:
        return "it went through NumPy, which keeps no history", e.line
    if e.kind == "item":
        return f"{e.name}() made a Python number of it", e.line
    if e.name in ("detach", "detach_"):
        return f"{e.name}() cut it off", e.line
    if e.name == "data":
        return ".data cut it off", e.line
    why, line = look.cuts.get(place, ("", NONE))
    line = line if e.line == NONE else e.line
    if why in ("no_grad", "inference_mode"):
        return f"it was computed under {why}", line
    if e.gives and not any(kind in e.gives[0].dtype for kind in ("float", "complex")):
        name = "the cast" if e.name.strip("_") == "to_copy" else e.name
        return f"{name} gives {e.gives[0].dtype}, which has no gradient", line
    if why:
        return f"cut off by {why}", line
    return f"the result of {e.name} has no gradient", e.line
