"""What a compiled function does beside computing: printing, counting, numbers taken out of tensors,
exceptions. All of it happens in every call, in its order."""

from __future__ import annotations

import contextlib
import logging
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from tests.compiler.twins import FORMS, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)


class Effects:
    """What the functions below change."""

    def __init__(self) -> None:
        self.count, self.seen, self.table = 0, [], {}


def prints(x: Any, e: Effects) -> Any:
    print("sum", x.shape, float(x.sum()))
    y = x * 2
    print("done")
    return y


def prints_nothing_of_tensors(x: Any, e: Effects) -> Any:
    y = x + 1
    print("hello")
    return y.relu()


def counts(x: Any, e: Effects) -> Any:
    e.count += 1
    return x * e.count


def appends(x: Any, e: Effects) -> Any:
    e.seen.append(x.shape[0])
    y = x * len(e.seen)
    e.table[len(e.seen)] = "a"
    return y


def keeps_items(x: Any, e: Effects) -> Any:
    loss = (x * 2).sum()
    e.seen.append(loss.item())
    return loss


def steers_by_item(x: Any, e: Effects) -> Any:
    y = x * 2
    if y.sum().item() > 0:
        return y + 1
    return y - 1


def steers_by_truth(x: Any, e: Effects) -> Any:
    y = x.abs()
    if x.mean() > 0:
        y = y * 10
    while y.sum() > 4:
        y = y / 2
    return y if bool((y > 0).all()) else -y


def takes_an_integer(x: Any, e: Effects) -> Any:
    n = int(x.argmax())
    return x[n:] * n, torch.ones(n + 1)


def takes_an_array(x: Any, e: Effects) -> Any:
    a = x.detach().numpy()
    return x * float(np.median(a)) + torch.from_numpy(np.sort(a))


def takes_a_list(x: Any, e: Effects) -> Any:
    return x * sum(v for v in x.tolist() if v > 0)


def formats(x: Any, e: Effects) -> Any:
    e.seen.append(f"{x.sum():.3f} {x.mean()!r}")
    return x * 2


def asks_the_time(x: Any, e: Effects) -> Any:
    begun = time.perf_counter()
    y = x * 2
    e.seen.append(time.perf_counter() >= begun)
    e.count = time.monotonic_ns() > 0
    return y


def asks_the_environment(x: Any, e: Effects) -> Any:
    return x * float(os.environ.get("RUSHLIGHT_TEST_SCALE", "1"))


def warns(x: Any, e: Effects) -> Any:
    e.count += 1
    warnings.warn(f"about {e.count}", stacklevel=1)
    return x * 2


def catches(x: Any, e: Effects) -> Any:
    try:
        y = x.view(17)
    except RuntimeError as error:
        e.seen.append(type(error).__name__)
        y = x * 3
    else:
        y = y * 5
    finally:
        e.count += 1
    return y


def catches_of_its_own(x: Any, e: Effects) -> Any:
    def inner(n: int) -> Any:
        if n > 2:
            raise ValueError(n)
        return x * n

    total = x
    for n in range(5):
        try:
            total = total + inner(n)
        except ValueError:
            break
    with contextlib.suppress(KeyError):
        total = total + {}[1]
    return total


def indices_by_numbers(x: Any, e: Effects) -> Any:
    return x[x > 0], x.nonzero(), x.unique()


def sorts_by_numbers(x: Any, e: Effects) -> Any:
    return max(x, key=abs), sorted(x.unbind(), key=float)[0]


def loops_over_a_tensor(x: Any, e: Effects) -> Any:
    total = 0.0
    for row in x:
        total = total * 0.5 + row
    return total


def asks_whether(x: Any, e: Effects) -> Any:
    if torch.equal(x, x.abs()) or torch.allclose(x, torch.zeros(3)) or not x.any():
        return x * 2
    return x * 3 if 0.5 in x else x


def evaluates(x: Any, e: Effects) -> Any:
    exec("e.count += 2", {"e": e})
    return eval("x * e.count", {"x": x, "e": e})


def sets_attributes_by_name(x: Any, e: Effects) -> Any:
    setattr(e, "last" + str(len(e.seen)), x.shape[0])
    e.__dict__["more"] = e.count
    vars(e)["again"] = getattr(e, "count", 0) + 1
    e.seen += [1]
    return x * len(vars(e))


def deletes(x: Any, e: Effects) -> Any:
    e.temporary = 3
    y = x * e.temporary
    del e.temporary
    e.table.clear()
    return y


def defines_a_class(x: Any, e: Effects) -> Any:
    class Local:
        scale = 2

        def __call__(self, y: Any) -> Any:
            return y * self.scale

    return Local()(x)


def imports(x: Any, e: Effects) -> Any:
    import math

    from rushlight.nn import functional

    return functional.relu(x) * math.pi


def logs(x: Any, e: Effects) -> Any:
    logging.getLogger("rushlight.tests").warning("of %d", len(x))
    return x * 2


EFFECTS = [
    prints, prints_nothing_of_tensors, counts, appends, keeps_items, steers_by_item,
    steers_by_truth, takes_an_integer, takes_an_array, takes_a_list, formats, asks_the_time,
    asks_the_environment, warns, catches, catches_of_its_own, indices_by_numbers, sorts_by_numbers,
    loops_over_a_tensor, asks_whether, evaluates, sets_attributes_by_name, deletes,
    defines_a_class, imports, logs,
]  # fmt: skip


@pytest.mark.eager
@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("function", EFFECTS)
def test_an_effect(function: Callable[..., Any], deep: bool) -> None:
    """In a compiled function, or in a function that it calls between computations."""

    def program(t: Twin) -> None:
        effects = Effects()
        effects.handler = Kept(effects.seen)
        logger = logging.getLogger("rushlight.tests")
        logger.propagate = False
        logger.handlers = [effects.handler]
        t.watch(effects.seen, effects.table)

        def around(x: Any, e: Effects) -> Any:
            y = function(x * 2, e)
            first = y[0] if isinstance(y, tuple) else y
            return first.sum() + x.sum(), y

        compiled = t.compile(around if deep else function)
        for k in range(8):
            os.environ["RUSHLIGHT_TEST_SCALE"] = str(k // 2)
            x = torch.tensor([0.5, -1, 2]) * (-1 if k in (3, 6) else k % 3 + 1)
            t(compiled, x[:2] if k == 7 else x, effects)
            t.see(effects.count, sorted(vars(effects)))

    try:
        same(program)
    finally:
        os.environ.pop("RUSHLIGHT_TEST_SCALE", None)


class Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self, seen: list[Any]) -> None:
        super().__init__()
        self.seen = seen

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(record.getMessage())


@pytest.mark.eager
@pytest.mark.parametrize("function", [steers_by_item, keeps_items, prints, steers_by_truth])
def test_effects_in_a_step_of_training(function: Callable[..., Any]) -> None:
    def program(t: Twin) -> None:
        effects, model = Effects(), network()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        t.watch(effects.seen, model, optimizer)

        @t.compile
        def step(x: Any) -> Any:
            optimizer.zero_grad()
            loss = function(model(x).mean(0), effects)
            loss.sum().backward()
            if loss.sum().item() > 1:
                for p in model.parameters():
                    p.grad.mul_(0.1)
            optimizer.step()
            return loss

        for _ in range(6):
            t(step, torch.randn(3, 4))

    same(program)


@pytest.mark.eager
def test_files_written_and_read(tmp_path: Path) -> None:
    def program(t: Twin) -> None:
        file = tmp_path / str(t.compiled)
        file.write_text("1")

        @t.compile
        def function(x: Any) -> Any:
            n = float(file.read_text())
            with open(file, "w") as f:
                f.write(str(n + 1))
            return x * n

        for _ in range(4):
            t(function, torch.ones(2))

    same(program)


@pytest.mark.eager
def test_names_of_comprehensions_and_loops_around_an_effect() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any) -> Any:
            parts = [p * k for k, p in enumerate(x)]
            total = sum(n for n in parts)
            print("between")
            for k in range(2):
                total = total + k * parts[k]
            table = {n: n + 1 for n in range(3)}
            if (last := total.sum()) > 3:
                print("large")
            double = (lambda k: k * 2)(last)
            match [k, 2, 3]:
                case [first, *others] if first:
                    print("matched")
                case other:
                    others = other
            return total, double, table[2], k, first, others

        for n in (1.0, 1.0, 5.0, 5.0, 1.0):
            t(function, torch.full((3,), n))

    same(program)


DRAWS: dict[str, Callable[[Any], Any]] = {
    "rand": lambda x: torch.rand(4), "randn": lambda x: torch.randn(4),
    "randperm": lambda x: torch.randperm(4), "randint": lambda x: torch.randint(0, 4, (3,)),
    "multinomial": lambda x: torch.multinomial(x, 1),
    "gamma": torch._standard_gamma, "dirichlet": torch._sample_dirichlet,
    "dropout": torch.nn.functional.dropout, "exponential_": lambda x: torch.empty(3).exponential_(),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWS)
def test_random_numbers_that_nobody_reads_are_drawn(name: str) -> None:
    """The stream is where it is after the function as it stands."""
    x = torch.rand(3, 4)

    def step() -> Any:
        DRAWS[name](x)
        return x + 1

    found = []
    for fn in (step, torch.compile(step)):
        torch.manual_seed(0)
        for _ in range(4):
            fn()
        found.append(torch.get_rng_state().tolist())
    assert found[0] == found[1]
