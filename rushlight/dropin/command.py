"""The command line `python -m rushlight`."""

from __future__ import annotations

import os
import sys

HELP = """\
usage: python -m rushlight [option] ... script.py [arg] ...
       python -m rushlight [option] ... -m module [arg] ...
       python -m rushlight [option] ... -c code [arg] ...

Run a program that says `import torch` or `import torchvision` on Rushlight, unchanged: in this
process and in the Python processes that it starts.

  -m module   run a library module as a script, for example -m pytest
  -c code     run the code given
  -           run the program on standard input
  --cuda-as-cpu  before these: what the program asks of a CUDA device, such as .cuda(), is done on
              the CPU; torch.cuda.is_available() is False all the same
  cache info  say where compiled kernels are kept, and how many; cache clear removes them
  tune        measure whether this machine's matrix unit (AMX) is worth using, and keep the choice;
              tune --show, --clear and amx on|off show it and change it
  explain     run a program and write a page that explains its first steps; explain --help
  --info      print versions, CPU features, threads and caches
  --version   print the version of Rushlight and of the interface of PyTorch that it follows
  --help      print this text

Options of Python itself go before -m: python -W error -m rushlight script.py
RUSHLIGHT_DROPIN=0 in the environment of a child process turns the names off for it.
RUSHLIGHT_TRACEBACK=1 shows Rushlight's own lines, too, where it raises an error.
"""


def main(args: list[str]) -> None:
    """Do what the command line says."""
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        raise SystemExit(0 if args else 2)
    if args[0] == "--cuda-as-cpu":
        from .. import config

        os.environ["RUSHLIGHT_CUDA_AS_CPU"] = "1"  # for child processes
        config.current.cuda_as_cpu = True
        main(args[1:])
        return
    first, rest = args[0], args[1:]
    if first in ("-V", "--version"):
        import rushlight

        from . import API

        print(f"Rushlight {rushlight.__version__} (the interface of PyTorch {API})")
        return
    if first == "--info":
        from . import info

        info.show()
        return
    if first == "cache" and rest in (["info"], ["clear"]) and not os.path.exists(first):
        cache(rest[0])
        return
    if first == "tune" and not os.path.exists(first):
        from . import tune

        tune.main(rest)
        return
    if first == "explain" and not os.path.exists(first):
        from ..explain import command

        command.main(rest)
        return
    for option in ("-m", "-c"):
        if first.startswith(option) and len(first) > 2:  # -mname and -ccode, as Python takes them
            first, rest = option, [first[2:], *rest]
    if first in ("-m", "-c") and not rest:
        print(f"Argument expected for the {first} option", file=sys.stderr)
        print(HELP, end="", file=sys.stderr)
        raise SystemExit(2)
    if first.startswith("-") and first not in ("-", "-m", "-c"):
        import difflib

        options = ["--info", "--version", "--help"]
        near = difflib.get_close_matches(first, options, 1, 0.5)
        print(f"unknown option {first}" + (f": {near[0]}?" if near else ""), file=sys.stderr)
        print(HELP, end="", file=sys.stderr)
        raise SystemExit(2)

    from . import install, runner

    install()
    if first == "-m":
        runner.run_module(rest[0], rest[1:])
    elif first == "-c":
        runner.run_code(rest[0] + "\n", rest[1:])
    elif first == "-":
        runner.run_code(sys.stdin.read(), rest, option="-")
    else:
        runner.run_file(first, rest)


def cache(what: str) -> None:
    """Say what the cache of kernels holds, or empty it."""
    from . import info

    if what == "clear":
        from ..kernels.runtime import disk

        print(f"removed {disk.clear('kernels')} compiled kernels, {disk.clear('texts')} functions")
    print(*info.caches(), sep="\n")
