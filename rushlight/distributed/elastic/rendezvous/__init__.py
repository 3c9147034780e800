"""The errors of agents that meet, under PyTorch's names; the agents' meeting is in
`launcher/nodes.py`, and not open to handlers of others."""

from __future__ import annotations

from ....unsupported import module

__all__ = [
    "RendezvousClosedError",
    "RendezvousConnectionError",
    "RendezvousError",
    "RendezvousGracefulExitError",
    "RendezvousStateError",
    "RendezvousTimeoutError",
]


class RendezvousError(Exception):
    """Agents could not meet."""


class RendezvousClosedError(RendezvousError):
    """The job is over."""


class RendezvousTimeoutError(RendezvousError):
    """Not enough agents came in time."""


class RendezvousConnectionError(RendezvousError):
    """The agent that keeps the job's store does not answer, or is gone."""


class RendezvousStateError(RendezvousError):
    """What agents have told each other does not fit."""


class RendezvousGracefulExitError(RendezvousError):
    """This agent was not needed."""


__getattr__, __dir__ = module(
    __name__,
    "RendezvousHandler RendezvousHandlerCreator RendezvousHandlerRegistry RendezvousInfo "
    "RendezvousParameters RendezvousStoreInfo rendezvous_handler_registry",
    "rendezvous handlers of other makers",
    "--rdzv-backend c10d or static of rushlight.distributed.run",
)
