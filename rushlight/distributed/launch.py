"""`torch.distributed.launch`, the launcher before torchrun: scripts get --local-rank as an argument
unless --use-env is given. Everything else is `run.py`'s."""

from __future__ import annotations

import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence

from . import run as newer


def parse_args(args: Sequence[str] | None) -> Namespace:
    """The command line's values."""
    parser = newer.get_args_parser()
    parser.prog = "python -m rushlight.distributed.launch"
    parser.add_argument(
        "--use-env", "--use_env", default=False, action="store_true",
        help="Do not give the script --local-rank: it reads LOCAL_RANK.",
    )  # fmt: skip
    return parser.parse_args(args)


def launch(args: Namespace) -> None:
    """Do what the command line says."""
    if args.no_python and not args.use_env:
        raise ValueError(
            "When using the '--no-python' flag, you must also set the '--use-env' flag."
        )
    newer.run(args)


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    warnings.warn(
        "The module torch.distributed.launch is deprecated and will be removed in future. Use "
        "torchrun. If your script expects `--local-rank` argument to be set, please change it to "
        "read from `os.environ['LOCAL_RANK']` instead.",
        FutureWarning,
        stacklevel=2,
    )
    newer.command(lambda: launch(parse_args(args)))


if __name__ == "__main__":
    main(sys.argv[1:])
