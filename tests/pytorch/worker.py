"""One process that runs tests of one file: `worker SIDE FILE OUT WANTED LIMIT`.

SIDE is "torch" or "rushlight". Each test becomes a line of OUT (JSON: id, how, text, where); the
test that runs now is in a file beside it, so that who started us knows which one killed us.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import time
import traceback
import unittest
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any


class TooLong(BaseException):
    """A test ran over its limit. No Exception, so that no test takes it for what it waits for."""


def over(signum: int, frame: Any) -> None:
    raise TooLong("over the time limit")


class Lines(unittest.TestResult):
    """Writes a line for each test."""

    def __init__(self, out: Path, part: str, limit: float) -> None:
        super().__init__()
        self.out = open(out, "a", buffering=1)  # noqa: SIM115
        done = out.with_suffix(f".{part}.done")
        self.done = open(done, "a", buffering=1)  # noqa: SIM115
        self.now = out.with_suffix(f".{part}.now")
        self.limit = limit
        self.state: dict[str, Any] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.state = {"id": name_of(test), "how": "pass", "text": "", "where": ""}
        self.now.write_text(name_of(test))
        self.began = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, self.limit)

    def stopTest(self, test: unittest.TestCase) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        super().stopTest(test)
        self.state["seconds"] = round(time.perf_counter() - self.began, 2)
        self.write(self.state)

    def write(self, state: dict[str, Any]) -> None:
        self.out.write(json.dumps(state) + "\n")
        self.done.write(state["id"] + "\n")

    def failed(self, err: Any) -> None:
        if self.state.get("how") == "pass":
            self.state.update(how="fail", text=text_of(err), where=where_of(err))

    def addError(self, test: Any, err: Any) -> None:
        if not isinstance(test, unittest.TestCase):  # a fixture of a whole class
            print("".join(traceback.format_exception(*err)), flush=True)
        self.failed(err)

    def addFailure(self, test: Any, err: Any) -> None:
        self.failed(err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self.failed(err)

    def addSkip(self, test: Any, reason: str) -> None:
        self.state.update(how="skip", text=reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self.state.update(how="expected failure")

    def addUnexpectedSuccess(self, test: Any) -> None:
        self.state.update(how="unexpected success")


def name_of(test: unittest.TestCase) -> str:
    return f"{type(test).__name__}.{test._testMethodName}"


def text_of(err: Any) -> str:
    kind, value, _ = err
    try:
        return f"{kind.__name__}: {value}".split("\n\nTo execute this test")[0][:1500]
    except Exception as error:
        return f"{kind.__name__}: (its text cannot be made: {error})"


def where_of(err: Any) -> str:
    """The deepest lines: of the test file, and of what raised."""
    frames = traceback.extract_tb(err[2])
    kept = [f for f in frames if "/testing/" not in f.filename and "/unittest/" not in f.filename]
    own = [f for f in kept if Path(f.filename).name.startswith("test_")][-1:]
    last = [f for f in frames[-1:] if f not in own]
    return " | ".join(f"{f.filename}:{f.lineno} {f.line}" for f in [*own, *last])[:600]


def load(file: Path) -> ModuleType:
    name = file.stem
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Function(unittest.TestCase):
    """One call of a test function that is written for pytest."""

    def __init__(self, name: str, call: Any) -> None:
        setattr(self, name, call)
        super().__init__(name)


def functions(module: ModuleType) -> list[unittest.TestCase]:
    """The test functions of a module, once for each set of their parameters."""
    return [
        Function(f"{name}[{'-'.join(map(str, places))}]" if places else name, call)
        for name, function in vars(module).items()
        if name.startswith("test_") and callable(function)
        for places, call in calls(function)
    ]


def calls(function: Any) -> list[tuple[tuple[int, ...], Any]]:
    """(the places of the values in the marks, the call) for each set of parameters. Names hold
    places, for the values' own texts differ between runs."""
    found: list[tuple[tuple[int, ...], dict[str, Any], list[Any]]] = [((), {}, [])]
    for mark in getattr(function, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        names, values = mark.args[:2]
        names = names.replace(",", " ").split() if isinstance(names, str) else list(names)
        more = []
        for places, given, marks in found:
            for i, value in enumerate(values):
                one, others = (value.values, value.marks) if hasattr(value, "marks") else (None, ())
                one = one or ((value,) if len(names) == 1 else tuple(value))
                pairs = dict(zip(names, one, strict=True))
                more.append(((*places, i), {**given, **pairs}, [*marks, *others]))
        found = more

    def call(given: dict[str, Any], marks: list[Any]) -> Any:
        def run() -> None:
            for mark in marks:
                if mark.name == "skip" or (mark.name == "skipif" and mark.args[0]):
                    raise unittest.SkipTest(mark.kwargs.get("reason", ""))
            try:
                function(**given)
            except BaseException as error:
                if type(error).__name__ == "Skipped":  # pytest's own
                    raise unittest.SkipTest(str(error)) from None
                raise

        return run

    return [(places, call(given, marks)) for places, given, marks in found]


def tests_of(module: ModuleType) -> list[unittest.TestCase]:
    """All tests of a module, of unittest's kind and of pytest's."""
    return flat(unittest.defaultTestLoader.loadTestsFromModule(module)) + functions(module)


def flat(suite: Any) -> list[unittest.TestCase]:
    if isinstance(suite, unittest.TestCase):
        return [suite]
    return [test for part in suite for test in flat(part)]


def main() -> None:
    side, file, out, wanted_file, limit = sys.argv[1:]
    wanted = json.loads(Path(wanted_file).read_text())
    sys.argv = [file]
    signal.signal(signal.SIGALRM, over)
    if side == "rushlight":
        from . import borrowed

        borrowed.install()
    module = load(Path(file))
    warnings.simplefilter("default")
    # (NumPy's, which `import rushlight` silences, would be heard again: decision 0010)
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"(torch|rushlight)(\.|$)")
    tests = every = tests_of(module)
    if wanted["tests"] is not None:
        known = set(wanted["tests"])
        tests = [t for t in tests if name_of(t) in known]
    else:
        tests = tests[wanted["first"] :: wanted["every"]]
    skip = set(wanted["skip"])
    i, n = map(int, wanted["part"].split("of"))
    tests = [t for t in tests if wanted["k"] in name_of(t)][i::n]
    tests = [t for t in tests if name_of(t) not in skip]
    result = Lines(Path(out), wanted["part"], float(limit))
    if wanted["tests"] is not None:
        loaded = {name_of(t) for t in every}
        for name in sorted(set(wanted["tests"]) - loaded)[i::n]:
            state = {"id": name, "how": "fail", "text": "the test is not made", "where": ""}
            if name not in skip:
                result.write(state)
    unittest.TestSuite(tests).run(result)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__" and "RUSHLIGHT_PYTORCH_TESTS_WHEEL" in os.environ:
    # A process that a test starts imports the test file again, and with it the test tools.
    from tests.pytorch import borrowed

    borrowed.install()
