"""Run test files of PyTorch under PyTorch and through the drop-in, and sort what differs by cause.

    python -m tests.pytorch test/test_view_ops.py test/test_indexing.py
    python -m tests.pytorch test/test_torch.py -k scatter --show "values differ"

A test counts if it passes under PyTorch on this CPU; that is found out once a file and kept (in
`--results`, outside the repository). The drop-in then runs those tests, in `--shards` processes,
each test with a time limit. Read next: worker.py (one process), borrowed.py (how
`torch.testing._internal` of PyTorch's wheel runs on the drop-in), causes.py (what sorts),
asks_for.py (tests that ask for what Rushlight is not).
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from . import asks_for, causes

HOME = Path(__file__).resolve().parents[2]
KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rushlight-pytorch-tests"


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.pytorch", description=__doc__)
    add = parser.add_argument
    add("files", nargs="*", type=Path, help="test files of PyTorch")
    add("-k", default="", help="only tests whose name contains this")
    add("--every", type=int, default=1, help="of a large file, only every so manieth test")
    add("--first", type=int, default=0, help="with --every: beginning with this test")
    add("--shards", type=int, default=2, help="processes (default 2)")
    add("--limit", type=float, default=20.0, help="seconds a test may take (default 20)")
    add("--results", type=Path, default=KEPT, help="where results are kept")
    add("--show", default=None, help="all failures whose cause contains this, with their lines")
    add("--all", action="store_true", help="every cause, not the thirty most frequent")
    add("--failed", action="store_true", help="only what failed when it was run last")
    add("--torch-only", action="store_true", help="only find out what passes under PyTorch")
    add("--report", action="store_true", help="run nothing: what was found last")
    add("--names", action="store_true", help="write docs/pytorch_tests_names.md, and no more")
    return parser.parse_args(arguments)


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Results by test; of a test that was run twice the later one."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {line["id"]: line for line in lines}


def run(side: str, file: Path, tests: list[str] | None, out: Path, args: Any, part: str) -> None:
    """Run tests in a process; start another one behind a test that killed or hung it."""
    ended: list[str] = []
    done = out.with_suffix(f".{part}.done")
    done.write_text("")
    while True:
        wanted = out.with_suffix(f".{part}.wanted")
        skip = done.read_text().splitlines()
        which = {"tests": tests, "skip": skip, "part": part, "k": args.k}
        which |= {"every": args.every, "first": args.first}
        wanted.write_text(json.dumps(which))
        command = [sys.executable, "-m", "tests.pytorch.worker", side, str(file), str(out)]
        command += [str(wanted), str(args.limit)]
        env = dict(os.environ, OMP_NUM_THREADS="1", PYTHONPATH=path_of(file))
        log = out.with_suffix(f".{part}.log")
        current = out.with_suffix(f".{part}.now")
        current.unlink(missing_ok=True)
        with log.open("ab") as said:
            process = subprocess.Popen(
                command, env=env, stdout=said, stderr=said, cwd=out.parent, start_new_session=True
            )
        stopped = ""
        while process.poll() is None:
            time.sleep(0.2)
            if current.exists() and time.time() - current.stat().st_mtime > args.limit + 30:
                stopped = "hung: killed"
                os.killpg(process.pid, 9)
        wanted.unlink()
        if process.returncode == 0:
            current.unlink(missing_ok=True)
            return
        if not current.exists():
            end = "\n".join(log.read_text().splitlines()[-6:])
            raise SystemExit(f"{file.name} ({side}) does not load; see {log}\n{end}")
        test = current.read_text()
        ended.append(test)
        if len(ended) > 20:
            end = "\n".join(log.read_text().splitlines()[-6:])
            raise SystemExit(f"{file.name} ({side}) ended by itself twenty times\n{end}")
        told = stopped or f"the process ended with {process.returncode}"
        with open(out, "a") as f:
            f.write(json.dumps({"id": test, "how": "fail", "text": told, "where": ""}) + "\n")
        with open(done, "a") as f:
            f.write(test + "\n")


def path_of(file: Path) -> str:
    """The folders that a test file imports its neighbours from, and this checkout."""
    folders = [str(HOME), str(file.parent)]
    folders += [str(p) for p in file.parents if p.name == "test"]
    return os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")])


def in_shards(side: str, file: Path, tests: list[str] | None, out: Path, args: Any) -> None:
    shards = args.shards
    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        parts = [f"{i}of{shards}" for i in range(shards)]
        list(pool.map(lambda part: run(side, file, tests, out, args, part), parts))


def look(file: Path, args: argparse.Namespace) -> tuple[int, int, int]:
    """One file: how many tests pass through the drop-in, how many count, and how many of those that
    fail ask for what Rushlight is not."""
    file = file.resolve()
    folder = args.results / file.stem
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    if args.every > 1:
        digest += f"-every{args.every}" + (f"-from{args.first}" if args.first else "")
    theirs, ours = folder / f"torch-{digest}.jsonl", folder / f"rushlight-{digest}.jsonl"
    finished = folder / f"torch-{digest}.finished"
    if not finished.exists() and not args.report:
        theirs.unlink(missing_ok=True)
        kept_k, args.k = args.k, ""
        in_shards("torch", file, None, theirs, args)
        args.k = kept_k
        finished.write_text("")
    counts = sorted(t for t, r in read(theirs).items() if r["how"] == "pass" and args.k in t)
    if args.torch_only:
        return 0, len(counts), 0
    if not args.report:
        tests = counts
        if args.failed:
            before = read(ours)
            tests = [t for t in counts if before.get(t, {"how": ""})["how"] != "pass"]
        in_shards("rushlight", file, tests, ours, args)
    results = read(ours)
    # What PyTorch's tests expect to fail does not pass there; files of results may say it does.
    counts = [t for t in counts if results.get(t, {}).get("how") != "unexpected success"]
    passed = [t for t in counts if results.get(t, {"how": ""})["how"] == "pass"]
    failed = [results.get(t) or {"id": t, "text": "not run", "where": ""} for t in counts]
    failed = [r for r in failed if r.get("how") != "pass"]
    told = [r for r in failed if asks_for.reason(file.stem, r["id"])]
    print(f"{file.stem}: {said(len(passed), len(counts), len(told))}")
    show([r for r in failed if r not in told], args)
    return len(passed), len(counts), len(told)


def said(passed: int, counts: int, told: int) -> str:
    text = f"{passed} of {counts} that pass under PyTorch"
    if told:
        text += f"; {passed} of {counts - told} without those that ask for what Rushlight is not"
    return text


def show(failed: list[dict[str, Any]], args: argparse.Namespace) -> None:
    kinds: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for result in failed:
        kinds[causes.cause(result)].append(result)
    order = sorted(kinds, key=lambda kind: -len(kinds[kind]))
    for kind in order if args.all or args.show else order[:30]:
        if args.show is not None and args.show not in kind:
            continue
        print(f"  {len(kinds[kind]):4d}  {kind}")
        for result in kinds[kind] if args.show is not None else kinds[kind][:2]:
            print(f"          {result['id']}")
            if args.show is not None:
                print("            " + " / ".join(result["text"].split("\n"))[:400])
                for place in result["where"].split(" | "):
                    print("            " + place)


def main() -> None:
    args = options()
    if args.names:
        (HOME / "docs" / "pytorch_tests_names.md").write_text(asks_for.page(), encoding="utf-8")
        return
    sums = [look(file, args) for file in args.files]
    if len(sums) > 1:
        passed, counts, told = (sum(column) for column in zip(*sums, strict=True))
        print(f"in all: {said(passed, counts, told)}")


if __name__ == "__main__":
    main()
