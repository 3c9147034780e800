"""`torch._foreach_*`: a public function of the same name for each tensor of a list.

    torch._foreach_add([a, b], [c, d])        # [a + c, b + d]
    torch._foreach_mul_([a, b], 2)            # in place, returns the list

Nothing is listed: `_foreach_name` is made of `torch.name` (or of Tensor's method) when it is first
asked for. Lists among the arguments go along; a tensor or a number goes with every one. Scalars of
`addcmul` and `addcdiv` may be a list or a tensor of one number each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.errors import message
from rushlight.ops.core.record import registry
from rushlight.tensor import Tensor

SCALARS = ("addcmul", "addcdiv")


def each(name: str) -> Callable[..., Any] | None:
    """The function that is called for each tensor."""
    import rushlight

    if name == "norm":
        return lambda x, ord=2, dtype=None: rushlight.linalg.vector_norm(x, ord, dtype=dtype)
    if name == "powsum":
        return lambda x, ord=2, dtype=None: (
            (x.abs() if dtype is None else x.to(dtype).abs()).pow(ord).sum()
        )
    if name in ("maximum", "minimum"):
        one = getattr(rushlight, name)

        def clamped(x: Any, other: Any) -> Any:
            if x.is_complex() or isinstance(other, complex):
                raise NotImplementedError("clamp is not supported for complex types")
            return one(x, other if isinstance(other, Tensor) else x.new_tensor(other))

        return clamped
    if name == "max":
        return lambda x: x.max()
    if name == "copy_":
        return lambda x, other, non_blocking=False: x.copy_(other)
    if name == "zero_":
        return lambda x: x.zero_()
    found = getattr(rushlight, name, None)
    if found is None or name.endswith("_"):
        method = getattr(Tensor, name, None)
        if method is None and name.rstrip("_") in ("maximum", "minimum"):
            plain: Any = each(name.rstrip("_"))
            return lambda x, other: x.copy_(plain(x, other))
        return method
    return found  # type: ignore[no-any-return]


def lists(name: str, n: int, args: Any) -> list[Any]:
    """The arguments as one list each, of as many as there are tensors."""
    columns: list[Any] = []
    for i, arg in enumerate(args):
        if isinstance(arg, (list, tuple)):
            if len(arg) != n:
                raise RuntimeError(
                    message(
                        f"Tensor lists must have the same number of tensors, got {n} and {len(arg)}"
                        if isinstance(arg[0] if arg else None, Tensor)
                        else "Tensor list must have same number of elements as scalar list, "
                        f"got {n} and {len(arg)}"
                    )
                )
            columns.append(arg)
        elif i == 2 and name.rstrip("_") in SCALARS and isinstance(arg, Tensor):
            columns.append(numbers_of(arg, n))
        else:
            columns.append([arg] * n)
    return columns


def numbers_of(packed: Any, n: int) -> list[Any]:
    """The scalars that come as one tensor, one for each tensor of the lists."""
    wrong = None
    if packed.dim() != 1:
        wrong = f"Expected packed scalar Tensor to be of dimension 1. Got {packed.dim()} instead."
    elif not packed.is_contiguous():
        wrong = "Expected scalars to be contiguous."
    elif len(packed) != n:
        wrong = (
            f"Expected length of scalars to match input of length {n} but got {len(packed)} "
            "instead."
        )
    if wrong is not None:
        raise RuntimeError(message(wrong, wanted="one number for each tensor"))
    return packed.tolist()  # type: ignore[no-any-return]


def tensors_only(arg: Any) -> bool:
    """Whether an argument is a list of tensors."""
    return isinstance(arg, (list, tuple)) and all(isinstance(t, Tensor) for t in arg)


def check_lists(name: str, self: Any, args: tuple[Any, ...]) -> None:
    """Raise where the lists are not as many as the function of one tensor takes."""
    short = name.removeprefix("_foreach_").rstrip("_")
    given = [self, *args]
    n = sum(isinstance(a, (list, tuple)) for a in given)
    if not isinstance(self, (list, tuple)) and short != "pow":
        n = 0
    if short in SCALARS:
        wrong = not all(isinstance(a, (list, tuple)) for a in given[:3]) or len(given) < 3
    else:
        op = registry.get(short)
        wrong = n == 0 or (n > 1 and short in ("norm", "powsum"))
        wrong = wrong or (op is not None and len(op.inputs) < 2 and len(given) > 1)
        wrong = wrong or (short == "copy" and [tensors_only(a) for a in given] != [True] * 2)
    if wrong:
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments",
                ", ".join(type(a).__name__ for a in given),
                "a list of tensors for each tensor that the function takes",
            )
        )


def function(name: str) -> Callable[..., Any] | None:
    """`torch._foreach_...`; None if there is no function to make it of."""
    short = name.removeprefix("_foreach_")
    one = each(short)
    if one is None:
        return None

    def foreach(self: Any, *args: Any, **kw: Any) -> Any:
        check_lists(name, self, args)
        if short == "pow" and not isinstance(self, (list, tuple)):  # one base, many exponents
            return tuple(one(self, x) for x in args[0])
        tensors = list(self)
        if isinstance(kw.get("scalars"), Tensor):
            kw = {**kw, "scalars": numbers_of(kw["scalars"], len(tensors))}
        if not tensors:
            raise RuntimeError("Tensor list must have at least one tensor.")
        columns = lists(short, len(tensors), args)
        named = dict(zip(kw, lists("", len(tensors), kw.values()), strict=True))
        keyword = "value" if short.rstrip("_") in SCALARS else None
        found = []
        for i, x in enumerate(tensors):
            given = [c[i] for c in columns]
            more = {k: c[i] for k, c in named.items() if k != "scalars"}
            if "scalars" in named:
                given.append(named["scalars"][i])
            if keyword is not None and len(given) == 3:
                more[keyword] = given.pop()
            found.append(one(x, *given, **more))
        return self if short.endswith("_") else tuple(found)

    foreach.__name__ = foreach.__qualname__ = name
    foreach.__doc__ = f"`{short}` of each tensor of a list."
    return foreach
