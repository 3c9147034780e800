"""The text of a call, written out for one operation: `door.general` pruned by what a record says.

`body` takes the lines of `door.general`, `finish`, `record` and `several` as they stand there,
decides the tests of the record (`pruned`), and writes the words of that text, such as `taken` and
`computed`, out for the operands that the record has. Whole functions are made of it: what
`door.apply` calls (`core_text`), what composites call (`called_text`), public functions
(`entry_text`, `sequence_text`), methods and operators (`method_text`, `item_text`).

Not here: how a text is read and pruned (`pruning.py`); changes in place (`change_text.py`); a
node's `run` (`run_text.py`); how texts become functions, and what their names stand for
(`specialize.py`).
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .. import dtypes
from . import door
from .pruning import pruned, read

MOST_WRITTEN = 8  # operands of a call that is written out


def suits(op: Any) -> bool:
    """Whether calls of an operation have a short way: a fixed number of tensors goes in."""
    return not op.variadic and 1 <= len(op.inputs) <= MOST_WRITTEN and not (op.view and op.keep_y)


class Spread:
    """An operation on any number of tensors, as one on so many of them."""

    variadic = False

    def __init__(self, op: Any, n: int) -> None:
        self.op = op
        self.inputs = tuple([f"x{i}" for i in range(n)])
        needed = inspect.Parameter.empty
        self.input_defaults = [None if i in op.optional else needed for i in range(n)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)


class First:
    """An operation with several outputs, of which gradients come to the first alone, as one with
    that output: the others are arrays that its node keeps (`op_node.FirstNode`).

    `hands_on`: a call returns the output and the arrays of all.
    """

    outputs = 1

    def __init__(self, op: Any, hands_on: bool = False) -> None:
        self.op, self.hands_on = op, hands_on

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def kept(self) -> str:
        """The text of what its rules may read of the outputs, which `_o` has."""
        saves = self.op.saves
        return tuple_of(
            f"_o[{nr}]" if saves is None or nr in saves else "None" for nr in range(self.op.outputs)
        )


MOST_SPREAD = 8  # tensors of a call that is written out; of more the loop over them is short enough


def spreads(op: Any) -> bool:
    """Whether calls of an operation on any number of tensors have a short way, for a few."""
    return bool(op.variadic and op.kind != "elementwise" and op.outputs == 1 and not op.view)


# The note of a result whose operands have none: whether a thread is in inference mode takes 3 ns to
# ask, whether it is this one is asked only then.
BORN = "_born[0] and _born_here()"
# The lines of `door.record` that `node.made` carries out.
FIELDS_OF_NODE = (
    "node = _new(class_of(op, dtype, low, narrow))", "node.edges = places(inputs)",
    "node.saved = kept_values(op, inputs, out, node)",
    "node.kw = rule_parameters(op, inputs, kw)", "node.seq = tick()", "node.shape = shape",
    "node.dtype = dtype", "node.x = None",
)  # fmt: skip


def body(
    op: Any, kw: dict[str, str] | None, otherwise: str, lead: int = 0, depth: int = 1
) -> list[str]:
    """The lines from operands named as in the record to the returned tensor: those of
    `door.general`, pruned by what the record says.

    `kw` has the texts of the parameters, None when they come in `_kw`; `otherwise` is the statement
    of the long way, `lead` the place of an operand that must be a tensor, `depth` how many calls
    away the user's line is at least.
    """
    names, every = op.inputs, range(len(op.inputs))
    # a dictionary is made where it is kept: the array function takes the parameters by name
    params = "_kw" if kw is None else dict_of(f"'{name}': {text}" for name, text in kw.items())
    # A view and its node keep one dictionary, and are told once whether a history is wanted.
    single = op.view and op.outputs == 1
    shared_kw = [f"_p = {params}"] if single and kw else []
    if shared_kw:
        params = "_p"
    edges = [f"_f{i}" for i in every]
    notes = [f"{names[i]}._x" if i == lead else f"_x{i}" for i in every]
    unnoted = " and ".join(f"{note} is None" for note in notes)
    untracked = " and ".join(f"{e} is None" for e in edges)
    tracked = " or ".join(f"{e} is not None" for e in edges)
    ys = tuple_of(f"_t{nr}" for nr in outputs(op))
    shared = ["_r.base is not None", *(f"_r is _a{i}" for i in every)]
    usual = "_d is not _F32 and _d is not _F64"
    result, shape, dtype = "_r", "_r.shape", "_d"
    first = op.__class__ is First
    if first:
        result = op.kept()
    if op.view and not op.outputs:
        ys = "_ys"
        result, shape, dtype = "_kept_outputs(_op, _ys)", "_shapes(_ys)", "_types(_ys)"
    if op.outputs > 1:
        result, shape, dtype = (
            tuple_of(each)
            for each in (
                [kept_output(op, nr) for nr in outputs(op)],
                [f"_r{nr}.shape" for nr in outputs(op)],
                [f"_r{nr}.dtype" for nr in outputs(op)],
            )
        )
    places = tuple_of(
        f"{name} if {e} is _LEAF else {e}" for name, e in zip(names, edges, strict=True)
    )
    kept = "()" if op.rules is None else saved(op, result)
    given = rule_parameters(op, kw) if op.rule_names else None
    if shared_kw and given is not None and not op.wants_shapes:
        given = params
    words: dict[str, Any] = {
        "arrays, edges, notes, low, narrow = taken(op, inputs, kw)": taken(op, otherwise, lead),
        "out = computed(op, inputs, arrays, kw, narrow)": [
            f"try: _r = {computed(op, kw, lead)}",
            "except _refused: _r = None",
            f"if _r is None: {otherwise}",  # after `except`: an error that comes has no context
            *(["_o = _r", "_r = _o[0]"] if first else []),
            *shared_kw,
        ],
        "return finish(op, inputs, kw, y, low, narrow)": read(door.finish),
        "y._fn = record(op, inputs, kw, out, out.shape, dtype, low, narrow)": read(door.record),
        # a view is made and linked in one go (`views.linked`)
        **(dict.fromkeys(("y = _new(Tensor)", "y._a = out")) if single else {}),
        "attach_view(op, kw, inputs[0], y, None)": [
            "_on = _state.enabled",
            f'_t = _linked({names[0]}, _r, _op, {params}, None, "" if _on else _quiet())',
        ],
        "return several(op, inputs, kw, out, tracked(edges), low, narrow)": read(door.several)
        if fixed(op)
        else several_views(op, params, tracked),
        "ys = wrapped(op, inputs, kw, out)": [line for nr in outputs(op) for line in wrapped(nr)]
        or [f"_ys = _views_of(_op, {params}, {names[0]}, _r)"],
        "return alone(op, inputs, kw, ys[0], low, narrow)": [
            f"return _alone(_op, {tuple_of(names)}, {params}, _ys[0], 0, None)"
        ],
        "node = record(op, inputs, kw, kept_outputs(op, ys), shapes(ys), types(ys), low, narrow)": (
            read(door.record)
        ),
        "return attached(op, ys, node)": [*attached(op), f"return {ys}"]
        if op.outputs
        else ["return _attached(_op, _ys, _n)"],
        "dtype = out.dtype": None if op.kind == "elementwise" else ["_d = _r.dtype"],
        # a result of the operands' type, or one that goes the long way from here
        "if not may_carry(op, dtype):": None
        if op.kind == "elementwise"
        else [f"if {usual}:", f"    {otherwise}"]
        if first
        else [f"if {usual}:", f"    return _finish(_op, {tuple_of(names)}, {params}, _t)"],
        # the node is made in one go (`node.made`), where its line is found
        **dict.fromkeys(FIELDS_OF_NODE),
        "node.code, node.lasti = user_line()": [
            f"_n = _made(_node or _first(), {places}, {kept}, {given}, {shape}, {dtype}, "
            f"_getframe({depth}), _seen)",
        ],
        "node.n_out = 1": None if op.outputs != 1 else ["_n.n_out = 1"],
        "return node": None if op.outputs != 1 else ["_t._fn = _n"],
        "out = y._a": None,
        **({"if of_inference(notes):": None} if first else {}),  # as of several outputs
    }
    parts = {
        "not tracked(edges)": untracked,
        "not tracked:": f"{untracked}:",
        "low, narrow)": "0, None)",
        "first_cut(notes)": f"{BORN} if {unnoted} else _result_cut({', '.join(notes)})",
        "viewed_cut(notes)": f"None if {unnoted} else _cut_of({', '.join(notes)})",
        "of_inference(notes)": " or ".join(f"({x} is not None and {x}.inference)" for x in notes),
        "refuse_inference(op, inputs)": f"_refuse_inference(_op, {tuple_of(names)})",
        "apart(inputs, y)": f"_apart({tuple_of(names)}, _t)",
        "quiet_view(inputs[0], y)": f"_quiet_view({names[0]}, _t)",
        "handed_on(out, arrays)": " or ".join(shared),
        "own(out, arrays)": f"_own(_r, {tuple_of(f'_a{i}' for i in every)})",
        'cut(f"{op.name}, which has no derivative")': (
            f'_cut_at("inference_mode" if _state.inference else _why, _getframe({depth}), _seen)'
        ),
        'cut("inference_mode" if state.inference else "no_grad")': (
            f'_cut_at("inference_mode" if _state.inference else "no_grad", '
            f"_getframe({depth}), _seen)"
        ),
        # the outputs, and the source of a view
        "return noted(ys, ": f"return _noted({ys}, ",
        "return ys": f"return {ys}",
        "len(ys)": str(op.outputs or "len(_ys)"),
        "viewed": names[0],
        '"several" if nr is not None else ': "",
        "(op, kw, nr)": f"(_op, {params}, None)",
        **({"if not state.enabled:": "if not _on:"} if single else {}),
        "door.state": "_state",
        "door.quiet": "_quiet",
    }
    return pruned(read(door.general), op, words, parts)


def several_views(op: Any, params: str, tracked: str) -> Any:
    """The lines of as many views as the operand's shape says, of one type that has rules of its
    own; others as they come."""
    general = f"return _several(_op, {tuple_of(op.inputs)}, {params}, _r, {tracked}, 0, None)"
    if not op.view or op.outputs:
        return [general]
    unusual = "if _a0.dtype is not _F32 and _a0.dtype is not _F64:"
    return [(unusual, [(general, [])]), *read(door.several)]


# -- the words of that text ------------------------------------------------------------------------


def taken(op: Any, otherwise: str, lead: int) -> list[str]:
    """The lines that take arrays, places on the tape and notes out of the operands."""
    x = op.inputs[lead]
    lines = [
        f"if {x}.__class__ not in _plain: {otherwise}",
        f"_a{lead} = {x}._a",
        *([f"_d = _a{lead}.dtype"] if op.promote is not None or op.compute else []),
        f"if {unfit(op, lead, True)}: {otherwise}",
        *refreshed(op, x),
        f"_f{lead} = {x}._fn",
    ]
    for i in range(len(op.inputs)):
        if i != lead:
            lines += operand(op, i, otherwise)
    if op.check is not None:  # floats of one type have passed it
        asked = "" if op.promote is None else "if _d is not _F32 and _d is not _F64: "
        lines.append(f"{asked}_check({', '.join(op.inputs)})")
    return lines


def refreshed(op: Any, x: str) -> list[str]:
    """The line that gives a view a history that is true; without a derivative none is asked for,
    and views that have none may be used."""
    if op.rules is None:
        return []
    return [f"if {x}._v is not None and {x}._v.seen != {x}._vc.count: _refresh({x})"]


def rule_parameters(op: Any, kw: dict[str, str] | None) -> str:
    """The text of the parameters that rules may read."""
    given = ["**_defaults", "**_kw"]  # of a dictionary that has some of them
    parts = given if kw is None else [f"'{name}': {text}" for name, text in kw.items()]
    if op.wants_shapes:
        shapes = (
            f"_a{i}.shape if _a{i}.__class__ is _ndarray else ()" if i else "_a0.shape"
            for i in range(len(op.inputs))
        )
        parts.append(f"'shapes': {tuple_of(shapes)}")
    elif kw is None:  # all of them in most calls: nobody changes the dictionary of a call
        return f"_kw if len(_kw) == {len(op.defaults)} else {dict_of(parts)}"
    return dict_of(parts)


def unfit(op: Any, i: int, first: bool = False) -> str:
    """The test for arrays that go the long way: narrow ones, other types than the first one's.

    Types are compared by identity: NumPy has one object for each of its own, and what is another
    one (of swapped bytes, say) goes the long way, which is right for all.
    """
    tests = [] if bare(op) else [f"_a{i}.__class__ is not _ndarray"]  # a ufunc refuses stand-ins
    if op.promote is not None and not first:
        tests.append(f"_a{i}.dtype is not _d")
    elif op.promote is not None or op.compute:
        dtype = "_d" if first else f"_a{i}.dtype"
        others = "" if op.promote == "float" else f" and {dtype} not in _others"
        if op.accepts is not None and dtypes.int64 not in op.accepts.types:
            others = ""
        elif op.accepts is not None and dtypes.bool not in op.accepts.types:
            others = f" and {dtype} is not _I64"
        tests.append(f"({dtype} is not _F32 and {dtype} is not _F64{others})")
    elif op.accepts is not None and i == 0:  # `door.taken` asks of the first one
        tests.append("(_a0.dtype is not _F32 and _a0.dtype not in _accepted)")
    return " or ".join(tests)


def bare(op: Any) -> bool:
    """Whether an operation is one ufunc, which takes numbers as they are."""
    return op.kind == "elementwise" and isinstance(op.ufunc, np.ufunc)


def operand(op: Any, i: int, otherwise: str) -> list[str]:
    """The lines that take the array, the place on the tape and the note out of an operand."""
    name = op.inputs[i]
    lines = [
        f"if {name}.__class__ in _plain:",
        f"    _a{i} = {name}._a",
        f"    if {unfit(op, i)}: {otherwise}",
        *(f"    {line}" for line in refreshed(op, name)),
        f"    _f{i} = {name}._fn",
        f"    _x{i} = {name}._x",
    ]
    if op.promote is not None and (op.numbers is None or i in op.numbers):
        number = f"_asarray({name}, _d)"
        if bare(op):
            number = f"{name} if _d is not _I64 else {number}"
        lines += [
            f"elif ({name}.__class__ is _int or ({name}.__class__ is _float and _d is not _I64)) "
            "and _d is not _BOOL:",
            f"    try: _a{i} = {number}",
            f"    except _refused: {otherwise}",
            f"    _f{i} = _x{i} = None",
        ]
        if op.numerics.rows and i == 0:  # the number in front of the second operand
            lines.append(f"    if not _a1.flags.c_contiguous: {otherwise}")
    if op.input_defaults[i] is None:
        lines += [f"elif {name} is None:", f"    _a{i} = _f{i} = _x{i} = None"]
    return [*lines, f"else: {otherwise}"]


def computed(op: Any, kw: dict[str, str] | None, lead: int) -> str:
    """The call of the array function; of a formula itself, unless `fused` may want a kernel."""
    every = range(len(op.inputs))
    named = [f"{name}={text}" for name, text in kw.items()] if kw is not None else ["**_kw"]
    given = ", ".join([*(f"_a{i}" for i in every), *(named if op.defaults else [])])
    if op.kind != "elementwise":
        return f"_fn({given})"
    tests = ["_a0.size < _least" if len(op.inputs) == 1 else small(op, i) for i in every]
    if op.numerics.numpy == "arithmetic":  # the same bits both ways: to look at one will do
        tests = [f"_a{lead}.size < _least"]
    return f"_formula({given}) if {' and '.join(tests)} else _fn({given})"


def small(op: Any, i: int) -> str:
    number = op.promote is not None and bare(op)
    optional = op.input_defaults[i] is None
    test = f"_a{i}.size < _least"
    return f"(_a{i}.__class__ is not _ndarray or {test})" if number or optional else test


def fixed(op: Any) -> bool:
    """Whether a record says how many outputs it has, more than one."""
    return op.outputs > 1 and not op.view


def outputs(op: Any) -> range:
    """The numbers of the outputs, where there are several."""
    return range(op.outputs if fixed(op) else 0)


def kept_output(op: Any, nr: int) -> str:
    """What a node keeps of output `nr`: `door.kept_outputs`."""
    if op.saves is not None and nr not in op.saves:
        return "None"
    return f"_r{nr}" if op.differentiable is None or nr in op.differentiable else f"_t{nr}"


def wrapped(nr: int) -> list[str]:
    """The lines that make a tensor of output `nr`."""
    return [
        f"_r{nr} = _r[{nr}]",
        f"if _r{nr}.__class__ is not _ndarray: _r{nr} = _asarray(_r{nr})",
        f"_t{nr} = _new(_Tensor)",
        f"_t{nr}._a = _r{nr}",
        f"_t{nr}._fn = _t{nr}._vc = _t{nr}._v = None",
        f"_t{nr}._x = {BORN}",
    ]


def attached(op: Any) -> list[str]:
    """The lines that give outputs their places at the node."""
    return [
        f"if _r{nr}.dtype is _F32 or _r{nr}.dtype.kind in 'fcV': _t{nr}._fn = _Out(_n, {nr})"
        for nr in outputs(op)
        if op.differentiable is None or nr in op.differentiable
    ]


def saved(op: Any, result: str) -> str:
    """The text of what is kept: each value when a gradient is wanted whose rule reads it."""
    n = len(op.inputs)
    op.get_rules()
    rows = [op.keeps(i, n) for i in range(n)]
    parts = []
    reading: set[int] = set()
    for place, value in enumerate((result, *op.inputs)):
        readers = [i for i in range(n) if rows[i][place]]
        reading.update(readers)
        if len(readers) == n:
            parts.append(value)
        elif readers:
            wanted = " or ".join(f"_f{i} is not None" for i in readers)
            parts.append(f"{value} if {wanted} else None")
        else:
            parts.append("None")
    if not reading:
        return "()"
    wanted = " or ".join(f"_f{i} is not None" for i in sorted(reading))
    return tuple_of(parts) + ("" if len(reading) == n else f" if {wanted} else ()")


def tuple_of(items: Any) -> str:
    """The text of a tuple."""
    return "(" + "".join(f"{item}, " for item in items) + ")"


def dict_of(items: Any) -> str:
    """The text of a dictionary."""
    return "{" + ", ".join(items) + "}"


def written(signature: str, lines: list[str]) -> str:
    """The text of a function."""
    return f"def call({signature}):\n" + "".join(f"    {line}\n" for line in lines)


def core_text(op: Any) -> str:
    """`core(parameters, *tensors)`: what `door.apply` calls."""
    otherwise = f"return _general(_op, _given({tuple_of(op.inputs)}), _kw)"
    lines = body(op, None, otherwise, depth=2)  # behind `door.apply`
    if not op.defaults:  # a parameter it does not have: the long way says so
        lines.insert(0, f"if _kw: {otherwise}")
    return written(", ".join(["_kw", *(f"{n}=_missing" for n in op.inputs)]), lines)


def called_text(op: Any) -> str:
    """`Op.call(inputs, parameters)`: what composites call."""
    otherwise = "return _slow(_inputs, _kw, _known_as)"
    wrong = f"len(_inputs) != {len(op.inputs)}"
    if not op.defaults:  # a parameter it does not have: the long way says so
        wrong = f"_kw or {wrong}"
    lines = [f"if {wrong}: {otherwise}", f"{tuple_of(op.inputs)} = _inputs"]
    lines += body(op, None, otherwise)
    if op.__class__ is First and op.hands_on:
        lines = [line + ", _o" if line.lstrip() == "return _t" else line for line in lines]
    return written("_inputs, _kw, _known_as=None", lines)


def general_text(op: Any) -> str:
    """`core` of an operation on any number of tensors: the tests of the record are decided."""
    return written("_kw, *_inputs", pruned(read(door.general), op, {}, {}))


def unusual(op: Any, statics: list[str]) -> list[str]:
    """What is asked of the classes of parameters: whether one is not usual for its kind."""
    return [f"{s}.__class__ not in {op.signature.usual_name(s)}" for s in statics]


def entry_text(op: Any, attempted: bool = False, common: bool = False) -> str:
    """The public function; with `common` for calls that the composite says are, with `attempted`
    for those that its function does not answer None to."""
    names, statics = op.inputs, list(op.defaults)
    signature = [
        f"{n}=None" if d is None else f"{n}=_missing"
        for n, d in zip(names, op.input_defaults, strict=True)
    ]
    if op.varargs:  # x.permute(2, 0, 1) and x.permute((2, 0, 1))
        (dims,) = statics
        otherwise = f"return _slow({tuple_of(names)}, (), _rest, _kw)"
        lines = [
            f"if _kw or not _rest: {otherwise}",
            f"{dims} = _rest if _rest[0].__class__ is _int else _rest[0]",
            f"if {dims} is not _rest and (len(_rest) > 1 or {dims}.__class__ is not _tuple):",
            f"    {otherwise}",
        ]
        if not attempted:  # that looks at them
            lines += [f"for _n in {dims}:", f"    if _n.__class__ is not _int: {otherwise}"]
    else:
        signature += [f"{s}=_default_{s}" for s in statics]
        otherwise = f"return _slow({tuple_of(names)}, {tuple_of(statics)}, _rest, _kw)"
        wrong = " or ".join(["_rest", "_kw", *unusual(op, statics)])
        lines = [f"if {wrong}: {otherwise}"]
        if common:
            lines.append(f"if not _common({', '.join([*names, *statics])}): {otherwise}")
    lines += body(op, {s: s for s in statics}, otherwise)
    return written(", ".join([*signature, "*_rest", "**_kw"]), lines)


def ordered_text(op: Any, order: tuple[str, ...]) -> str:
    """The public function of an operation whose operands and parameters stand in another order, or
    before more of them; what else there is goes on as it was called."""
    n, otherwise = len(order), "return _slow(*_args, **_kw)"
    lines = ["_n = len(_args)", f"if _n == {n} and not _kw: {', '.join(order)} = _args"]
    for k in (1, 2)[: n - 1]:  # the last ones by name
        named = " and ".join(f"'{name}' in _kw" for name in order[-k:])
        given = "".join(f", _kw['{name}']" for name in order[-k:])
        test = f"_n == {n - k} and len(_kw) == {k} and {named}"
        lines.append(f"elif {test}: {', '.join(order)} = *_args{given}")
    lines.append(f"else: {otherwise}")
    wrong = unusual(op, list(op.defaults))
    lines += [f"if {' or '.join(wrong)}: {otherwise}"] if wrong else []
    lines += body(op, {s: s for s in op.defaults}, otherwise)
    return written("*_args, **_kw", lines)


def sequence_text(op: Any) -> str:
    """The public function of an operation on one sequence of tensors, such as `cat`: its short way
    is for tensors of one type; with a history it goes on in `core`, as `Op.call` does."""
    statics = list(op.defaults)
    given = ", ".join(["_tensors", *statics])
    parameters = dict_of(f"'{s}': {s}" for s in statics)
    otherwise = f"return _slow({given}, _rest, _kw)"
    wrong = " or ".join(["_rest", "_kw", *unusual(op, statics)])
    each = [
        f"if _x.__class__ not in _plain: {otherwise}",
        "if _x._v is not None and _x._v.seen != _x._vc.count: _refresh(_x)",
        "if _x._fn is not None or _x._x is not None: _history = True",
        "_a = _x._a",
        f"if _a.__class__ is not _ndarray or (_a.dtype is not _d and _d is not None): {otherwise}",
        "_d = _a.dtype",
        "_arrays.append(_a)",
    ]
    words: dict[str, Any] = {
        "arrays, edges, notes, low, narrow = taken(op, inputs, kw)": [
            f"if {wrong} or _tensors.__class__ not in _sequences: {otherwise}",
            "_arrays, _d, _history = [], None, False",
            "for _x in _tensors:",
            *(f"    {line}" for line in each),
            f"if _history: return _op.core({parameters}, *_tensors)",
            f"if _d is not _F32 and _d is not _F64 and _d is not _I64: {otherwise}",
        ],
        "out = computed(op, inputs, arrays, kw, narrow)": [
            f"try: _r = _fn(*_arrays, {', '.join(f'{s}={s}' for s in statics)})",
            "except _refused: _r = None",
            f"if _r is None: {otherwise}",
        ],
        "return finish(op, inputs, kw, y, low, narrow)": None,
    }
    parts = {"if not tracked(edges):": "if True:", "first_cut(notes)": BORN}
    parts |= {"of_inference(notes)": "False"}
    lines = pruned(read(door.general), op, words, parts)
    signature = ["_tensors=_missing", *(f"{s}=_default_{s}" for s in statics), "*_rest", "**_kw"]
    return written(", ".join(signature), lines)


def method_text(op: Any, swap: bool) -> str:
    """`a.exp()` and `a + b`; with `swap` the reflected operator, where a stands on the right."""
    names = ", ".join(reversed(op.inputs) if swap else op.inputs)
    return written(names, body(op, {}, f"return _slow({names})", int(swap)))


def item_text(op: Any) -> str:
    """`a[i]` for a number i, which is the parameter `index` of `select`."""
    lines = body(op, {"dim": "0", "index": "key"}, f"return _slow({op.inputs[0]}, key)")
    lines.insert(0, f"if key.__class__ is not _int: return _slow({op.inputs[0]}, key)")
    return written(f"{op.inputs[0]}, key", lines)


def slice_text(op: Any) -> str:
    """`a[i:j]`, which `item_text` has come to: the parameters of `slice`."""
    slow = f"return _slow({op.inputs[0]}, key)"
    lines = [
        f"if key.__class__ is not slice or key.step is not None: {slow}",
        "_start, _end = key.start, key.stop",
        f"if _start is not None and _start.__class__ is not _int: {slow}",
        f"if _end is not None and _end.__class__ is not _int: {slow}",
        *body(op, {"dim": "0", "start": "_start", "end": "_end", "step": "1"}, slow, depth=2),
    ]
    return written(f"{op.inputs[0]}, key", lines)
