"""`torchrun`: start a program in several processes, on one machine or many.

    python -m rushlight.distributed.run --nproc-per-node 4 train.py --epochs 3

Each process finds RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and torchrun's other
variables in its environment; `init_process_group()` reads them. When one fails all are stopped and,
up to --max-restarts times, started again. Options are torchrun's (docs/distributed.md); each may
stand in the environment as PET_<OPTION>. The work is done in `launcher/`.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import uuid
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

from .. import unsupported
from ..errors import message
from .argparse_util import check_env, env
from .elastic.multiprocessing import DefaultLogsSpecs, SignalException, Std
from .elastic.multiprocessing.errors import ChildFailedError, record
from .elastic.rendezvous import RendezvousError
from .launcher.api import LaunchConfig, elastic_launch

# name, default, help; of type str unless the default is a number.
OPTIONS: list[tuple[str, Any, str]] = [
    ("--nnodes", "1:1", "Number of nodes, or MIN:MAX."),
    ("--nproc-per-node", "1", "Processes on this node: a number, 'cpu' or 'auto' (its cores)."),
    ("--rdzv-backend", "static", "How nodes meet: 'static' (by --node-rank) or 'c10d'."),
    ("--rdzv-endpoint", "", "Where nodes meet: HOST:PORT of the one that keeps the store."),
    ("--rdzv-id", "none", "The job's name, the same on all nodes."),
    ("--rdzv-conf", "", "KEY=VALUE,...: timeout, last_call_timeout (seconds), is_host."),
    ("--max-restarts", 0, "How often all processes are started again after one has failed."),
    ("--monitor-interval", 0.1, "Seconds between two looks at the processes."),
    ("--event-log-handler", "null", "Only 'null'."),
    ("--role", "default", "A word for the processes of this node."),
    ("--log-dir", None, "Folder for logs and error files; a temporary one unless given."),
    ("--local-ranks-filter", "", "Show only these local ranks on the console: 0,2."),
    ("--node-rank", 0, "This node's number, with --rdzv-backend static."),
    ("--master-addr", "127.0.0.1", "Node 0's address, with --rdzv-backend static."),
    ("--local-addr", None, "Accepted: nodes are known by their connections."),
    (
        "--signals-to-handle",
        "SIGTERM,SIGINT,SIGHUP,SIGQUIT",
        "Signals that are passed on to the processes.",
    ),
]
FLAGS = [
    ("--standalone", "One node, which meets nobody, at a free port of its own."),
    ("--no-python", "The script is a program: run it without Python."),
    ("--run-path", "Run the script with runpy.run_path in the interpreter that was started."),
    ("--virtual-local-rank", "LOCAL_RANK is 0 for all, CUDA_VISIBLE_DEVICES differs."),
]


def spellings(name: str) -> list[str]:
    """An option with dashes, and with underscores where that is another word."""
    return [name] if "-" not in name[2:] else [name, "--" + name[2:].replace("-", "_")]


def words(value: str) -> list[str]:
    """Words between commas; two commas are one that belongs to a word.

    >>> words("a,b,,c")
    ['a', 'b,c']
    """
    return [w.replace("\0", ",") for w in value.replace(",,", "\0").split(",")]


def get_args_parser() -> ArgumentParser:
    """The parser of the command line."""
    parser = ArgumentParser(
        prog="python -m rushlight.distributed.run",
        description="Start a program in several processes, as torchrun does.",
    )
    for name, default, text in OPTIONS:
        kind = type(default) if isinstance(default, (int, float)) else str
        parser.add_argument(*spellings(name), action=env, type=kind, default=default, help=text)
    for name, text in FLAGS:
        parser.add_argument(*spellings(name), action=check_env, help=text)
    add = parser.add_argument
    add("--master-port", "--master_port", action=env, type=int, default=None,
        help="Node 0's port, with --rdzv-backend static; 29500 unless given.")
    add("--start-method", "--start_method", action=env, default="spawn",
        choices=["spawn", "fork", "forkserver"], help="How functions are started (--run-path).")
    add("-m", "--module", action=check_env, help="The script is a module, as in python -m.")
    add("-r", "--redirects", action=env, type=str, default="0",
        help="Streams that go to log files: 1 stdout, 2 stderr, 3 both; or RANK:VALUE,...")
    add("-t", "--tee", action=env, type=str, default="0",
        help="Streams that go to log files and to the console; as --redirects.")
    for stream in ("stdout", "stderr"):
        add(*spellings(f"--duplicate-{stream}-filters"), action=env, type=words, default=[],
            help=f"Lines of {stream} with one of these words go to filtered_{stream}.log, too.")
    add("--shutdown-timeout", "--shutdown_timeout", action=env, type=int, default=None,
        help="Seconds before processes that do not stop are killed: 30.")
    add("--logs-specs", "--logs_specs", type=str, default=None, help="Not supported.")
    add("--numa-binding", "--numa_binding", type=str, default=None, help="Not supported.")
    add("training_script", type=str, help="The program, followed by its arguments.")
    add("training_script_args", nargs=REMAINDER)
    return parser  # fmt: skip


def parse_args(args: Sequence[str] | None) -> Namespace:
    """The command line's values."""
    return get_args_parser().parse_args(args)


def parse_min_max_nnodes(nnodes: str) -> tuple[int, int]:
    """The least and the greatest number of nodes.

    >>> parse_min_max_nnodes("2"), parse_min_max_nnodes("1:4")
    ((2, 2), (1, 4))
    """
    parts = nnodes.split(":")
    if len(parts) > 2 or not all(p.isdigit() for p in parts):
        raise RuntimeError(f'nnodes={nnodes} is not in "MIN:MAX" format')
    return int(parts[0]), int(parts[-1])


def determine_local_world_size(nproc_per_node: str) -> int:
    """How many processes --nproc-per-node means.

    Raises:
        ValueError: a word that is none of 'cpu' and 'auto', or a device that there is not.
    """
    try:
        count = int(nproc_per_node)
    except ValueError:
        pass
    else:
        if count < 1:
            raise ValueError(f"--nproc-per-node must be at least 1, got {count}")
        return count
    if nproc_per_node in ("cpu", "auto"):
        from ..config import available_cores

        return available_cores()
    if nproc_per_node in ("gpu", "xpu"):
        raise ValueError(
            message(
                f"{'Cuda' if nproc_per_node == 'gpu' else 'Xpu'} is not available.",
                got=f"--nproc-per-node {nproc_per_node}",
                wanted="a number, 'cpu' or 'auto'",
                hint="--nproc-per-node auto, one process for each core",
            )
        )
    raise ValueError(f"Unsupported nproc_per_node value: {nproc_per_node}")


def get_use_env(args: Namespace) -> bool:
    """Whether scripts read LOCAL_RANK; otherwise they get --local-rank (the old launcher)."""
    return bool(getattr(args, "use_env", True))


def conf_of(text: str) -> dict[str, str]:
    """--rdzv-conf as a dictionary.

    >>> conf_of("timeout=30, is_host=1")
    {'timeout': '30', 'is_host': '1'}
    """
    found = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = (x.strip() for x in part.partition("="))
        if not (key and equals and value):
            raise ValueError(
                "The rendezvous configuration string must be in format "
                f"<key1>=<value1>,...,<keyN>=<valueN>, got {text!r}"
            )
        found[key] = value
    return found


def config_from_args(
    args: Namespace,
) -> tuple[LaunchConfig, Callable[..., Any] | str, list[str]]:
    """What the command line means: a configuration, what is run, and its arguments.

    Raises:
        ValueError, AssertionError: options that make no sense.
    """
    least, most = parse_min_max_nnodes(args.nnodes)
    if not 0 < least <= most:
        raise AssertionError(
            f"min_nodes must be > 0 and <= max_nodes, got min_nodes={least}, max_nodes={most}"
        )
    if args.max_restarts < 0:
        raise AssertionError("max_restarts must be >= 0")
    if args.logs_specs is not None:
        unsupported.refuse("--logs-specs", "logs of other makers", "--log-dir, -r and -t")
    if args.numa_binding is not None:
        unsupported.refuse("--numa-binding", "binding to processors", "--no-python numactl ...")
    ranks = None
    if args.local_ranks_filter:
        try:
            ranks = {int(r) for r in args.local_ranks_filter.split(",")}
        except ValueError:
            raise ValueError(
                "--local_ranks_filter must be a comma-separated list of integers e.g. "
                "--local_ranks_filter=0,1,2"
            ) from None
    conf: dict[str, Any] = dict(conf_of(args.rdzv_conf))
    endpoint = args.rdzv_endpoint
    if args.rdzv_backend == "static":
        conf["rank"] = args.node_rank
        endpoint = endpoint or f"{args.master_addr}:{args.master_port}"
    entry, arguments = entrypoint_of(args)
    config = LaunchConfig(
        least, most, determine_local_world_size(args.nproc_per_node),
        logs_specs=DefaultLogsSpecs(
            args.log_dir, Std.from_str(args.redirects), Std.from_str(args.tee), ranks
        ),
        run_id=args.rdzv_id, role=args.role, rdzv_endpoint=endpoint,
        rdzv_backend=args.rdzv_backend, rdzv_configs=conf, max_restarts=args.max_restarts,
        monitor_interval=args.monitor_interval, start_method=args.start_method,
        log_line_prefix_template=os.environ.get("TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE"),
        local_addr=args.local_addr, event_log_handler=args.event_log_handler,
        signals_to_handle=args.signals_to_handle,
        duplicate_stdout_filters=args.duplicate_stdout_filters,
        duplicate_stderr_filters=args.duplicate_stderr_filters,
        virtual_local_rank=args.virtual_local_rank, shutdown_timeout=args.shutdown_timeout,
    )  # fmt: skip
    return config, entry, arguments


def entrypoint_of(args: Namespace) -> tuple[Callable[..., Any] | str, list[str]]:
    """What is run, and its arguments."""
    before: list[str] = []
    entry: Callable[..., Any] | str
    if args.run_path:
        entry, before = run_script_path, [args.training_script]
    elif args.no_python:
        if args.module:
            raise ValueError(
                "Don't use both the '--no-python' flag and the '--module' flag at the same time."
            )
        entry = args.training_script
    else:
        entry = os.environ.get("PYTHON_EXEC", sys.executable)
        before = ["-u", *(["-m"] if args.module else []), args.training_script]
    if not get_use_env(args):
        before.append("--local-rank=${local_rank}")
    return entry, [*before, *args.training_script_args]


def run_script_path(training_script: str, *training_script_args: str) -> None:
    """Run a script in this interpreter."""
    sys.argv = [training_script, *training_script_args]
    runpy.run_path(training_script, run_name="__main__")


def run(args: Namespace) -> None:
    """Do what the command line says; ends when the job has.

    Raises:
        ChildFailedError: a process failed, and --max-restarts are used up.
    """
    alone = args.rdzv_backend == "static" and not args.rdzv_endpoint and args.master_port is None
    if args.standalone or (alone and parse_min_max_nnodes(args.nnodes)[1] == 1):
        args.rdzv_backend, args.rdzv_endpoint = "c10d", "localhost:0"
        args.rdzv_id = str(uuid.uuid4())
    if args.master_port is None:
        args.master_port = 29500
    config, entry, arguments = config_from_args(args)
    elastic_launch(config, entry)(*arguments)


def command(what: Callable[[], None]) -> None:
    """Do `what` as a command: 1 is its exit status when a process has failed, 128 + n when signal n
    came."""
    try:
        record(what)()
    except ChildFailedError as why:
        print(why, file=sys.stderr)
        sys.exit(1)
    except RendezvousError as why:
        print(f"{type(why).__name__}: {why}", file=sys.stderr)
        sys.exit(1)
    except SignalException as why:
        name = signal.Signals(why.sigval).name
        print(f"rushlight: {name} was passed on to the processes", file=sys.stderr)
        sys.exit(128 + why.sigval)


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    command(lambda: run(parse_args(args)))


if __name__ == "__main__":
    main()
