"""Memory that processes share: the blocks, and how a process hands them to another."""
