"""Reading data with workers: samples a second, and the time to the first batch.

    python -m benchmarks.data [FOLDER]            MNIST in FOLDER through Pillow transforms, with 0
                                                  and 2 workers; the first batch of 4 workers; and
                                                  PyTorch's figures where it is installed
    python -m benchmarks.data --cycles 200        start and stop loaders, and count what is left
    python -m benchmarks.data --once rushlight FOLDER    one library's figures (used by the table)

FOLDER holds MNIST's four files, packed or not (`data/mnist` is the default); without it, images are
made up. Figures are worth something only when nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import importlib
import json
import multiprocessing
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 3
SAMPLES = 20_000
BATCH = 64
WANTED = {"two workers against none": 1.5, "seconds to the first batch of four": 1.5}


class Images:
    """MNIST's images as Pillow images, through a transform; a map for any library's loader."""

    def __init__(self, folder: str, transform: Any) -> None:
        images, labels = read(folder)
        self.images, self.labels = images[:SAMPLES], labels[:SAMPLES]
        self.transform = transform

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, i: int) -> Any:
        from PIL import Image

        return self.transform(Image.fromarray(self.images[i])), int(self.labels[i])


def read(folder: str) -> tuple[np.ndarray, np.ndarray]:
    """The training images and labels, or made-up ones."""
    path = Path(folder) / "train-images-idx3-ubyte.gz"
    if not path.exists():
        rng = np.random.default_rng(0)
        return rng.integers(0, 256, (SAMPLES, 28, 28), np.uint8), rng.integers(0, 10, SAMPLES)
    with gzip.open(path) as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28)
    with gzip.open(Path(folder) / "train-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    return images, labels


class Augment:
    """Crop with a border, rotate, make a tensor, normalise: the same Pillow calls and the same
    tensor operations for both libraries (torchvision need not be there)."""

    def __init__(self, library: str) -> None:
        self.library = library

    def __call__(self, image: Any) -> Any:
        from PIL import Image, ImageOps

        torch = importlib.import_module(self.library)
        image = ImageOps.expand(image, border=2)
        top, left = (int(torch.randint(0, 5, (1,)).item()) for _ in range(2))
        image = image.crop((left, top, left + 28, top + 28))
        angle = float(torch.empty(1).uniform_(-10, 10).item())
        image = image.rotate(angle, Image.Resampling.NEAREST)
        tensor = torch.from_numpy(np.array(image)).reshape(28, 28, 1)
        tensor = tensor.permute(2, 0, 1).contiguous().to(torch.float32).div(255)
        return tensor.sub(0.1307).div(0.3081)


def vision() -> Any:
    """The same by Rushlight's own transforms."""
    from rushlight.vision import transforms as T

    return T.Compose(
        [
            T.RandomCrop(28, padding=2),
            T.RandomRotation(10),
            T.ToTensor(),
            T.Normalize(0.1307, 0.3081),
        ]
    )


def passing(library: str, data: Any, **options: Any) -> tuple[float, float]:
    """Seconds to the first batch, and samples a second of a pass (its start included)."""
    loader_of = importlib.import_module(library).utils.data.DataLoader
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loader = loader_of(data, batch_size=BATCH, shuffle=True, **options)
    begin = time.perf_counter()
    first = 0.0
    count = 0
    for x, _ in loader:
        if not count:
            first = time.perf_counter() - begin
        count += len(x)
    return first, count / (time.perf_counter() - begin)


def once(library: str, folder: str) -> dict[str, float]:
    """One library's figures, in a process of its own."""
    importlib.import_module("PIL.Image")  # as torchvision does
    importlib.import_module(library).set_num_threads(1)
    data = Images(folder, Augment(library))
    figures = {}
    # The first start of all, with the server that later ones use.
    figures["seconds to the first batch of four"] = passing(library, data, num_workers=4)[0]
    figures["  the same, a second time"] = passing(library, data, num_workers=4)[0]
    for n in (0, 2):
        figures[f"samples/s, {n} workers"] = max(
            passing(library, data, num_workers=n)[1] for _ in range(2)
        )
    if library == "rushlight":
        figures["two workers against none, by CPU time"] = by_cpu_time(data)
        threads: dict[str, Any] = {"num_workers": 2, "worker_method": "thread"}
        figures["samples/s, 2 threads"] = passing(library, data, **threads)[1]
        data.transform = vision()
        for n in (0, 2):
            name = f"samples/s, vision.transforms, {n} workers"
            figures[name] = max(passing(library, data, num_workers=n)[1] for _ in range(2))
    return figures


def by_cpu_time(data: Any) -> float:
    """What two workers would gain on two free cores: CPU time of a pass in this process by that of
    the busiest process of a pass with workers. It says more than the clock on a busy machine."""
    from rushlight.utils.data import DataLoader

    def cpu_of(pid: int) -> float:
        path = Path(f"/proc/{pid}/schedstat")  # nanoseconds; only on Linux
        return int(path.read_text().split()[0]) / 1e9 if path.exists() else 0.0

    begin = time.process_time()
    for _ in DataLoader(data, batch_size=BATCH):
        pass
    alone = time.process_time() - begin
    loader = DataLoader(data, batch_size=BATCH, num_workers=2, persistent_workers=True)
    next(iter(loader))
    pids = loader._iterator._pool.pids
    before, begin = [cpu_of(pid) for pid in pids], time.process_time()
    for _ in loader:
        pass
    parent = time.process_time() - begin
    return alone / max(parent, *(cpu_of(p) - b for p, b in zip(pids, before, strict=True)))


def table(folder: str) -> bool:
    """Print both libraries' figures, the best of some rounds in alternating processes."""
    libraries = ["rushlight"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if importlib.util.find_spec("torch") is not None:
            libraries.append("torch")
    best: dict[str, dict[str, float]] = {library: {} for library in libraries}
    for _ in range(ROUNDS):
        for library in libraries:
            command = [sys.executable, "-m", "benchmarks.data", "--once", library, folder]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            for name, value in json.loads(out.splitlines()[-1]).items():
                better = min if "seconds" in name or "the same" in name else max
                best[library][name] = better(best[library].get(name, value), value)
    for figures in best.values():
        figures["two workers against none"] = (
            figures["samples/s, 2 workers"] / figures["samples/s, 0 workers"]
        )
    print(f"{'':44}" + "".join(f"{library:>12}" for library in libraries))
    for name in best["rushlight"]:
        cells = [best[library].get(name) for library in libraries]
        print(f"{name:44}" + "".join(f"{c:12.2f}" if c is not None else " " * 12 for c in cells))
    ours = best["rushlight"]
    good = (
        ours["two workers against none"] >= WANTED["two workers against none"]
        and ours["seconds to the first batch of four"]
        <= WANTED["seconds to the first batch of four"]
    )
    print("as wanted" if good else f"NOT as wanted: {WANTED}")
    return good


class Small:
    """A small data set for many starts."""

    def __len__(self) -> int:
        return 16

    def __getitem__(self, i: int) -> Any:
        import rushlight

        return rushlight.full((1000,), float(i)), i


def cycles(count: int) -> bool:
    """Start and stop loaders of every kind; print what is left of processes, descriptors, files."""
    from rushlight.shared_memory import blocks
    from rushlight.utils.data import DataLoader

    kinds: list[dict[str, Any]] = [
        {},
        {"persistent_workers": True},
        {"worker_method": "thread"},
        {"multiprocessing_context": "fork"},
    ]

    def cycle(k: int) -> None:
        loader = DataLoader(Small(), batch_size=2, num_workers=2, **kinds[k % len(kinds)])
        for n, _ in enumerate(loader):
            if k % 2 and n == 1:
                break  # every second one is dropped in the middle

    def left() -> dict[str, int]:
        gc.collect()
        proc = Path("/proc/self")
        return {
            "children": len(children()),
            "multiprocessing's children": len(multiprocessing.active_children()),
            "descriptors": len(list((proc / "fd").iterdir())) if proc.exists() else 0,
            "mappings": (proc / "maps").read_text().count("(deleted)") if proc.exists() else 0,
            "names in shared memory": sum(
                name.startswith(f"rushlight-{blocks.TREE}")
                for name in os.listdir(blocks.folder())
            ),
        }

    for k in range(len(kinds)):
        cycle(k)
    before = left()
    begin = time.perf_counter()
    for k in range(count):
        cycle(k)
    seconds = time.perf_counter() - begin
    after = left()
    print(f"{count} starts and stops in {seconds:.1f} s")
    for name, value in before.items():
        print(f"{name:28} before {value:4}  after {after[name]:4}")
    return all(after[name] <= value for name, value in before.items())


def children() -> list[int]:
    """Processes below this one, zombies and the children of the fork server among them."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir() if os.path.isdir("/proc/self") else []:
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default="data/mnist")
    parser.add_argument("--once", metavar="LIBRARY")
    parser.add_argument("--cycles", type=int, metavar="N")
    args = parser.parse_args()
    if args.once:
        print(json.dumps(once(args.once, args.folder)))
        return 0
    if args.cycles:
        return 0 if cycles(args.cycles) else 1
    return 0 if table(args.folder) else 1


if __name__ == "__main__":
    sys.exit(main())
