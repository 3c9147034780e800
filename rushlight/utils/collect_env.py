"""`torch.utils.collect_env`: what belongs into a report of a problem, as
`python -m rushlight --info` prints it.
"""

from __future__ import annotations

from ..dropin import info

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """Versions, the CPU, threads, memory, caches and settings, line by line.

    >>> text = torch.utils.collect_env.get_pretty_env_info()
    >>> text.startswith("Rushlight"), "threads" in text
    (True, True)
    """
    return "\n".join(info.lines())


def main() -> None:
    """Print it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
