"""Settings of the process and of the thread, and what watches: changed between two calls."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)


class Doubling:
    """Saved tensors are kept twice as large, and halved when they are used."""

    def __enter__(self) -> None:
        self.hooks = torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x / 2)
        self.hooks.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.hooks.__exit__(*error)


@contextlib.contextmanager
def default_dtype() -> Any:
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


@contextlib.contextmanager
def deterministic() -> Any:
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


@contextlib.contextmanager
def other_threads() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def precision() -> Any:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


AROUND: dict[str, Callable[[], Any]] = {
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "enable_grad": torch.enable_grad,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "autocast off": lambda: torch.autocast("cpu", enabled=False),
    "default dtype": default_dtype,
    "deterministic": deterministic,
    "threads": other_threads,
    "precision": precision,
    "saved tensors": Doubling,
    "anomaly": torch.autograd.detect_anomaly,
    "profiler": torch.profiler.profile,
    "profiler of autograd": torch.autograd.profiler.profile,
    "forked generator": torch.random.fork_rng,
    "default device": lambda: torch.device("cpu"),
}


def attempt(lab: Lab, form: str) -> Any:
    """A step where gradients are kept, the forward part of it where they are not."""
    x, target = lab.batch()
    if torch.is_grad_enabled() and not torch.is_inference_mode_enabled():
        return lab.step(x, target)
    return lab.compiled(x) if form == "module" else lab.compiled(x, target)


@forms
@pytest.mark.parametrize("name", AROUND)
@pytest.mark.filterwarnings("ignore:Anomaly")
def test_around_some_calls(name: str, form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form, network(0.5))
        for _ in range(2):
            for _ in range(3):
                t(attempt, lab, form)
            with AROUND[name]():
                for _ in range(2):
                    t(attempt, lab, form)

    same(program)


@forms
@pytest.mark.parametrize("name", AROUND)
@pytest.mark.filterwarnings("ignore:Anomaly")
def test_around_the_first_calls(name: str, form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        with AROUND[name]():
            for _ in range(3):
                t(attempt, lab, form)
        for _ in range(2):
            t(attempt, lab, form)

    same(program)


@pytest.mark.eager(
    "default dtype", "deterministic", "threads", "precision", "saved tensors", "anomaly",
    "profiler", "profiler of autograd", "forked generator", "default device",
)  # fmt: skip
@pytest.mark.parametrize("name", AROUND)
@pytest.mark.filterwarnings("ignore:Anomaly")
def test_inside(name: str) -> None:
    def program(t: Twin) -> None:
        w = torch.randn(4, 4, requires_grad=True)
        t.watch(w)

        @t.compile
        def function(x: Any, within: bool) -> Any:
            y = x @ w
            with AROUND[name]() if within else contextlib.nullcontext():
                z = torch.relu(y @ w) + torch.ones(4)
            return (y * z.float()).sum()

        def call(within: bool) -> Any:
            y = function(torch.randn(3, 4), within)
            y.backward()
            return y

        for within in (True, True, True, False, False, True):
            t(call, within)

    same(program)


def test_autocast_of_another_type_and_a_decorator() -> None:
    def program(t: Twin) -> None:
        model = network()
        compiled = t.compile(model)
        t.watch(model)

        @t.compile
        @torch.autocast("cpu", dtype=torch.bfloat16)
        def low(x: Any) -> Any:
            return model(x).float().sum()

        @t.compile
        @torch.no_grad()
        def quiet(x: Any) -> Any:
            return model(x)

        def call(kind: Any) -> None:
            with torch.autocast("cpu", dtype=kind):
                compiled(torch.randn(3, 4)).sum().float().backward()

        for kind in (torch.bfloat16, torch.bfloat16, torch.float16, torch.bfloat16):
            t(call, kind)
            t(low, torch.randn(3, 4))
            t(quiet, torch.randn(3, 4))

    same(program)


def test_set_grad_enabled_inside_stays_so() -> None:
    def program(t: Twin) -> None:
        w = torch.ones(3, requires_grad=True)

        @t.compile
        def function(x: Any, on: bool) -> Any:
            torch.set_grad_enabled(on)
            return x * w

        try:
            for on in (True, True, False, False, True, False):
                t(function, torch.ones(3), on)
        finally:
            torch.set_grad_enabled(True)

    same(program)


def test_what_is_made_by_default() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def function(n: int) -> Any:
            return torch.ones(n) / 3, torch.tensor(0.1), torch.linspace(0, 1, n), torch.rand(n)

        for _ in range(2):
            t(function, 3)
            t(function, 3)
            with default_dtype():
                t(function, 3)
                t(function, 3)

    same(program)


def test_the_precision_of_products() -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, "module", network())
        x, y = lab.batch()
        try:
            for precision in ("highest", "highest", "medium", "medium", "high", "highest"):
                torch.set_float32_matmul_precision(precision)
                t(lab.step, x, y)
        finally:
            torch.set_float32_matmul_precision("highest")

    same(program)


def test_another_precision_is_another_plan() -> None:
    a, b = torch.randn(64, 64), torch.randn(64, 64)
    product = torch.compile(lambda x: x @ b)
    try:
        for precision in ("highest", "medium", "high", "highest", "medium"):
            torch.set_float32_matmul_precision(precision)
            for _ in range(3):
                assert torch.equal(product(a), a @ b)
    finally:
        torch.set_float32_matmul_precision("highest")
    assert len(product.entries) == 3


def test_memory_that_nobody_has_filled() -> None:
    made = torch.compile(lambda x: x * torch.empty(4))
    x = torch.ones(4)
    for _ in range(3):
        made(x)
    with deterministic():
        for filled in (True, False, True):
            torch.utils.deterministic.fill_uninitialized_memory = filled
            for _ in range(3):
                assert made(x).isnan().all() or not filled
    assert len(made.entries) == 2


# -- random numbers ------------------------------------------------------------------------------


@forms
def test_seeds_set_between_calls(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form, network(0.5))
        x, y = lab.batch()
        for seed in (None, None, 3, 3, None, 4):
            if seed is not None:
                torch.manual_seed(seed)
            t(lab.step, x, y)
        state = torch.get_rng_state()
        t(lab.step, x, y)
        torch.set_rng_state(state)
        t(lab.step, x, y)

    same(program)


@pytest.mark.eager
def test_random_numbers_drawn_inside() -> None:
    def program(t: Twin) -> None:
        generator = torch.Generator()
        t.watch(generator)

        @t.compile
        def function(x: Any, g: Any) -> Any:
            y = F.dropout(x, 0.5) + torch.randn_like(x) + torch.rand(4)
            z = torch.bernoulli(torch.full((4,), 0.5), generator=g)
            order = torch.randperm(3, generator=g)
            chosen = torch.multinomial(torch.ones(4), 2, generator=g)
            noise = torch.empty(3).normal_(generator=g).uniform_()
            return y, z, order, chosen, noise, torch.randint(0, 9, (2,))

        for k in range(6):
            if k == 3:
                generator = torch.Generator().manual_seed(5)
                t.watch(generator)
            t(function, torch.ones(3, 4), None if k == 4 else generator)

    same(program)


@pytest.mark.eager
def test_a_seed_set_inside_and_numbers_of_python_and_numpy() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def seeded(x: Any, seed: int) -> Any:
            torch.manual_seed(seed)
            return x + torch.randn(4)

        @t.compile
        def python(x: Any) -> Any:
            if random.random() < 0.5:
                x = x * 2
            return x * random.uniform(1, 2) + np.random.rand() + random.choice([1, 2, 3])

        for k in range(6):
            t(seeded, torch.ones(4), 3 if k < 4 else k)
            t(python, torch.ones(4))

    same(program)


@pytest.mark.eager
def test_tensor_modes_of_the_library() -> None:
    """Random numbers of an initialiser, inside."""

    def program(t: Twin) -> None:
        layer = nn.Linear(4, 4)
        t.watch(layer)

        @t.compile
        def function(x: Any) -> Any:
            with torch.no_grad():
                nn.init.normal_(layer.weight, 0, 0.1)
                nn.init.zeros_(layer.bias)
            return layer(x)

        for _ in range(4):
            t(function, torch.ones(2, 4))

    same(program)


GENERATED: dict[str, Callable[[Any], Any]] = {
    "rand": lambda g: torch.rand(3, generator=g), "randn": lambda g: torch.randn(3, generator=g),
    "randint": lambda g: torch.randint(0, 99, (3,), generator=g),
    "randperm": lambda g: torch.randperm(9, generator=g),
    "normal_": lambda g: torch.empty(3).normal_(generator=g),
    "multinomial": lambda g: torch.multinomial(torch.ones(9), 5, generator=g),
}  # fmt: skip


@pytest.mark.parametrize("name", GENERATED)
def test_another_generator_is_another_stream(name: str) -> None:
    """Given as an argument, and held by an object that is one."""

    class Holder:
        def __init__(self, g: Any) -> None:
            self.g = g

    def step(g: Any) -> Any:
        return GENERATED[name](g.g if isinstance(g, Holder) else g), torch.ones(2) + 1

    for held in (False, True):
        found = []
        for fn in (step, torch.compile(step)):
            streams = [torch.Generator().manual_seed(k) for k in range(3)]
            given = [Holder(g) if held else g for g in streams]
            found.append([fn(given[k])[0].tolist() for k in (0, 0, 1, 0, 2, 1)])
        assert found[0] == found[1]
