"""Build the site: `python docs/site/build.py [FOLDER]`; without a folder, build/docs.

Warnings are errors, and so are links that lead nowhere and anything that a page would ask the
network for.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]


def main() -> int:
    """Write what Sphinx reads, call it, look at what it made."""
    from extension import links, prose
    from sphinx.cmd.build import build_main

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build/docs")
    folder = parser.parse_args().folder.resolve()
    begin = time.perf_counter()
    # Sphinx's trees have cycles, and each collection walks through all of them: 18 of 79 s.
    # (Without them a build ends at 1.2 GB where it ended at 0.6.)
    gc.disable()
    source = folder.with_name(folder.name + "-source")
    source.mkdir(parents=True, exist_ok=True)
    prose.write(source)
    if (folder / ".buildinfo").exists():  # ours; a page that is no longer made must not stay
        shutil.rmtree(folder)
    state = folder.with_name(folder.name + "-state")
    # -E: pages of names depend on all sources, so nothing is taken from the last time
    given = ["-q", "-E", "-W", "--keep-going", "-b", "html", "-c", HERE, "-d", state]
    given += [source, folder]
    failed = build_main([str(x) for x in given])
    if failed:
        return failed
    faults = links.faults(folder)
    for fault in faults:
        print(fault, file=sys.stderr)
    pages = sum(1 for _ in folder.rglob("*.html"))
    print(f"{folder / 'index.html'}: {pages} pages in {time.perf_counter() - begin:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
