"""The machine code of one turn of `engine.send`: a node that has no hooks.

It does what the loop does in Python: runs the node, hands each result on to where its edge leads,
and says which node comes next. It takes gradients that are ndarrays alone. What is seldom (a
gradient of another shape, a sum, an output of several, a leaf that must be looked at) is done by
the functions of `engine.py` that do it there. It runs with the global lock held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels.codegen.ir import I32, I64, PTR, Function, Module, Pointer, Value, Variable
from ..kernels.runtime import builtin
from ..kernels.runtime.builtin import DIMENSIONS, ND, field
from ..kernels.runtime.object_code import (
    DESCR,
    KIND,
    begin,
    called,
    compiled,
    demand,
    done,
    drop,
    is_null,
    replace,
    same,
    slots_of,
    small_field,
    take,
    the,
)
from .node import Node, NodeExtras, Out

NAME = "step"
WAITS, GRAD, SHAPE, DTYPE, EDGES = range(5)  # fields of a slot, as in `engine.py`
SLOTS = ("x", "saved", "seq")  # of a node
THINGS = {
    "Py_None": None, "Py_True": True, "Py_False": False, "ndarray": np.ndarray, "tuple": tuple,
    "list": list, "int": int, "Node": Node, "NodeExtras": NodeExtras, "Out": Out,
}  # fmt: skip
NAMES = ("run", "release", "apart", "saved")  # of attributes
MOST_GOALS = 8  # what `finish` is called with behind the first three


def function(engine: dict[str, Any]) -> Any:
    """`step`, with these functions and lists of the engine."""
    things = {**THINGS, **{f"name_{n}": n for n in NAMES}, **engine}
    slots = slots_of(Node, SLOTS) | slots_of(NodeExtras, ("plain",)) | slots_of(Out, ("node", "nr"))
    code = compiled((NAME,), things, lambda: build(slots, things), slots)
    return builtin.function(code[NAME], NAME)


def build(slots: dict[str, int], things: dict[str, Any]) -> Module:
    module = Module(NAME)
    builtin.declare(module, things)
    write_fits(module)
    write_place(module)
    write_part(module)
    write_hand_on(module, slots)
    write_next(module, slots)
    write_step(module, slots)
    return module


# -- small parts ---------------------------------------------------------------------------------


def call(f: Function, name: str, given: Sequence[Value]) -> Value:
    """What a function of the engine returns, or null."""
    return called(f, the(f, name), given)


def item(f: Function, slot: Value, i: int) -> Value:
    """A field of a slot, borrowed."""
    found: Value = f.call("PyList_GetItem", PTR, [slot, f.const(I64, i)])
    return found


def keep(f: Function, slot: Value, i: int, thing: Value) -> None:
    """Another value for a field of a slot, which takes the reference."""
    f.call("PyList_SetItem", I32, [slot, f.const(I64, i), thing])


# -- where a gradient goes -----------------------------------------------------------------------


def write_fits(module: Module) -> None:
    """fits(array, shape, type): 1 where the array has them, which are of one output."""
    given = [("g", PTR), ("shape", PTR), ("dtype", PTR)]
    f = module.function("fits", I64, given, private=True)
    g, shape = f.args["g"], f.args["shape"]
    nd, sizes = f.convert(small_field(f, g, ND), I64), field(f, g, DIMENSIONS).of(I64)
    good = f.var(0)
    right = same(f, field(f, g, DESCR), f.args["dtype"])
    right &= same(f, field(f, shape, KIND), the(f, "tuple"))
    with f.when(right), f.when(f.call("PyTuple_Size", I64, [shape]) == nd):
        good.set(1)
        with f.range(nd) as i:
            size = f.call("PyTuple_GetItem", PTR, [shape, i])
            with f.when(same(f, field(f, size, KIND), the(f, "int"))) as whole:
                differs = f.call("PyLong_AsSsize_t", I64, [size]) != sizes[i]
                good.set(f.select(differs, f.const(I64, 0), good.get()))
            with whole.otherwise():
                good.set(0)
    f.ret(good.get())


def write_place(module: Module) -> None:
    """place(slot, edge, array): the gradient as it stands in the slot now, owned: fitted, and added
    to what was there. Null with an error."""
    f = module.function("place", PTR, [("slot", PTR), ("edge", PTR), ("g", PTR)], private=True)
    slot, edge, none = f.args["slot"], f.args["edge"], the(f, "Py_None")
    g = f.var(f.args["g"])
    take(f, g.get())

    def instead(name: str, *given: Value) -> None:
        """What a function makes of the gradient, in its place."""
        found = call(f, name, given)
        drop(f, g.get())
        g.set(found)

    with f.when(f.call("fits", I64, [g.get(), item(f, slot, SHAPE), item(f, slot, DTYPE)]) == 0):
        instead("brought", g.get(), slot, edge)
    with f.when(~is_null(f, g.get())):
        old = item(f, slot, GRAD)
        with f.when(~same(f, old, none)):
            instead("added", old, g.get())
        with f.when(~is_null(f, g.get())):
            take(f, g.get())
            keep(f, slot, GRAD, g.get())
    f.ret(g.get())


def write_part(module: Module) -> None:
    """part(slot, number, gradient): 1 after the gradient was put where the one of that output of
    several goes; 0, with nothing done, where it must be fitted or added, or is no array."""
    f = module.function("part", I64, [("slot", PTR), ("nr", PTR), ("g", PTR)], private=True)
    slot, g, none = f.args["slot"], f.args["g"], the(f, "Py_None")
    demand(f, same(f, field(f, g, KIND), the(f, "ndarray")), "otherwise")
    nr = f.call("PyLong_AsSsize_t", I64, [f.args["nr"]])
    shapes, types = item(f, slot, SHAPE), item(f, slot, DTYPE)
    for each in (shapes, types):
        demand(f, same(f, field(f, each, KIND), the(f, "tuple")), "otherwise")
    n = f.call("PyTuple_Size", I64, [types])
    demand(f, (f.call("PyTuple_Size", I64, [shapes]) == n) & (n > 1) & (nr < n), "otherwise")
    shape, dtype = (f.call("PyTuple_GetItem", PTR, [each, nr]) for each in (shapes, types))
    demand(f, f.call("fits", I64, [g, shape, dtype]) != 0, "otherwise")
    parts = f.var(item(f, slot, GRAD))
    with f.when(same(f, parts.get(), none)) as first:
        parts.set(f.call("PyList_New", PTR, [n]))
        demand(f, ~is_null(f, parts.get()), "otherwise")  # Python fails at it as well
        with f.range(n) as i:
            take(f, none)
            f.call("PyList_SetItem", I32, [parts.get(), i, none])
        keep(f, slot, GRAD, parts.get())
    with first.otherwise():
        demand(f, same(f, field(f, parts.get(), KIND), the(f, "list")), "otherwise")
        there = f.call("PyList_GetItem", PTR, [parts.get(), nr])
        demand(f, same(f, there, none), "otherwise")
    take(f, g)
    f.call("PyList_SetItem", I32, [parts.get(), nr, g])
    f.ret(f.const(I64, 1))
    f.label("otherwise")
    f.call("PyErr_Clear", None, [])
    f.ret(f.const(I64, 0))


GIVEN = ("node", "slots", "ready", "goals", "results", "g")  # objects of this turn
STATE = (*GIVEN, "following", "apart")  # null or the node that follows; 0 unknown, 1 no, 2 yes


def state_of(f: Function) -> dict[str, Value]:
    state = f.args["state"].of(PTR)
    return {name: state[i] for i, name in enumerate(GIVEN)}


def write_hand_on(module: Module, slots: dict[str, int]) -> None:
    """hand_on(state, edge, result): 0, or 1 with an error: what the loop over the edges does."""
    given = [("state", PTR), ("edge", PTR), ("r", PTR)]
    f = module.function("hand_on", I64, given, private=True)
    turn, place = state_of(f), f.args["state"].of(PTR)
    none, r = the(f, "Py_None"), f.args["r"]
    edge, slot = f.var(f.args["edge"]), f.var(the(f, "null"))
    there = f.var(the(f, "null"))  # the gradient that stands in the slot, ours
    demand(f, ~same(f, edge.get(), none), "nothing")
    slot.set(f.call("PyDict_GetItemWithError", PTR, [turn["slots"], edge.get()]))
    with f.when(is_null(f, slot.get())):
        demand(f, is_null(f, f.call("PyErr_Occurred", PTR, [])), "failed")
    with f.when(same(f, slot.get(), the(f, "alone"))):
        demand(f, ~same(f, r, none), "nothing")
        with f.when(~same(f, r, turn["g"])):
            write_first(f, turn["node"], place, edge.get(), r)
        made = call(f, "slot_of_leaf", [edge.get()])
        demand(f, ~is_null(f, made), "failed")
        status = f.call("PyDict_SetItem", I32, [turn["slots"], edge.get(), made])
        drop(f, made)
        demand(f, status >= 0, "failed")
        slot.set(made)
    with f.when(is_null(f, slot.get())) as output:  # an output of several
        demand(f, same(f, field(f, edge.get(), KIND), the(f, "Out")), "lost")
        node = field(f, edge.get(), slots["node"])
        slot.set(f.call("PyDict_GetItemWithError", PTR, [turn["slots"], node]))
        demand(f, ~is_null(f, slot.get()), "lost")
        with f.when(~same(f, r, none)):
            number = field(f, edge.get(), slots["nr"])
            with f.when(f.call("part", I64, [slot.get(), number, r]) == 0):
                demand(f, done(f, call(f, "deliver", [turn["slots"], edge.get(), r])), "failed")
        edge.set(node)
    with output.otherwise():
        with f.when(same(f, field(f, r, KIND), the(f, "ndarray"))) as array:
            there.set(f.call("place", PTR, [slot.get(), edge.get(), r]))
            demand(f, ~is_null(f, there.get()), "failed")
        with array.otherwise(), f.when(~same(f, r, none)):
            demand(f, done(f, call(f, "deliver", [turn["slots"], edge.get(), r])), "failed")
    left = f.call("PyLong_AsSsize_t", I64, [item(f, slot.get(), WAITS)]) - 1
    keep(f, slot.get(), WAITS, f.call("PyLong_FromSsize_t", PTR, [left]))
    demand(f, left == 0, "nothing")
    with f.when(~same(f, item(f, slot.get(), EDGES), none)) as runs:
        following = f.const(I64, STATE.index("following"))
        with f.when(is_null(f, place[following])) as first:
            take(f, edge.get())
            place[following] = edge.get()
        with first.otherwise():
            pair = place_in_heap(f, edge.get(), slots["seq"])
            demand(f, ~is_null(f, pair), "failed")
            pushed = done(f, call(f, "heappush", [turn["ready"], pair]))
            drop(f, pair)
            demand(f, pushed, "failed")
    with runs.otherwise(), f.when(~same(f, item(f, slot.get(), GRAD), none)):
        write_finish(f, turn, edge.get(), slot.get(), there.get(), r)
    f.line("br label %nothing")
    f.label("nothing")
    drop(f, there.get())
    f.ret(f.const(I64, 0))
    f.label("lost")
    with f.when(is_null(f, f.call("PyErr_Occurred", PTR, []))):  # a KeyError, as in Python
        f.call("PyObject_GetItem", PTR, [turn["slots"], edge.get()])
    f.line("br label %failed")
    f.label("failed")
    drop(f, there.get())
    f.ret(f.const(I64, 1))


def write_first(f: Function, node: Value, place: Pointer, edge: Value, r: Value) -> None:
    """Go on where a leaf did not keep its first gradient as it is."""
    known = place.of(I64).at(STATE.index("apart"))
    with f.when(known[0] == 0):
        asked = f.call("PyObject_GetAttr", PTR, [node, the(f, "name_apart")])
        demand(f, ~is_null(f, asked), "failed")
        known[0] = f.const(I64, 1) + f.convert(f.call("PyObject_IsTrue", I32, [asked]), I64)
        drop(f, asked)
    with f.when(known[0] == 2):
        kept = call(f, "first", [edge, r])
        demand(f, ~is_null(f, kept), "failed")
        drop(f, kept)  # True or False, which live on
        demand(f, ~same(f, kept, the(f, "Py_True")), "nothing")


def place_in_heap(f: Function, node: Value, seq: int) -> Value:
    """(-node.seq, node), or null with an error."""
    number = f.call("PyNumber_Negative", PTR, [field(f, node, seq)])
    pair = f.var(the(f, "null"))
    with f.when(~is_null(f, number)):
        pair.set(f.call("PyTuple_New", PTR, [f.const(I64, 2)]))
        with f.when(~is_null(f, pair.get())) as made:
            take(f, node)
            for i, thing in enumerate((number, node)):
                f.call("PyTuple_SetItem", I32, [pair.get(), f.const(I64, i), thing])
        with made.otherwise():
            drop(f, number)
    return pair.get()  # type: ignore[no-any-return]


def write_finish(
    f: Function, turn: dict[str, Value], leaf: Value, slot: Value, there: Value, r: Value
) -> None:
    """A leaf has its whole gradient."""
    total = item(f, slot, GRAD)
    take(f, total)
    none = the(f, "Py_None")
    take(f, none)
    keep(f, slot, GRAD, none)
    # `there` is what the result has become; nothing where another function has placed it
    mine, whole = f.var(the(f, "Py_False")), f.var(the(f, "null"))
    came = f.select(is_null(f, there), r, there)
    with f.when(same(f, total, came) & ~same(f, came, turn["g"])):
        answer = call(f, "new_array", [turn["node"], came, turn["results"]])
        mine.set(answer)
        with f.when(~is_null(f, answer)):
            drop(f, answer)  # True or False, which live on
    with f.when(~is_null(f, mine.get())):
        goals, given = turn["goals"], f.buffer(PTR, 3 + MOST_GOALS, 8)
        n = f.call("PyTuple_Size", I64, [goals])
        for i, thing in enumerate((leaf, total, mine.get())):
            given[i] = thing
        with f.range(n) as i:
            given[i + 3] = f.call("PyTuple_GetItem", PTR, [goals, i])
        call_ = [the(f, "finish"), given, n + 3, the(f, "null")]
        whole.set(f.call("PyObject_Vectorcall", PTR, call_))
    drop(f, total)
    demand(f, done(f, whole.get()), "failed")


# -- one node ------------------------------------------------------------------------------------


def write_next(module: Module, slots: dict[str, int]) -> None:
    """next(following, ready): the node to run, owned; takes `following`, null or a node. Null with
    an error."""
    f = module.function("next", PTR, [("following", PTR), ("ready", PTR)], private=True)
    following, ready, none = f.args["following"], f.args["ready"], the(f, "Py_None")
    some = f.call("PyList_Size", I64, [ready]) > 0
    found = f.var(following)
    pair = f.var(the(f, "null"))
    with f.when(some) as waiting:
        with f.when(is_null(f, following)) as none_follows:
            pair.set(call(f, "heappop", [ready]))
        with none_follows.otherwise():
            own = place_in_heap(f, following, slots["seq"])
            drop(f, following)
            with f.when(~is_null(f, own)):
                pair.set(call(f, "heappushpop", [ready, own]))
                drop(f, own)
        found.set(the(f, "null"))
        with f.when(~is_null(f, pair.get())):
            found.set(f.call("PyTuple_GetItem", PTR, [pair.get(), f.const(I64, 1)]))
            take(f, found.get())
            drop(f, pair.get())
    with waiting.otherwise(), f.when(is_null(f, following)):
        take(f, none)
        found.set(none)
    f.ret(found.get())


def write_step(module: Module, slots: dict[str, int]) -> None:
    """step(node, slots, ready, freed, goals)."""
    f, args = begin(module, NAME)
    node, all_slots, ready, freed, goals = (args[i] for i in range(5))
    null, none = the(f, "null"), the(f, "Py_None")
    is_node = f.call("PyType_IsSubtype", I32, [field(f, node, KIND), the(f, "Node")])
    demand(f, is_node != 0, "refused")
    x = field(f, node, slots["x"])
    demand(f, ~is_null(f, x), "refused")
    with f.when(~same(f, x, none)):  # hooks, or cells of outputs alone
        demand(f, same(f, field(f, x, KIND), the(f, "NodeExtras")), "refused")
        demand(f, same(f, field(f, x, slots["plain"]), the(f, "Py_True")), "refused")
    demand(f, f.call("PyList_Size", I64, [the(f, "checks")]) == 0, "refused")
    slot = f.call("PyDict_GetItemWithError", PTR, [all_slots, node])
    demand(f, ~is_null(f, slot), "refused")  # the loop says what is wrong
    g = item(f, slot, GRAD)
    demand(f, ~same(f, g, none), "refused")
    take(f, slot)
    take(f, g)
    take(f, none)
    keep(f, slot, GRAD, none)  # so that the array lives no longer than this turn
    results = called(f, the(f, "name_run"), [node, g, the(f, "Py_False")], "Method")
    result, edges = f.var(null), f.var(null)
    state = f.buffer(PTR, len(STATE), 8)
    own, bad = f.var(null), f.var(0)
    for i, thing in enumerate((node, all_slots, ready, goals, results, g, null, null)):
        state[i] = thing
    demand(f, ~is_null(f, results), "over")
    demand(f, released(f, node, freed, slots["saved"]), "over")
    own.set(f.call("PySequence_Tuple", PTR, [results]))  # itself, of a tuple
    demand(f, ~is_null(f, own.get()), "over")
    edges.set(f.call("PySequence_Tuple", PTR, [item(f, slot, EDGES)]))
    demand(f, ~is_null(f, edges.get()), "over")
    n = f.call("PyTuple_Size", I64, [edges.get()])
    most = f.call("PyTuple_Size", I64, [own.get()])
    with f.range(f.select(n < most, n, most)) as i, f.when(bad.get() == 0):
        pair = [f.call("PyTuple_GetItem", PTR, [of.get(), i]) for of in (edges, own)]
        bad.set(f.call("hand_on", I64, [state, *pair]))
    following = state[STATE.index("following")]
    with f.when(bad.get() == 0) as good:
        result.set(f.call("next", PTR, [following, ready]))
    with good.otherwise():
        drop(f, following)
    f.line("br label %over")
    f.label("over")
    for thing in (slot, g, results, own.get(), edges.get()):
        drop(f, thing)
    f.ret(result.get())
    f.label("refused")
    take(f, node)
    f.ret(node)


def released(f: Function, node: Value, freed: Value, saved: int) -> Value:
    """Forget what a node has saved, unless the graph is kept; whether that went well."""
    good = f.var(1)
    with f.when(~same(f, freed, the(f, "Py_None"))):
        own = field(f, node, saved)  # null where a class has a property of this name
        values = f.var(own)
        with f.when(is_null(f, own)) as elsewhere:
            values.set(f.call("PyObject_GetAttr", PTR, [node, the(f, "name_saved")]))
        with elsewhere.otherwise():
            take(f, own)
        some: Variable = f.var(-1)
        with f.when(~is_null(f, values.get())):
            some.set(f.convert(f.call("PyObject_IsTrue", I32, [values.get()]), I64))
            drop(f, values.get())
        with f.when(some.get() < 0):
            good.set(0)
        with f.when(some.get() > 0):
            name = the(f, "name_release")
            how = f.call("PyObject_GetAttr", PTR, [field(f, node, KIND), name])
            with f.when(same(f, how, the(f, "release")) & ~is_null(f, own)) as usual:
                replace(f, node, saved, take(f, freed))
            with usual.otherwise():
                well = done(f, called(f, name, [node, freed], "Method"))
                good.set(f.convert(well, I64))
            drop(f, how)
    return good.get() != 0  # type: ignore[no-any-return]
