"""pip's settings, as uv reads them: lines of the shell.

    eval "$(python .ci/uv_settings.py)"

uv installs in a quarter of pip's time but knows nothing of `pip config`, where a machine says which
index it uses, which files lie on its disk and which versions are too new for it. Ends with 1 where
pip may ask no index: uv has no variable for that.
"""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
from collections.abc import Iterable

# What uv calls a setting of pip's, and what it puts between several values.
NAMES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "constraint": ("UV_CONSTRAINT", " "),
    "cert": ("SSL_CERT_FILE", " "),
}


def settings(config: Iterable[str]) -> dict[str, str]:
    """uv's variables for the lines of `pip config list`, of which a later one wins."""
    found = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # pip looks at all indexes for the newest
    given = [line.partition("=") for line in config if "=" in line]
    if any(name.endswith(".no-index") for name, _, _ in given):
        sys.exit("pip is told to ask no index, which uv cannot be told by a variable")
    for start in ("global.", "install.", ":env:."):
        for name, _, value in given:
            known = NAMES.get(name.removeprefix(start)) if name.startswith(start) else None
            if known is not None:
                found[known[0]] = known[1].join(ast.literal_eval(value).split())
    return found


if __name__ == "__main__":
    command = [sys.executable, "-m", "pip", "config", "list"]
    config = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name, value in settings(config.splitlines()).items():
        print(f"export {name}={shlex.quote(value)}")
