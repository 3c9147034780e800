"""What kernels need while they run: compiling and loading, threads, memory, BLAS beside them.

`jit.py` compiling, the disk cache, loading · `builtin.py` calls from Python · `threads.py` the
pool, `waiting.py` how its threads sleep · `memory.py`, `allocator.py` memory of large arrays ·
`blas.py` BLAS's threads.
"""
