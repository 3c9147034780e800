"""The text of a change in place, written out for one operation: `in_place.change` pruned by what a
record says, as `call_text.py` prunes the door's.

`changed` has its lines. `core_text` is what `changes.apply_inplace` calls, `method_text` the public
method.
"""

from __future__ import annotations

from typing import Any

from . import in_place
from .call_text import bare, dict_of, refreshed, tuple_of, unusual, written
from .pruning import pruned, read


def changed(op: Any, kw: dict[str, str] | None, otherwise: str, depth: int = 1) -> list[str]:
    """The lines of a change in place, from the operands to the target: those of `in_place.change`,
    for operands and parameters as in `body`."""
    names, every = op.inputs, range(len(op.inputs))
    params = "_kw" if kw is None else dict_of(f"'{name}': {text}" for name, text in kw.items())
    arrays = tuple_of(f"_a{i}" for i in every)
    step = f"_perform(_into, {arrays}, {params})"
    if bare(op):
        step = f"_formula({arrays[1:-1]}_a0) if _a0.size < _least else {step}"
    elif op.kind == "elementwise":
        named = ["**_kw"] if kw is None else [f"{name}={text}" for name, text in kw.items()]
        given = ", ".join([*(f"_a{i}" for i in every), *(named if op.defaults else [])])
        step = f"_stored(_a0, _formula({given})) if _a0.size < _least else {step}"
    words: dict[str, Any] = {
        "arrays, edges = taken(op, inputs)": overwritten(op, otherwise),
        "if arrays is None:": None,
        "return recorded(op, inputs, kw, arrays)": [
            f"return _recorded(_op, {tuple_of(names)}, {params}, {arrays})"
        ],
        "return written(op, inputs, kw)": [otherwise],
        "if not overwritten(op, arrays, kw):": [
            "try:",
            f"    {step}",
            "    _r = True",
            "except _refused: _r = None",
            f"if _r is None: {otherwise}",
        ],
        "count(inputs[0], op.inplace_name)": [
            f"_c = {names[0]}._vc or _cell({names[0]})",
            "_c.count += 1",
            "_c.stamp = _tick()",
            f"_c.what = '{op.inplace_name}'",
            f"_f = _getframe({depth})",
            "_k = _f.f_code",
            "if _k is _seen[0]:",
            "    _c.code = _k",
            "    _c.lasti = _f.f_lasti",
            "else: _c.code, _c.lasti = _line_from(_f, _seen)",
            "if _v is not None and not _v.made: _v.seen = _c.count",
        ],
        "return inputs[0]": [f"return {names[0]}"],
    }
    parts = {
        "tracked(edges)": " or ".join(f"_f{i} is not None" for i in every),
        "with_history(edges[0])": "_f0 is not None and _f0 is not _LEAF",
    }
    return pruned(read(in_place.change), op, words, parts)


def overwritten(op: Any, otherwise: str) -> list[str]:
    """The lines that take arrays and places on the tape out of the operands of a change in place:
    `in_place.taken`."""
    x = op.inputs[0]
    wrong = ["_a0.__class__ is not _ndarray"]
    if not in_place.moves(op):
        integers = in_place.for_integers(op) or in_place.adds_integers(op)
        more = " and _d.kind not in 'iu'" if integers else ""
        wrong.append(f"(_d is not _F32 and _d is not _F64{more})")
    order = "not _a0.flags.carray"
    wrong.append(f"({order} and not _lies_well(_op, _a0))" if op.into.strided else order)
    lines = [
        f"if {x}.__class__ not in _plain or _watchers: {otherwise}",
        f"_a0 = {x}._a",
        "_d = _a0.dtype",
        f"if {' or '.join(wrong)}: {otherwise}",
        f"_v = {x}._v",
        f"if _v is not None and _v.base._fn is not None: {otherwise}",
        f"_x = {x}._x",
        f"if _x is not None and _x.inference and not _state.inference: {otherwise}",
        f"_f0 = {x}._fn",
    ]
    for i, name in enumerate(op.inputs):
        if not i:
            continue
        wrong = [f"_a{i}.__class__ is not _ndarray"]
        wrong += [] if in_place.of_indices(op, i) else [f"_a{i}.dtype is not _d"]
        wrong += [] if in_place.by_elements(op) else [f"{name} is {x}"]
        wrong.append(f"((_a0.base is not None or _a{i}.base is not None) and _share(_a0, _a{i}))")
        others = [f"{name} is None"] if op.input_defaults[i] is None else []
        if in_place.takes_number(op, i):
            others.append(f"{name}.__class__ is _int")
            others.append(f"({name}.__class__ is _float and _d.kind == 'f')")
        if not others:
            others.append("False")
        lines += [
            f"if {name}.__class__ in _plain:",
            f"    _a{i} = {name}._a",
            f"    if {' or '.join(wrong)}: {otherwise}",
            *(f"    {line}" for line in refreshed(op, name)),
            f"    _f{i} = {name}._fn",
            f"elif {' or '.join(others)}:",
            f"    _a{i} = {name}",
            f"    _f{i} = None",
            f"else: {otherwise}",
        ]
    return lines


def core_text(op: Any) -> str:
    """`change(parameters, *tensors)`: what `changes.apply_inplace` calls."""
    otherwise = f"return _in_place.otherwise(_op, _given({tuple_of(op.inputs)}), _kw)"
    lines = changed(op, None, otherwise, depth=2)  # behind `changes.apply_inplace`
    return written(", ".join(["_kw", *(f"{n}=_missing" for n in op.inputs)]), lines)


def method_text(op: Any, named: bool = False, common: bool = False) -> str:
    """The method `name_`: operands, then parameters; with `named` all of these, by name; with
    `common` for calls that the composite says are."""
    names, statics = op.inputs, list(op.defaults)
    signature = [
        f"{n}=None" if d is None else f"{n}=_missing"
        for n, d in zip(names, op.input_defaults, strict=True)
    ]
    if named and statics:
        otherwise = f"return _slow({tuple_of(names)}, (), _rest, _kw)"
        missing = [f"'{s}' not in _kw" for s in statics]
        wrong = " or ".join(["_rest", f"len(_kw) != {len(statics)}", *missing])
        lines = [f"if {wrong}: {otherwise}", *(f"{s} = _kw['{s}']" for s in statics)]
        wrong = " or ".join(unusual(op, statics))
    else:
        signature += [f"{s}=_default_{s}" for s in statics]
        otherwise = f"return _slow({tuple_of(names)}, {tuple_of(statics)}, _rest, _kw)"
        lines = []
        wrong = " or ".join(["_rest", "_kw", *unusual(op, statics)])
    lines.append(f"if {wrong}: {otherwise}")
    if common:
        lines.append(f"if not _common({', '.join([*names, *statics])}): {otherwise}")
    lines += changed(op, {s: s for s in statics}, otherwise)
    if op.check is not None:  # floats of one type have passed it
        asked = "" if op.promote is None else "if _d is not _F32 and _d is not _F64: "
        place = lines.index("_d = _a0.dtype") + 1
        lines.insert(place, f"{asked}_check({', '.join(names)})")
    return written(", ".join([*signature, "*_rest", "**_kw"]), lines)
