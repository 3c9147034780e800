"""Everything of torch.distributed that is set beside gloo, on 1, 2, 3 and 4 ranks, in one start.

python main.py FOLDER                        under PyTorch
python -m rushlight main.py FOLDER           under Rushlight

Each rank leaves files in `FOLDER/RANKS`: of each part what it has noted, in order. The libraries
run side by side, in FOLDER/../torch and FOLDER/../rushlight: when both have saved their
checkpoints, each reads the other's. Further arguments are the parts to run, without waiting for the
other. Ranks are forked, so that a library is imported once.
"""

import datetime
import os
import pickle
import sys
import time
import warnings

warnings.simplefilter("ignore")

import checkpoints  # noqa: E402
import collectives  # noqa: E402
import data_parallel  # noqa: E402
import gradients  # noqa: E402
import sharded  # noqa: E402
import stores  # noqa: E402
import tensors  # noqa: E402
import torch  # noqa: E402
import torch._dynamo  # noqa: E402 - PyTorch's ranks would each import it, for 3 s of a core
import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402
import zero  # noqa: E402

PARTS = {
    "stores": stores.run,
    "collectives": collectives.run,
    "gradients": gradients.run,
    "data parallel": data_parallel.run,
    "zero": zero.run,
    "sharded": sharded.run,
    "tensors": tensors.run,
    "saved": checkpoints.save,
}
AFTERWARDS = {"loaded": checkpoints.load}
RANKS = (1, 2, 3, 4)


class Notes:
    """What has come out, in order: name, value, and how far it may be from the other library's."""

    def __init__(self):
        self.found = []

    def note(self, name, value, rtol=0.0, atol=0.0):
        self.found.append((name, described(value), (rtol, atol)))

    def attempt(self, name, fn, *args, **kw):
        """What a call gives, or the class of what it raises."""
        try:
            self.note(name, fn(*args, **kw))
        except Exception as error:
            self.found.append((name, type(error).__name__, (0.0, 0.0)))


def described(value):
    if isinstance(value, torch.Tensor):
        value = value.detach()
        kind = str(value.dtype)
        if value.dtype in (torch.bfloat16, torch.float16):
            value = value.float()
        return kind, value.clone().numpy()  # memory that NumPy has seen cannot be given back
    if isinstance(value, dict):
        return {str(k): described(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    return type(value).__name__


def run(rank, n, folder, parts):
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/meet {' '.join(parts)}", rank=rank, world_size=n,
        timeout=datetime.timedelta(seconds=120),
    )  # fmt: skip
    found, spent = {}, {}
    for name in parts:
        notes, begun = Notes(), time.process_time()
        {**PARTS, **AFTERWARDS}[name](notes, rank, n, folder)
        found[name], spent[name] = notes.found, time.process_time() - begun
        dist.barrier()
    for name, things in (("pickle", found), ("times", spent)):
        with open(f"{folder}/{rank} {len(parts)}.{name}", "wb") as file:
            pickle.dump(things, file)
    dist.barrier()
    dist.destroy_process_group()


def main(folder, only):
    for parts in (list(PARTS), list(AFTERWARDS)):
        parts = [p for p in parts if not only or p in only]
        for n in RANKS:
            os.makedirs(f"{folder}/{n}", exist_ok=True)
            if parts:
                mp.start_processes(run, (n, f"{folder}/{n}", parts), n, start_method="fork")
        with open(f"{folder}/saved", "w"):
            pass
        end = time.monotonic() + 300
        for which in ("torch", "rushlight"):
            while not os.path.exists(f"{folder}/../{which}/saved") and not only:
                assert time.monotonic() < end, f"{which} has not saved its checkpoints"
                time.sleep(0.1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
