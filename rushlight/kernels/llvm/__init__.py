"""Machine code for kernels, written in Python: LLVM through llvmlite, loaded when first needed.

`ir.py` an assembler · `jit.py` compiling, the disk cache, loading · `native.py` calls from Python ·
`threads.py` the pool · `vecmath.py` exp, log, tanh and their like as vectors.
"""
