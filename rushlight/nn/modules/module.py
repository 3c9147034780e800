"""`torch.nn.modules.module`: the same module object as `rushlight.nn.module`."""

import sys

from .. import module

sys.modules[__name__] = module
