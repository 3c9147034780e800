"""`torch.distributed.launcher`: starting a job's processes from a program.

`api.py` has what programs call; `agent.py` looks after the processes of one machine (`workers.py`)
and hears of other machines (`nodes.py`). The command line is `rushlight.distributed.run`.
"""

from __future__ import annotations

from .api import LaunchConfig, elastic_launch, launch_agent

__all__ = ["LaunchConfig", "elastic_launch", "launch_agent"]
