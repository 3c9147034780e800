"""An instrumented copy of a Python function: the same code, with a hook wherever it reads or acts.

    def forward(self, x):                     def forward(self, x):
        y = self.fc(x)                            y = _rl.call(_rl.attr(self, "fc"), x)
        if self.training:          becomes        if _rl.attr(self, "training"):
            y = F.relu(y)                             y = _rl.call(_rl.attr(F, "relu"), y)
        return y                                  return y

The copy is compiled from the function's syntax tree, keeps file, lines, globals, defaults and
closure, and runs natively: control flow, exceptions and generators are Python's. What the hooks do
is in `reading.py` and `acting.py`. A function whose source is not there, or that holds a statement
which nobody can look into (a class, `await`, `match`, `global x; x = …`), has no copy.
"""

from __future__ import annotations

import ast
import copy
import dis
import functools
import linecache
import os
import weakref
from types import CellType, CodeType, FunctionType
from typing import Any

HOOKS = "_rl"
MADE = "_rl_made"  # what a function is called while it is made of its tree
PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
FUTURE = 0x1FF0000  # the flags of `from __future__ import …` in co_flags


class NoCopy(Exception):
    """A function of which there is no instrumented copy, and why."""


def instrumented(fn: FunctionType, hooks: Any) -> FunctionType:
    """The copy of `fn` that calls `hooks`.

    Raises:
        NoCopy: there is none; the text says why.
    """
    code = copied(fn.__code__)
    given = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    given[HOOKS] = CellType(hooks)
    closure = tuple([given[name] for name in code.co_freevars])
    made = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__qualname__, made.__module__ = fn.__qualname__, fn.__module__
    return made


_codes: weakref.WeakKeyDictionary[CodeType, CodeType | str] = weakref.WeakKeyDictionary()


def copied(code: CodeType) -> CodeType:
    """The instrumented copy of a function's code, made once."""
    found = _codes.get(code)
    if found is None:
        try:
            found = copy_of(code)
        except NoCopy as error:
            found = str(error)
        _codes[code] = found
    if isinstance(found, str):
        raise NoCopy(found)
    return found


def copy_of(code: CodeType) -> CodeType:
    """`copied`, made anew."""
    if code.co_flags & 0x80 or code.co_flags & 0x200:  # async def, async generators
        raise NoCopy("it is asynchronous")
    for instruction in instructions(code):
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise NoCopy(f"it sets the global {instruction.argval}")
        if instruction.opname in ("STORE_DEREF", "DELETE_DEREF") \
                and instruction.argval in code.co_freevars:  # fmt: skip
            raise NoCopy(f"it sets {instruction.argval} of the function around it")
    node, owner = source_of(code)
    if id(code) not in nodes_of and not code.co_filename.startswith(PACKAGE):
        check_source(code, node, owner)
    changed = Hooked(owner).function(tree_copy(node))
    if isinstance(changed, ast.FunctionDef):
        changed.name = MADE  # its own name in it is the global, or the closure's, as it was
    names = [HOOKS, *code.co_freevars]
    body = changed if isinstance(changed, ast.FunctionDef) else ast.Expr(changed)
    outer = function_def("_factory", named(names), [body])
    module = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
    made = compile(module, code.co_filename, "exec", code.co_flags & FUTURE, True)
    factory = next(c for c in made.co_consts if isinstance(c, CodeType))
    found = next(c for c in factory.co_consts if isinstance(c, CodeType))
    return named_as(found, found.co_qualname, code.co_qualname).replace(co_name=code.co_name)


def check_source(code: CodeType, node: Any, owner: str) -> None:
    """The code is what its source says: the file may have changed since it was loaded."""
    plain = copy.copy(node)  # (its parts are not changed)
    if isinstance(plain, ast.FunctionDef):
        plain.decorator_list, plain.name = [], MADE
    body = plain if isinstance(plain, ast.FunctionDef) else ast.Expr(plain)
    module = ast.parse(f"class {owner}: pass" if owner else "")
    holder: Any = module.body[0] if owner else module  # private names are those of its class
    holder.body = [function_def("_factory", named(code.co_freevars), [body])]
    ast.fix_missing_locations(module)
    found = compile(module, code.co_filename, "exec", code.co_flags & FUTURE, True)
    for _ in range(3 if owner else 2):
        found = next(c for c in found.co_consts if isinstance(c, CodeType))
    if not same_code(found, code):
        raise NoCopy("its code is not what its source says")


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two codes do the same."""
    if (a.co_names, a.co_varnames) != (b.co_names, b.co_varnames):
        return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    for x, y in zip(a.co_consts, b.co_consts, strict=True):
        if isinstance(x, CodeType) and isinstance(y, CodeType):
            if not same_code(x, y):
                return False
        elif type(x) is not type(y) or (
            x != y if isinstance(x, frozenset) else repr(x) != repr(y)  # -0.0 == 0.0
        ):
            return False
    return a.co_code == b.co_code or words_of(a) == words_of(b)


JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
NO_WORDS = ("PUSH_NULL", "PRECALL", "EXTENDED_ARG", "NOP")


def words_of(code: CodeType) -> list[tuple[str, Any]]:
    """A code's instructions, apart from the ways in which Python calls what a module imports."""
    return [
        ("LOAD_ATTR" if i.opname == "LOAD_METHOD" else i.opname,
         None if i.opcode in JUMPS or isinstance(i.argval, CodeType) else i.argval)
        for i in dis.get_instructions(code) if i.opname not in NO_WORDS
    ]  # fmt: skip


def named_as(code: CodeType, before: str, name: str) -> CodeType:
    """A function's code with another full name, and those written inside it: errors tell it."""
    inner = [
        named_as(c, before, name) if isinstance(c, CodeType) else c for c in code.co_consts
    ]  # fmt: skip
    full = name + code.co_qualname.removeprefix(before)
    return code.replace(co_qualname=full, co_consts=tuple(inner))


def instructions(code: CodeType) -> list[dis.Instruction]:
    """Those of a code object and of all functions written inside it that reach its variables."""
    found = list(dis.get_instructions(code))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            free = set(inner.co_freevars) & set(code.co_freevars)
            found += [
                i for i in instructions(inner)
                if not i.opname.endswith("_DEREF") or i.argval in free
            ]  # fmt: skip
    return found


def global_names(code: CodeType) -> list[str]:
    """The globals that a function mentions."""
    names = [i.argval for i in instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    return list(dict.fromkeys(names))


# -- finding the source ----------------------------------------------------------------------------


@functools.lru_cache(maxsize=4)
def tree_of(text: str) -> ast.Module:
    """The tree of a file."""
    return ast.parse(text)


def functions_at(tree: ast.Module, line: int, name: str) -> list[tuple[Any, str]]:
    """The functions of that name that begin in a line, each with the class around it."""
    found: list[tuple[Any, str]] = []

    def look(node: ast.AST, owner: str) -> None:
        decorators = [d.lineno for d in getattr(node, "decorator_list", ())]
        if isinstance(node, ast.stmt) and not (
            min([node.lineno, *decorators]) <= line <= (node.end_lineno or line)
        ):
            return
        if isinstance(node, ast.FunctionDef | ast.Lambda) and (
            (min([node.lineno, *decorators]), getattr(node, "name", "<lambda>")) == (line, name)
        ):
            found.append((node, owner))
        for child in ast.iter_child_nodes(node):
            look(child, node.name if isinstance(node, ast.ClassDef) else owner)

    look(tree, "")
    return found


def tree_copy(x: Any) -> Any:
    """A copy of a tree, as `copy.deepcopy` makes it."""
    if isinstance(x, ast.AST):
        made = x.__class__.__new__(x.__class__)
        made.__dict__.update({k: tree_copy(v) for k, v in x.__dict__.items()})
        return made
    return [tree_copy(v) for v in x] if x.__class__ is list else x


def block_of(code: CodeType, lines: list[str]) -> ast.FunctionDef | None:
    """The tree of a function from its own lines alone, which is quicker; None where that fails."""
    start = code.co_firstlineno - 1
    if start >= len(lines):
        return None
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = last = last_line(code)
    for k in range(last, len(lines)):  # lines without code: a comment, the end of an expression
        line = lines[k]
        text = line.lstrip()
        if text and len(line) - len(text) <= indent and text[0] not in ")]}#":
            break
        end = k + 1
    text = "".join(lines[start:end])
    try:
        tree: Any = ast.parse("if 1:\n" + text if indent else text).body
        node = (tree[0].body if indent else tree)[0]
    except (SyntaxError, ValueError, RecursionError, IndexError):
        return None
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return None
    return ast.increment_lineno(node, start - bool(indent))


def last_line(code: CodeType) -> int:
    """The last line that a function, or one written inside it, has code of."""
    ends = [p[1] or 0 for p in code.co_positions()]
    return max([*ends, *[last_line(c) for c in code.co_consts if isinstance(c, CodeType)]])


def owner_of(qualname: str) -> str:
    """The class that a function was written in, of its full name.

    >>> owner_of("A.B.f"), owner_of("A.f.<locals>.g"), owner_of("f.<locals>.g")
    ('B', 'A', '')
    """
    for part in reversed(qualname.split(".<locals>.")):
        if "." in part:
            return part.split(".")[-2]
    return ""


# The trees of functions that were made of trees (`split.py`), by the identity of their code: codes
# of two parts may be equal, and one may live longer.
nodes_of: dict[int, tuple[Any, str]] = {}


def keep_node(code: CodeType, node: Any, owner: str) -> None:
    """Note the tree that a code was made of, for as long as that lives."""
    nodes_of[id(code)] = node, owner
    weakref.finalize(code, nodes_of.pop, id(code), None)


def source_of(code: CodeType) -> tuple[Any, str]:
    """The syntax tree of a function, and the class that it was written in."""
    made = nodes_of.get(id(code))
    if made is not None:
        return made
    lines = linecache.getlines(code.co_filename)
    if not lines:
        raise NoCopy("its source is not there")
    node = None if code.co_name == "<lambda>" else block_of(code, lines)
    if node is not None:
        return node, owner_of(code.co_qualname)
    try:
        tree = tree_of("".join(lines))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NoCopy("its source cannot be read") from error
    found = functions_at(tree, code.co_firstlineno, code.co_name)
    if len(found) > 1:
        spans = {p[2:] for p in code.co_positions() if p[2] is not None}
        lowest = min((s[0] for s in spans if s[0]), default=0)
        found = [f for f in found if isinstance(f[0], ast.Lambda)
                 and f[0].col_offset <= lowest <= (f[0].end_col_offset or 0)]  # fmt: skip
    if len(found) != 1:
        raise NoCopy("its source cannot be told from others")
    return found[0]


# -- writing hooks ---------------------------------------------------------------------------------


def hook(name: str, *args: ast.expr, like: ast.AST) -> ast.Call:
    """`_rl.name(*args)` at the place of another node."""
    called = ast.Attribute(value=ast.Name(id=HOOKS, ctx=ast.Load()), attr=name, ctx=ast.Load())
    made = ast.copy_location(ast.Call(func=called, args=list(args), keywords=[]), like)
    # Python says of an attribute, and of the call of one, the line that the attribute's name is in.
    at = like.func if isinstance(like, ast.Call) else like
    if isinstance(at, ast.Attribute) and at.lineno != at.end_lineno:
        made.lineno = at.end_lineno or at.lineno
        made.col_offset = max(0, (at.end_col_offset or 0) - len(at.attr))
    ast.copy_location(called, made)
    called.end_lineno, called.end_col_offset = called.lineno, called.col_offset
    return made


UNSEEN = (ast.AsyncFor, ast.AsyncWith, ast.Await, ast.ClassDef, ast.Match, ast.AsyncFunctionDef,
          ast.TryStar)  # fmt: skip


class Hooked(ast.NodeTransformer):
    """Puts hooks into a function."""

    def __init__(self, owner: str) -> None:
        self.owner = owner.lstrip("_")

    def function(self, node: Any) -> Any:
        """The function with its body changed, without decorators and annotations."""
        if isinstance(node, ast.Lambda):
            return ast.copy_location(ast.Lambda(args=bare(node.args), body=self.visit(node.body)),
                                     node)  # fmt: skip
        body = [self.visit(s) for s in node.body]
        new = function_def(node.name, bare(node.args), flat(body))
        return ast.copy_location(new, node)

    def generic_visit(self, node: ast.AST) -> Any:
        if isinstance(node, UNSEEN):
            raise NoCopy(f"line {getattr(node, 'lineno', '?')} holds "
                         f"{type(node).__name__}, which is not looked into")  # fmt: skip
        return super().generic_visit(node)

    def mangled(self, name: str) -> str:
        """A private name of a class, as Python keeps it."""
        private = name.startswith("__") and not name.endswith("__")
        return f"_{self.owner}{name}" if private and self.owner else name

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.decorator_list:
            raise NoCopy(f"line {node.lineno} decorates a function inside it")
        made = self.function(node)
        made.args.defaults = [self.visit(d) for d in node.args.defaults]
        made.args.kw_defaults = [None if d is None else self.visit(d)
                                 for d in node.args.kw_defaults]  # fmt: skip
        return made

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        made = self.function(node)
        made.args.defaults = [self.visit(d) for d in node.args.defaults]
        return made

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    # reading

    def visit_Name(self, node: ast.Name) -> Any:
        node.id = self.mangled(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        name = self.mangled(node.attr)
        value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            return hook("attr", value, ast.Constant(name), like=node)
        place = hook("target", value, ast.Constant(name), like=node)
        return ast.copy_location(ast.Attribute(value=place, attr=name, ctx=node.ctx), node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            return hook("item", value, self.index(node.slice), like=node)
        place = hook("target", value, ast.Constant(None), like=node)
        return ast.copy_location(
            ast.Subscript(value=place, slice=self.visit(node.slice), ctx=node.ctx), node
        )

    def index(self, node: ast.expr) -> ast.expr:
        """What stands in brackets, as an expression."""
        if isinstance(node, ast.Slice):
            none = ast.Constant(None)
            parts = [none if p is None else self.visit(p)
                     for p in (node.lower, node.upper, node.step)]  # fmt: skip
            return hook("slice", *parts, like=node)
        if isinstance(node, ast.Tuple):
            elements = [self.index(e) for e in node.elts]
            return ast.copy_location(ast.Tuple(elts=elements, ctx=ast.Load()), node)
        return self.visit(node)  # type: ignore[no-any-return]

    def visit_Starred(self, node: ast.Starred) -> Any:
        value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            value = hook("whole", value, like=node)
        return ast.copy_location(ast.Starred(value=value, ctx=node.ctx), node)

    # acting

    def visit_Call(self, node: ast.Call) -> Any:
        bare_super = isinstance(node.func, ast.Name) and node.func.id == "super"
        if bare_super and not node.args:
            return node
        made = hook("call", self.visit(node.func), *[self.visit(a) for a in node.args], like=node)
        for k in node.keywords:
            value = self.visit(k.value)
            if k.arg is None:
                value = hook("whole", value, like=node)
            made.keywords.append(ast.keyword(arg=k.arg, value=value))
        return made

    def visit_Assign(self, node: ast.Assign) -> Any:
        value = self.visit(node.value)
        (first, *more) = node.targets
        if isinstance(first, ast.Attribute) and not more:
            call = hook("set", value, self.visit(first.value),
                        ast.Constant(self.mangled(first.attr)), like=node)  # fmt: skip
            return ast.copy_location(ast.Expr(call), node)
        if any(isinstance(t, ast.Tuple | ast.List) for t in node.targets):
            value = hook("whole", value, like=node)
        targets = [self.visit(t) for t in node.targets]
        return ast.copy_location(ast.Assign(targets=targets, value=value), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        value = hook("operand", self.visit(node.value), like=node)
        if isinstance(node.target, ast.Attribute | ast.Subscript):
            name = getattr(node.target, "attr", None)
            place = hook("target", self.visit(node.target.value),
                         ast.Constant(None if name is None else self.mangled(name)),
                         like=node)  # fmt: skip
            if isinstance(node.target, ast.Attribute):
                target: Any = ast.Attribute(value=place, attr=self.mangled(str(name)),
                                            ctx=ast.Store())  # fmt: skip
            else:
                target = ast.Subscript(value=place, slice=self.visit(node.target.slice),
                                       ctx=ast.Store())  # fmt: skip
            ast.copy_location(target, node.target)
        else:
            target = self.visit(node.target)
        return ast.copy_location(ast.AugAssign(target=target, op=node.op, value=value), node)

    def visit_For(self, node: ast.For) -> Any:
        node.iter = hook("whole", self.visit(node.iter), like=node.iter)
        node.target = self.visit(node.target)
        node.body = flat([self.visit(s) for s in node.body])
        node.orelse = flat([self.visit(s) for s in node.orelse])
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        if node.is_async:
            raise NoCopy("it is asynchronous")
        node.iter = hook("whole", self.visit(node.iter), like=node.iter)
        node.target = self.visit(node.target)
        node.ifs = [self.visit(i) for i in node.ifs]
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> Any:
        node.value = hook("whole", self.visit(node.value), like=node)
        return node

    def visit_With(self, node: ast.With) -> Any:
        for item in node.items:
            item.context_expr = hook("context", self.visit(item.context_expr), like=node)
            if item.optional_vars is not None:
                item.optional_vars = self.visit(item.optional_vars)
        node.body = flat([self.visit(s) for s in node.body])
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        told = ast.copy_location(ast.Expr(hook("caught", like=node)), node)
        node.body = [told, *flat([self.visit(s) for s in node.body])]
        if node.type is not None:
            node.type = self.visit(node.type)
        return node

    # operators: what they are given must be known

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        node.left = hook("operand", self.visit(node.left), like=node.left)
        node.right = hook("operand", self.visit(node.right), like=node.right)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = hook("operand", self.visit(node.operand), like=node.operand)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        if all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            return super().generic_visit(node)
        node.left = hook("operand", self.visit(node.left), like=node.left)
        node.comparators = [hook("operand", self.visit(c), like=c) for c in node.comparators]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        node.values = [hook("truth", self.visit(v), like=v) for v in node.values]
        return node

    def visit_If(self, node: Any) -> Any:
        node.test = hook("truth", self.visit(node.test), like=node.test)
        node.body = flat([self.visit(s) for s in node.body])
        node.orelse = flat([self.visit(s) for s in node.orelse])
        return node

    visit_While = visit_If

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test = hook("truth", self.visit(node.test), like=node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        node.value = hook("operand", self.visit(node.value), like=node.value)
        return node


def function_def(name: str, args: ast.arguments, body: list[Any]) -> ast.FunctionDef:
    """A function as a syntax tree."""
    made = ast.FunctionDef(name=name, args=args, body=body, decorator_list=[], returns=None)
    if "type_params" in ast.FunctionDef._fields:  # from Python 3.12 on
        made.type_params = []  # type: ignore[attr-defined]
    return made


def named(names: Any) -> ast.arguments:
    """Arguments without defaults."""
    return ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=n) for n in names], kwonlyargs=[], kw_defaults=[],
        defaults=[],
    )  # fmt: skip


def bare(args: ast.arguments) -> ast.arguments:
    """Arguments without annotations and with defaults that nobody evaluates."""

    def plain(a: ast.arg | None) -> Any:
        return None if a is None else ast.copy_location(ast.arg(arg=a.arg), a)

    return ast.arguments(
        posonlyargs=[plain(a) for a in args.posonlyargs], args=[plain(a) for a in args.args],
        vararg=plain(args.vararg), kwonlyargs=[plain(a) for a in args.kwonlyargs],
        kw_defaults=[None if d is None else ast.Constant(None) for d in args.kw_defaults],
        kwarg=plain(args.kwarg), defaults=[ast.Constant(None) for _ in args.defaults],
    )  # fmt: skip


def flat(statements: list[Any]) -> list[ast.stmt]:
    """Statements, of which some became several or none."""
    found: list[ast.stmt] = []
    for s in statements:
        if s is not None:
            found += s if isinstance(s, list) else [s]
    return found or [ast.Pass()]
