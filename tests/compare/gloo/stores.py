"""Stores: what each call gives, and what ranks see of each other."""

import datetime

import torch
import torch.distributed as dist

SHORT = datetime.timedelta(seconds=0.05)


def made(rank, n, folder):
    at = [None]
    if rank == 0:
        tcp = dist.TCPStore("localhost", 0, n, True, wait_for_workers=False)
        at = [tcp.port]
    dist.broadcast_object_list(at, 0)
    if rank:
        tcp = dist.TCPStore("localhost", at[0], n, False, wait_for_workers=False)
    yield "tcp", tcp, True
    yield "prefix", dist.PrefixStore("some", dist.PrefixStore("where", tcp)), True
    yield "file", dist.FileStore(f"{folder}/store", n), True
    yield "prefix of a file", dist.PrefixStore("p", dist.FileStore(f"{folder}/other", n)), True
    yield "hash", dist.HashStore(), False


def alone(t, name, s):
    """One rank's own keys: what each call gives."""
    t.attempt(f"{name} set", s.set, "a", "1")
    t.attempt(f"{name} get", s.get, "a")
    s.set("raw", "\x00\x7f\n")
    t.attempt(f"{name} get raw", s.get, "raw")
    t.attempt(f"{name} add", s.add, "n", 2)
    t.attempt(f"{name} add less", s.add, "n", -5)
    t.attempt(f"{name} get added", s.get, "n")
    t.attempt(f"{name} append", s.append, "a", "23")
    t.attempt(f"{name} appended", s.get, "a")
    t.attempt(f"{name} append to nothing", s.append, "fresh", "x")
    t.attempt(f"{name} appended to nothing", s.get, "fresh")
    t.attempt(f"{name} check", s.check, ["a", "n"])
    t.attempt(f"{name} check none", s.check, ["a", "none"])
    t.attempt(f"{name} compare_set", s.compare_set, "a", "123", "4")
    t.attempt(f"{name} compare_set otherwise", s.compare_set, "a", "123", "5")
    t.attempt(f"{name} compare_set of nothing", s.compare_set, "new", "", "1")
    t.attempt(f"{name} compare_set of nothing otherwise", s.compare_set, "newer", "7", "1")
    if name == "hash":
        t.note("hash num_keys", s.num_keys())
    t.attempt(f"{name} delete_key", s.delete_key, "new")
    t.attempt(f"{name} delete_key again", s.delete_key, "new")
    t.attempt(f"{name} deleted", s.check, ["new"])
    t.attempt(f"{name} multi_set", s.multi_set, ["x", "y"], ["1", "2"])
    t.attempt(f"{name} multi_get", s.multi_get, ["x", "y"])
    t.attempt(f"{name} has_extended_api", s.has_extended_api)
    t.attempt(f"{name} wait", s.wait, ["x"])
    t.attempt(f"{name} wait for nothing", s.wait, ["never"], SHORT)
    t.attempt(f"{name} queue_push", s.queue_push, "q", "1")
    t.attempt(f"{name} queue_len", s.queue_len, "q")
    t.attempt(f"{name} queue_pop", s.queue_pop, "q")
    t.attempt(f"{name} queue_pop of nothing", s.queue_pop, "q", False)
    t.attempt(f"{name} set no text", s.set, "a", 3)
    t.note(f"{name} timeout", s.timeout.total_seconds())
    t.attempt(f"{name} set_timeout", s.set_timeout, SHORT)
    t.attempt(f"{name} get nothing", s.get, "never")
    s.set_timeout(datetime.timedelta(seconds=20))
    t.note(f"{name} class", type(s).__name__)


def together(t, name, s, rank, n):
    s.set(f"from {rank}", f"word of {rank}")
    t.note(f"{name} words", [s.get(f"from {r}") for r in range(n)])
    s.add("sum", rank + 1)
    s.append("all", str(rank))
    won = s.compare_set("first", "", str(rank)) == str(rank).encode()
    t.note(f"{name} alike", s.add("there", 0) >= 0)
    dist.barrier()
    t.note(f"{name} sum", s.add("sum", 0))
    t.note(f"{name} all", sorted(s.get("all")))
    one = torch.tensor([int(won)])
    dist.all_reduce(one)
    t.note(f"{name} one has won", one)
    t.note(f"{name} the same", s.get("first").isdigit())
    s.wait([f"from {r}" for r in range(n)])
    t.attempt(f"{name} num_keys", s.num_keys)
    dist.barrier()
    t.attempt(f"{name} delete_key of all", s.delete_key, f"from {rank}")
    dist.barrier()
    t.attempt(f"{name} gone", s.check, ["from 0"])


def run(t, rank, n, folder):
    for name, s, shared in made(rank, n, folder):
        alone(t, name, dist.PrefixStore(f"own {rank}", s) if shared and n > 1 else s)
        dist.barrier()
        if shared:
            together(t, name, s, rank, n)
        dist.barrier()
    t.note("prefix", dist.PrefixStore("a", dist.HashStore()).underlying_store)
