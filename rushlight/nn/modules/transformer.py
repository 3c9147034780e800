"""`torch.nn.modules.transformer`: the same module object as `rushlight.nn.transformer`."""

import sys

from .. import transformer

sys.modules[__name__] = transformer
