"""`python -m rushlight`: run programs that say `import torch`. Read next: dropin/command.py."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from rushlight.dropin.command import main

    main(sys.argv[1:])
