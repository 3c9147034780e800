"""Machine code for kernels, written in Python: LLVM through llvmlite, loaded when first needed.

`expr.py` formulas as they are traced · `lower.py` what becomes of them · `ir.py` an assembler ·
`vecmath.py`, `vecspecial.py`, `piecewise.py` exp, log, tanh, erf and their like as vectors ·
`half.py` float16 and bfloat16 · `rows.py`, `tensor_lists.py` what kernels over rows and over lists
of arrays have in common. Compiling, loading and threads are in `runtime/`.
"""

from ... import late

late.modules(__name__, "row_body")
