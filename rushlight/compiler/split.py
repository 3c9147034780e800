"""Splitting: a function of which one statement cannot be replayed.

    def step(x, y):                      def step(x, y):
        loss = train(x, y)                   (loss,) = _head(x, y)         compiled
        print(loss.item())     becomes       print(loss.item())            eager
        ema.update()                         return _rest()                compiled
        return loss

The statements before and behind it are functions of their own, given the variables that they read
and giving back those that are read later; each is compiled, and may be split again. What the eager
statement calls (modules and functions of the user's) is compiled for itself. A function stays whole
where its variables are shared with functions inside it, where the first part may return, or where a
variable may not be set.
"""

from __future__ import annotations

import ast
import copy
import weakref
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from . import known
from .instrument import MADE, NoCopy, bare, function_def, keep_node, named, source_of

HEAD, REST, INNER = "_rl_head", "_rl_rest", "_rl_inner"


def driver(fn: FunctionType, line: int, compiled: Any) -> FunctionType | None:
    """`fn` with the statement at a line between two compiled parts; None: it stays whole.

    Args:
        compiled: makes a compiled function of a function.
    """
    code = fn.__code__
    if code.co_flags & 0x2A0 or code.co_cellvars:  # generators, coroutines, shared variables
        return None
    try:
        node, owner = source_of(code)
    except NoCopy:
        return None
    if not isinstance(node, ast.FunctionDef):
        return None
    at = next((k for k, s in enumerate(node.body) if s.lineno <= line <= (s.end_lineno or 0)), None)
    if at is None:
        return None
    start = 1 if ast.get_docstring(node, clean=False) is not None else 0
    head, middle, rest = node.body[start:at], node.body[at], node.body[at + 1 :]
    if any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal)
           for s in head for n in ast.walk(s)):  # fmt: skip
        return None
    if not head and not rest and not any(isinstance(n, ast.Call) for n in ast.walk(middle)):
        return None
    params = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    params += [a.arg for a in (node.args.vararg, node.args.kwarg) if a is not None]
    local = set(code.co_varnames)
    body: list[Any] = []
    space: dict[str, Any] = {INNER: Inner(compiled)}
    bound = set(params)
    if head:
        given = [p for p in params if p in loads(head) & bound]
        after = bound | definite(head)
        wanted = sorted(loads([middle, *rest]) & stores(head))
        if not set(wanted) <= after or not stores(head) & loads([middle, *rest]) <= after:
            return None
        part = function(fn, node, owner, head, given, wanted)
        space[HEAD] = compiled(part)
        call = ast.Call(func=name(HEAD), args=[name(n) for n in given], keywords=[])
        body.append(
            ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in wanted], ast.Store())], call)
            if wanted else ast.Expr(call)
        )  # fmt: skip
        bound |= after
    inner = Calls().visit(copy.deepcopy(middle))
    body.append(inner)
    if rest:
        left = leaves(middle)
        if left:
            return None
        possible = bound | definite([middle])
        given = sorted(loads(rest) & local & (bound | stores([middle])))
        if not set(given) <= possible:
            return None
        part = function(fn, node, owner, rest, given, None)
        space[REST] = compiled(part)
        call = ast.Call(func=name(REST), args=[name(n) for n in given], keywords=[])
        body.append(ast.Return(call))
    for s in body:
        ast.copy_location(s, middle)
    made = function_def(node.name, bare(node.args), body)
    ast.copy_location(made, node)
    return built(fn, made, space)


class Inner:
    """What an eager statement calls: compiled, where it is the user's."""

    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled
        self.known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    def __call__(self, fn: Any) -> Any:
        from ..nn import Module

        if isinstance(fn, MethodType):
            owner, function = fn.__self__, fn.__func__
            if not isinstance(function, FunctionType) or not eligible(function):
                return fn
            return MethodType(self.of(function), owner)
        if isinstance(fn, Module) or (isinstance(fn, FunctionType) and eligible(fn)):
            return self.of(fn)
        return fn

    def of(self, fn: Any) -> Any:
        """The compiled form of a module or function, kept as long as that lives."""
        found = self.known.get(fn)
        if found is None:
            within = getattr(type(fn), "_compiled_within", None)
            found = self.compiled(fn) if within is None else within(fn, self.compiled)
            self.known[fn] = found
        return found


def eligible(fn: FunctionType) -> bool:
    """Whether a function is the user's, with statements worth compiling."""
    return not known.is_ours(fn) and not getattr(fn, "_rushlight_disable", False) \
        and not fn.__code__.co_flags & 0x2A0  # fmt: skip


class Calls(ast.NodeTransformer):
    """`f(x)` becomes `_rl_inner(f)(x)`."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "print", "len"):
            return node
        func = ast.Call(func=name(INNER), args=[node.func], keywords=[])
        node.func = ast.copy_location(func, node.func)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef


def function(fn: FunctionType, node: ast.FunctionDef, owner: str, body: list[Any],
             given: list[str], wanted: list[str] | None) -> FunctionType:  # fmt: skip
    """Some statements of a function as a function of the variables that they read."""
    statements = [copy.deepcopy(s) for s in body]
    if wanted is not None:
        values = ast.Tuple([name(n) for n in wanted], ast.Load())
        statements.append(ast.copy_location(ast.Return(values), body[-1]))
    made = function_def(node.name, named(given), statements)
    ast.copy_location(made, body[0])
    plain = copy.deepcopy(ast.fix_missing_locations(made))
    part = built(fn, made, {})
    keep_node(part.__code__, plain, owner)
    return part


def built(fn: FunctionType, node: ast.FunctionDef, space: dict[str, Any]) -> FunctionType:
    """A function of a syntax tree, with the globals and the closure of another one."""
    code = fn.__code__
    node = copy.copy(node)
    node.name = MADE  # its own name in it is the global, or the closure's, as it was
    names = [*space, *code.co_freevars]
    outer = function_def("_factory", named(names), [node])
    module = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
    made = compile(module, code.co_filename, "exec", code.co_flags & 0x1FF0000, True)
    factory = next(c for c in made.co_consts if isinstance(c, CodeType))
    inner = next(c for c in factory.co_consts if isinstance(c, CodeType))
    inner = inner.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    cells = dict(zip(code.co_freevars, fn.__closure__ or (), strict=True))
    cells |= {k: CellType(v) for k, v in space.items()}
    found = FunctionType(inner, fn.__globals__, fn.__name__, fn.__defaults__ if space else None,
                         tuple([cells[n] for n in inner.co_freevars]))  # fmt: skip
    found.__kwdefaults__ = fn.__kwdefaults__ if space else None
    found.__qualname__, found.__module__ = fn.__qualname__, fn.__module__
    return found


# -- variables -------------------------------------------------------------------------------------


def name(text: str) -> ast.Name:
    return ast.Name(id=text, ctx=ast.Load())


def loads(statements: list[Any]) -> set[str]:
    """The names that are read."""
    return {n.id for s in statements for n in ast.walk(s)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store)} | {
        s.target.id for st in statements for s in ast.walk(st)
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)
    }  # fmt: skip


def stores(statements: list[Any]) -> set[str]:
    """The names that may be set."""
    found = set()
    for n in own_nodes(statements):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            found.add(n.id)
        elif isinstance(n, ast.FunctionDef | ast.ClassDef):
            found.add(n.name)
        elif isinstance(n, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).partition(".")[0] for a in n.names}
        elif isinstance(n, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and n.name:
            found.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest:
            found.add(n.rest)
    return found


def own_nodes(statements: list[Any]) -> Iterator[ast.AST]:
    """The nodes of statements, but for functions, classes and comprehensions inside: their
    variables are their own."""
    stack = list(statements)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            stack += [n.target for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
        elif not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            stack += ast.iter_child_nodes(node)


def definite(statements: list[Any]) -> set[str]:
    """The names that are surely set when these statements have run."""
    found: set[str] = set()
    for s in statements:
        if isinstance(s, ast.If):
            if s.orelse:
                found |= definite(s.body) & definite(s.orelse)
        elif isinstance(s, ast.With):
            found |= definite(s.body) | stores_of_targets([i.optional_vars for i in s.items])
        elif isinstance(s, ast.For | ast.While | ast.Try | ast.Match | ast.TryStar):
            continue
        else:
            found |= stores([s])
    return found


def stores_of_targets(targets: list[Any]) -> set[str]:
    return {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}


def leaves(statement: Any) -> bool:
    """Whether a statement may leave the function."""
    return any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) for n in ast.walk(statement))
