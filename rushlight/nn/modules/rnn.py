"""`torch.nn.modules.rnn`: the same module object as `rushlight.nn.rnn`."""

import sys

from .. import rnn

sys.modules[__name__] = rnn
