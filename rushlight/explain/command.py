"""`python -m rushlight explain`: run a program, record its first steps, write the page.

The program runs on to its end, unless `--stop` is given; a cheap watch looks on meanwhile
(`watch.py`), and the page is written again if it has found something.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from .recording import Watched
from .session import Session
from .watch import Watch

HELP = """\
usage: python -m rushlight explain [option] ... script.py [arg] ...
       python -m rushlight explain [option] ... -m module [arg] ...
       python -m rushlight explain script.py [arg] ... [option] ...

Run a program on Rushlight, record its first steps, and write one page that explains them: the
graph, time, memory, numbers, and advice. The program runs to its end.

  --steps N   how many steps, rounds of the training loop, are recorded (3)
  --out PATH  where the page goes (explain.html); a path that ends in .json gets the bare data
  --stop      end the program after these steps
  --text      print what the page tells as a text, too, when the program has ended
  --help      print this text

A program without an optimiser is recorded until its end. Options behind the program's arguments are
taken if they come last and none stands before the program; so where the program has an option of
that name itself, put ours before it.
"""


RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")  # as launchers say them
FLAGS = ("--stop", "--text")


class Options:
    """What the command line says."""

    def __init__(self) -> None:
        self.steps, self.out, self.stop, self.text = 3, "explain.html", False, False

    def take(self, args: list[str]) -> int:
        """How many words the option at the beginning has; 0: none of ours."""
        name, equals, value = args[0].partition("=")
        if args[0] in FLAGS:
            setattr(self, args[0][2:], True)
            return 1
        if name not in ("--steps", "--out") or (not equals and len(args) < 2):
            return 0
        value = value if equals else args[1]
        if name == "--out":
            self.out = value
        elif value.isdigit() and int(value) > 0:
            self.steps = int(value)
        else:
            refuse(f"--steps takes a number from 1 on, not {value!r}")
        return 1 if equals else 2


def refuse(text: str) -> NoReturn:
    """End with a usage error."""
    print(text, file=sys.stderr)
    print(HELP, end="", file=sys.stderr)
    raise SystemExit(2)


def parsed(args: list[str]) -> tuple[Options, list[str]]:
    """Our options, and the program with its arguments."""
    options, rest = Options(), list(args)
    while rest and rest[0].startswith("--"):
        if rest[0] == "--help":
            print(HELP, end="")
            raise SystemExit(0)
        taken = options.take(rest)
        if not taken:
            import difflib

            names = ["--steps", "--out", *FLAGS, "--help"]
            near = difflib.get_close_matches(rest[0].partition("=")[0], names, 1, 0.6)
            meant = f": {near[0]}?" if near and near[0] != rest[0] else ", or one without its value"
            refuse(f"unknown option {rest[0]}{meant}")
        del rest[:taken]
    if not rest or rest == ["-m"]:
        refuse("which program is to be explained?")
    first = 2 if rest[0] == "-m" else 1
    if len(rest) == len(args):  # no option stood before the program
        cut = len(rest)
        while cut > first:
            for words in (1, 2):
                last = rest[cut - words : cut]
                if cut - words >= first and last[0].startswith("--") and ours(last):
                    cut -= words
                    break
            else:
                break
        tail = rest[cut:]
        while tail:
            del tail[: options.take(tail)]
        del rest[cut:]
    return options, rest


def ours(words: list[str]) -> bool:
    """Whether these words are exactly one option of ours."""
    name, equals, _ = words[0].partition("=")
    if len(words) == 1:
        return words[0] in FLAGS or (name in ("--steps", "--out") and bool(equals))
    return name in ("--steps", "--out") and not equals


def main(args: list[str]) -> None:
    """Do what the command line says."""
    options, program = parsed(args)
    from ..dropin import install, runner

    if program[0] != "-m" and not os.path.exists(program[0]):
        runner.run_file(program[0], [])  # which says so, and ends; there is no page of nothing
    install()
    run = Explained(options, " ".join(program))
    run.begin()
    try:
        if program[0] == "-m":
            runner.run_module(program[1], program[2:])
        else:
            runner.run_file(program[0], program[1:])
    except BaseException as error:
        run.session.fail(error)
        raise
    finally:
        run.end()


def own_path(path: str) -> str:
    """A path of this process's own, where several ranks run the program: page.rank1.html."""
    rank = next((os.environ[n] for n in RANKS if n in os.environ), "0")
    root, end = os.path.splitext(path)
    return path if rank == "0" else f"{root}.rank{rank}{end}"


class Explained:
    """A program that is explained while it runs."""

    def __init__(self, options: Options, program: str) -> None:
        self.options = options
        self.out = own_path(os.path.abspath(options.out))
        self.session = Session(options.steps, program, ended=self._steps_over)
        self.watch: Watch | None = None
        self.pid = os.getpid()

    def begin(self) -> None:
        """Record from now on."""
        self.session.start()

    def _steps_over(self) -> None:
        self.write()
        if self.options.stop:
            raise SystemExit(0)
        assert self.session.look is not None
        self.watch = Watch(self.session.look.lines)
        self.watch.start()

    def end(self) -> None:
        """The program has ended."""
        if os.getpid() != self.pid:  # a child of the program's, which comes by here too
            return
        if self.watch is None:
            if self.session.active:
                self.session.rest()
                self.write()
        else:
            self.add(self.watch.stop())
        if self.options.text:
            from .text import text

            print(text(self.session.recording), flush=True)

    def add(self, found: list[Watched]) -> None:
        """Put what the watch has found into the page."""
        recording = self.session.recording
        known = {(w.kind, w.line): w for w in recording.watched}
        news = bool(self.session.error)
        for w in found:
            before = known.get((w.kind, w.line))
            if before is None:
                recording.watched.append(w)
            elif before.count < w.count:
                before.count = w.count
            else:
                continue
            news = True
        if news:
            self.session.relined()
            self.write()

    def write(self) -> None:
        """Write the page, and say where it is."""
        self.session.write(self.out)
        print(f"rushlight explain: {self.out}", file=sys.stderr, flush=True)
