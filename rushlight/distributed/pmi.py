"""How processes that nobody started with mpiexec become one MPI world: the server of PMI-1.

An MPI library asks its starter, over a socket whose number stands in PMI_FD, who else there is: it
puts its addresses under keys, waits for the others, and reads theirs. The questions are lines of
text, `cmd=put kvsname=... key=... value=...`; this is MPICH's "process management interface",
version 1, which its derivatives (Intel MPI, MVAPICH) speak as well. One `Board` answers the ranks
of one world; sockets are the business of server.py.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

LONGEST_LINE = 1 << 16
LONGEST_KEY, LONGEST_VALUE = 64, 4096


def mapping(hosts: Sequence[str]) -> str:
    """Which ranks are on which machine, as PMI writes it: blocks (first machine, machines, ranks).

    >>> mapping(["a", "a", "b", "b"]), mapping(["a", "b", "b"])
    ('(vector,(0,1,2),(1,1,2))', '(vector,(0,1,1),(1,1,2))')
    """
    number: dict[str, int] = {}
    blocks: list[list[int]] = []
    for host in hosts:
        n = number.setdefault(host, len(number))
        if blocks and blocks[-1][0] == n:
            blocks[-1][1] += 1
        else:
            blocks.append([n, 1])
    return "(vector," + ",".join(f"({n},1,{ranks})" for n, ranks in blocks) + ")"


class Board:
    """What the ranks of one world tell each other.

    `answer(rank, line)` gives the lines to be sent, each with the rank that gets it: none while
    others are waited for, one for each rank when the last of them has come to a barrier.

    >>> board = Board(["here", "here"])
    >>> board.answer(0, "cmd=put kvsname=x key=port value=42")
    [(0, 'cmd=put_result rc=0 msg=success')]
    >>> board.answer(1, "cmd=get kvsname=x key=port")
    [(1, 'cmd=get_result rc=0 msg=success value=42')]
    >>> board.answer(0, "cmd=barrier_in"), board.answer(1, "cmd=barrier_in")
    ([], [(0, 'cmd=barrier_out rc=0'), (1, 'cmd=barrier_out rc=0')])
    """

    def __init__(self, hosts: Sequence[str]) -> None:
        self.size = len(hosts)
        # MPICH names its shared memory by this: two jobs on a machine must not have the same.
        self.name = f"kvs_{secrets.token_hex(8)}"
        self.values = {"PMI_process_mapping": mapping(hosts)}
        self.waiting: set[int] = set()
        self.aborted: dict[int, str] = {}

    def answer(self, rank: int, line: str) -> list[tuple[int, str]]:
        asked = dict(part.partition("=")[::2] for part in line.split(" ") if "=" in part)
        command = asked.get("cmd", "")
        if command == "barrier_in":
            self.waiting.add(rank)
            if len(self.waiting) < self.size:
                return []
            self.waiting.clear()
            return [(r, "cmd=barrier_out rc=0") for r in range(self.size)]
        if command == "abort":
            self.aborted[rank] = asked.get("exitcode", "?")
            return []
        return [(rank, self.reply(command, asked))]

    def reply(self, command: str, asked: dict[str, str]) -> str:
        if command == "init":
            return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
        if command == "get_maxes":
            return (
                f"cmd=maxes rc=0 kvsname_max=256 keylen_max={LONGEST_KEY} "
                f"vallen_max={LONGEST_VALUE}"
            )
        if command == "get_appnum":
            return "cmd=appnum rc=0 appnum=0"
        if command == "get_my_kvsname":
            return f"cmd=my_kvsname rc=0 kvsname={self.name}"
        if command == "get_universe_size":
            return f"cmd=universe_size rc=0 size={self.size}"
        if command == "put":
            self.values[asked.get("key", "")] = asked.get("value", "")
            return "cmd=put_result rc=0 msg=success"
        if command == "get":
            key = asked.get("key", "")
            if key in self.values:
                return f"cmd=get_result rc=0 msg=success value={self.values[key]}"
            return f"cmd=get_result rc=-1 msg=key_{key}_not_found value=unknown"
        if command == "finalize":
            return "cmd=finalize_ack rc=0"
        return f"cmd={command}_result rc=-1 msg=not_supported"
