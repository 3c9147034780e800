"""`torch.nn.modules.container`: the same module object as `rushlight.nn.containers`."""

import sys

from .. import containers

sys.modules[__name__] = containers
