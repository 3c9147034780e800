"""The sizes at which the choice of a kernel changes, in one place.

A name begins with its family. The families' `select.py` read them while they make a plan; ops,
derivatives, modules and optimisers never ask how large an array is. What one kernel's code is built
for (the rows of a tile, a line on the stack) stands with that kernel.

With `RUSHLIGHT_JIT=always` the sizes from which on
kernels are used are 1, so that tests reach kernels with small arrays: those are the ones written
with `least`.

Figures in comments are microseconds of NumPy and of the kernel on both sides of a limit, two
threads of a 2-core Xeon, unless they say something else.
"""

from __future__ import annotations

import os
from typing import TypeVar

ALWAYS = os.environ.get("RUSHLIGHT_JIT") == "always"

N = TypeVar("N", int, float)


def least(size: N, always: N | None = None) -> N:
    """A size from which on a kernel is used; with `RUSHLIGHT_JIT=always` 1, or what is given."""
    if not ALWAYS:
        return size
    return type(size)(1) if always is None else always


# Additions and multiplications, and bytes, of a plan from which on other Python threads may run
# meanwhile: to hand the lock over and to ask for it again takes 0.04 µs, in which these are a third
# of what a plan of that cost takes.
RELEASE_LEAST = 1 << 17

# -- formulas about one element ------------------------------------------------------------------

# Elements, for a formula of several steps. EPYC 7003 (AVX2), 256: leaky_relu 9.8, 10; 1024:
# leaky_relu 22, 10, hardswish 17, 6.6, softsign 12, 6.5, clamp 8.9, 8.8.
ELEMENTWISE_LEAST = least(1 << 10)
# For one that NumPy computes in many steps, or in float64. There, 64: erf 48, 4.9; gelu 52, 9.2;
# elu 15, 7.3; selu 12, 2.7; logit 22, 2.7; lgamma 160, 5.7.
ELEMENTWISE_STEPS_LEAST = least(32)
ELEMENTWISE_FUNCTION_LEAST = least(1 << 16)  # for exp, tanh, … alone, where NumPy has AVX-512
# The same where it has AVX2. 512: exp 1.8, 2.8; tanh 4.5, 3.1; 2048: 4.4, 3.6; 8.7, 5.0
ELEMENTWISE_AVX2_LEAST = least(1 << 10)
# For remainders and others that NumPy computes one by one. fmod of 128: 2.4, 2.3; of 512: 7.1, 2.4;
# without AVX-512 expm1 of 128: 3.8, 2.5; of 1024: 12, 3.2
ELEMENTWISE_SCALAR_LEAST = least(128)
# For float16 and bfloat16, of which NumPy takes float32. x * y of 64: 6.4, 4.6; of 2**14: 11, 5.8
ELEMENTWISE_LOW_LEAST = least(64)
# And for a + b, where it is threads that pay. 2**16: 5.6, 5.1; 2**17: 14.9, 6.4; 2**18: 32, 17. On
# a Xeon whose operands come from the third-level cache, 2**14: 7.2, 7.7; 2**16: 25, 14; one thread
# 23, 23.
ELEMENTWISE_ARITHMETIC_LEAST = least(1 << 16)
# The same in place, where nothing is allocated. 2**16: 7.7, 8.3; 2**17: 11.4, 11.3
ELEMENTWISE_ARITHMETIC_INTO = least(1 << 17)
ELEMENTWISE_FAR = 1 << 25  # bytes of a result from which on it is written past the cache
ELEMENTWISE_MOST_PLANS = 8192  # plans that are kept, of all formulas together
BROADCAST_SHORT = least(8)  # elements of a row below which NumPy is quicker
BROADCAST_FAR = 1 << 24  # the longest step between neighbours of a row, in elements
COPY_LEAST = least(1 << 13)  # elements: transposed 2.1, 1.9; heads 1.3, 1.4; to float64 1.3, 1.5
# From and to float16 and bfloat16. To float16, 128: 0.39, 0.31; 4096: 6.3, 0.45
COPY_LOW_LEAST = least(1 << 8)
COPY_DENSE_LEAST = least(1 << 16)  # and of one span of memory as it is: 2.3, 2.6; then 6.1, 3.5
COPY_CHUNK = 1 << 15  # elements of a piece of work
COPY_SQUARE = (128, 128)  # rows and columns of a piece that lies across its source
COPY_TURNED = least(16)  # rows and columns from which on squares are turned in registers
COPY_FEW_ROWS = 16  # rows below which those of another axis are taken together
COPY_MOST_PLANS = 4096  # plans that are kept
PLACES_LEAST = least(1 << 12)  # elements of a mask from which on its places are found in one line
TRIANGLE_KEPT = 1 << 12  # elements up to which a mask of a triangle is kept: 1.9 of 2.1 µs of 4 x 4
OUTER_LEAST = least(1 << 12)  # elements of the result: 32 x 32 1.8, 3.3; 64 x 64 2.3, 1.9
# Elements from which on a masked fill writes all of them anew, by a kernel or bit operations, where
# NumPy looks at the mask number by number: 1,000 elements, half of them masked, 3.4 and 12 µs;
# 10,000 75 and 13; 3.2 million 29,400 and 900. Of a mask with hardly a True NumPy takes 730.
MASKED_FILL_LEAST = 1 << 11
WHERE_SMALL = 512  # elements below which bit operations cost more than NumPy's branches

# -- reductions ----------------------------------------------------------------------------------

# Elements from which on a kernel reduces, which adds float32 in double precision. 64 x 64, sum(1)
# 15.7, 7.3 µs; amax(1) 17.7, 6.7; mean(1) 21.8, 8.1; 32 x 32 6.9, 6.4; 10.0, 5.8; 9.1, 6.7.
REDUCE_LEAST = least(2048)
LOGSUMEXP_LEAST = least(8192)
REDUCE_GRADIENT_LEAST = least(8192)  # of gradients over leading dims, a bias's say
# Of a formula, where NumPy takes several calls. 32 floats: std 10.6, 4.1; smooth_l1_loss 10.6, 4.6;
# mse_loss 6.3, 4.0; norm 4.2, 2.8.
REDUCE_FORMULA_LEAST = 1
REDUCE_FEW = least(1024, 0)  # floats up to which NumPy's own `reduce` is right, whatever the axis
REDUCE_SHORT = least(8)  # elements side by side below which another axis is innermost
REDUCE_PIECE = 65536  # elements of a piece of work, along the axis that is reduced
REDUCE_BLOCK = 131072  # and across it
REDUCE_MOST_PLANS = 4096  # plans that are kept, of all reductions together
NARROW_SUM_BLOCK = 256  # float16 numbers that are added before their sum is widened
SCAN_LEAST = least(4096)  # elements
SCAN_PIECE = 16384  # elements of a piece of work
SCAN_MANY = 8  # lines for which exponentials side by side are worth turning a matrix twice

FFT_LEAST = least(64)  # elements. 1 x 64: 4.1, 0.6; 4 x 16: 4.0, 0.4
FFT_MOST_PLANS = 1024  # plans that are kept, with their tables
# Points up to which several rows are lanes. Two rounds instead, of 64 rows: 256 points 5.6, 9.9; of
# 1024 rows: 192 points 51, 87; 256 points 66, 66
FFT_ROWS_MOST = 256
FFT_COLUMNS_MOST = 4096  # points along a dim that is not the innermost one
FFT_BUFFERS = 16  # pieces of work that have buffers of their own where those are large
FFT_PIECE = 1 << 12  # points of a piece of work
# Rows from which on a long one is not shared by threads. 4 x 4096: shared 15.9, whole 7.1
FFT_LONG_MANY = 4
ARGREDUCE_LEAST = least(131072)  # elements
ARGREDUCE_SHORT = least(16)  # elements along memory below which NumPy is quicker
REMAINDER_LEAST = 1024  # integers divided by one: 64 0.5, 1.2 us; 1024 2.4, 2.3; 2**20 5970, 1060
SEARCH_LEAST = least(512)  # values that are searched in one sequence: 87 000 in 50 2110, 220
SEARCH_CHUNK = 1 << 11  # values of a piece of work
# Of the largest k of each row of n, one kernel finds up to so many, while k * k is at most so much
# of n, of so many elements, or rows so long. Two threads, us by NumPy and so: 1024 x 1024 5 5110,
# 260; 100 9740, 4560; 256 10800, 12800; 1 x 50257 50 370, 9; 200 280, 45; 100 x 8400 300 5890,
# 2730; 1 x 4000 512 63, 92; 512 x 10 3 45, 39. Few: 32 x 100 5 8.5, 9.2; 128 x 10 3 4, 10;
# 1 x 1000 5 2.1, 1.2; 1 x 300 10 1.1, 1.4. Rows that rise all the way are the worst: 1 x 1000000
# 100 5200, 15900, and 73 in no order.
TOPK_MOST, TOPK_SQUARE = 512, 32
TOPK_LEAST, TOPK_LONG = least(1 << 12), least(512)
TOPK_CHUNK = 1 << 14  # elements of the rows of a chunk
SORT_MANY = 256  # elements from which on it pays to pack values with their places
SORT_FEW = 16  # the part of an axis that counts as few for topk
SORT_FEW_LEAST = least(1 << 15)  # elements: packed, by the k-th value 10, 22 of 800; 56, 45 of 2^15

# -- products of matrices ------------------------------------------------------------------------

# Multiplications. NumPy is never faster: 16 x 8 x 16 0.81 -> 0.77 us, with a bias 1.54 -> 0.87, the
# gradients of that 2.63 -> 0.92; 256 x 4 x 8 6.42 -> 1.87.
MATMUL_LEAST_WORK = 1
MATMUL_LEAST_PACKED = 6 << 20  # multiplications of one product from which on packing its B may pay
# Rows, columns and multiplications from which on it pays where rows of A lie side by side, as in
# gradients of weights, for these are slow to read otherwise. GFLOP/s of one thread and of two:
# 128x768x128 210, 361 for 198, 347; 256x2048x1024 207, 414 for 149, 313; 1024x2048x64 203, 407 for
# 150, 299; 2048x1024x32 165, 338 for 117, 240. Below: 128x512x128 213, 368 for 199, 382.
MATMUL_ALONGSIDE = (128, 32, 12 << 20)
# Rows from which on panels of B are packed for products of a long k although rows are few, by B of
# so many elements: the second where rows of B lie as they are, the first where they are turned. Of
# the time without packing, one thread and two: turned, 192x3072x768 0.94, 0.98; 250x1024x1024 0.92,
# 0.98; else 96x3072x768 0.87, 0.97; 128x768x3072 0.83, 0.94; 250x1024x1024 0.78, 0.85. Below:
# 64x3072x768 0.87, 1.08; 192x768x768 0.95, 1.01; 128x512x512 0.97, 1.12.
MATMUL_PACKED_ROWS = (192, 96)
MATMUL_PACKED_LARGE = 1 << 20
# Rows and k from which on that pays for turned B of fewer columns, too, if no half of a panel is
# empty (48 or 65 columns 0.96 to 1.14 of the time). One thread, two: 2048x128x32 0.75, 0.81;
# 2048x512x24 0.78, 0.82; 2048x512x96 0.88, 0.83; 2048x256x64 0.80. Below: 512x128x32 0.78, 1.06;
# 2048x32x32 1.04, 1.14. Vectors of 32 bytes: 2048x128x16 0.94, 0.86; 4096x256x64 0.85, 0.92.
MATMUL_PACKED_NARROW = (2048, 128)
# Columns up to which rows of A that lie side by side are packed by tiles even where columns of A
# lie so far apart (`gemm.APART`) that packing several panels in one go would pay. One thread, us:
# rows x k x columns 512x768x128 748 packed in one go, 672 by tiles; 1024x2048x256 10400, 10150 (on
# a Xeon 7710, 7910, before decision 0061); 1024x1024x160 3280, 3130; 512x2048x512 10320, 10200;
# 1024x2048x512 20000, 20000. (Where they are not so far: 128x768x128 187, 158; 384x768x128 565,
# 477.)
MATMUL_FUSED = 256
MATMUL_ALONG = 16  # the least k of such sums: shorter ones leave lanes empty, and round more often
MATMUL_FEW = 16  # rows (or columns) that sums along k are used for
MATMUL_PIECE = 1 << 17  # multiplications that a thread takes at a time
# The most rows of a unit of a product that is not packed, and how many units there should be then,
# for threads to share. A panel of columns is copied or turned once for all rows of a unit. One
# thread, two, us by units of 48 rows and so: 128x784x512 1030 513, 950 473; 128x512x512 663 330,
# 619 308; 64x512x512 345 173, 322 160; 250x250x250 320 162, 295 147; 1000x300x100 664 337, 623 315.
MATMUL_TALL = (128, 8)
MATMUL_SLICE, MATMUL_SLICES = 1024, 64  # the least slice of a long k, and the most of them
MATMUL_SMALL = 1 << 13  # elements of a result from which on k is not cut
MATMUL_AMX_LEAST = least(1 << 23)  # multiplications from which on the matrix unit is used
MATMUL_AMX_SIDE = least(64, 4)  # and the least m, n and k
# The same for numbers of bfloat16. Two threads, us by vectors and by the unit: 128 x 128 x 128 30,
# 30; 64 x 256 x 256 55, 33; 32 x 768 x 768 231, 118; 256 x 64 x 256 48, 20; 192 x 192 x 192 83, 36;
# 1024 x 1024 x 1024 7800, 2090.
MATMUL_AMX_LEAST_EXACT = least(1 << 22)
MATMUL_AMX_SIDE_EXACT = least(32, 4)
# The same where the unit's kernel reads bfloat16 as it is: 4 x 768 x 3072 185, 207; 8 x 768 x 3072
# 335, 200; 16 x 768 x 3072 545, 220; 8 x 256 x 256 16, 14; 16 x 256 x 256 26, 14; 64 x 64 x 64 8,
# 14; 128 x 128 x 128 47, 27; 1024 x 1024 x 1024 7790, 1440.
MATMUL_AMX_LEAST_READ = least(1 << 20)
MATMUL_AMX_SIDE_READ = least(8, 4)
# The least m, n and k, and multiplications, from which on pairs of bfloat16 are multiplied, on CPUs
# that can and have no matrix unit. One thread, GFLOP/s by float32 and by pairs: 17x16x16 15, 13;
# 32x32x32 51, 82; 32x64x64 75, 129; 128x8x64 38, 38; 128x128x128 97, 194; 1024x1024x1024 103, 207.
MATMUL_PAIRS_SIDE, MATMUL_PAIRS_LEAST = least(8, 4), least(1 << 15)
MATMUL_AMX_ROWS = least(16)  # the least m for products by a matrix that stays packed
BLAS_SHARED = 1 << 18  # multiplications from which on OpenBLAS shares a product of matrices
BLAS_SHARED_BY_VECTOR = 9216  # and of a matrix by a vector
BLAS_LARGE = 1 << 24  # from here on its threads are worth what they cost
LINALG_LEAF = 48  # order below which one LAPACK solve is faster than more splitting

# -- convolutions --------------------------------------------------------------------------------

CONV_LEAST_WORK = least(1 << 15)  # multiplications
CONV_FEW = least(24)  # output positions of all images below which tiles are mostly empty
CONV_BLOCK = 1 << 21  # elements of a block of columns: with less, threads wait for each other
CONV_FULL = 64  # output positions of an image below which several images share a panel
CONV_NARROW = 128  # output positions below which a product is made for many images at once
# Bytes of the outputs' gradient up to which it is packed once, for all chunks of a weight's
# gradient, and how many panels of 32 columns these chunks then have. 3 x 3, b8, two threads, each
# chunk of 4 panels packing for itself -> packed once, 4 -> 3 -> 2 panels: 64 channels of 56 x 56
# 4.77 -> 4.77 -> 4.23 -> 4.20 ms, 128 of 28 x 28 4.37 -> 4.26 -> 3.82 -> 3.83, 256 of 14 x 14 3.89
# -> 3.73 -> 3.72 -> 3.73; packing for themselves chunks of 3 and 2 take 4.38 and 4.47, 4.06 and
# 4.17, 3.97 and 4.10.
CONV_PACKED_MOST = 1 << 25
CONV_PANELS_OF_PACKED = 2
# A weight's gradient from windows that are read where they lie, or from windows that are packed:
# how full vectors of outputs are, and the positions of all images, from which on the first is
# faster. GFLOP/s of one thread, packed -> where they lie: 64 channels of 56 x 56 190 -> 220, of 3
# channels by 7 x 7 and a stride of 2 132 -> 210, 128 of 28 x 28 222 -> 235, 256 to 64 by 1 x 1 137
# -> 200, 16 of 32 x 32 150 -> 184; vectors of 62 % (10 or 20 outputs) 106 -> 89, 170 -> 151; 196
# positions (512 of 7 x 7, b4) 229 -> 215.
CONV_DIRECT_FILLED = least(0.8, 0.0)
CONV_DIRECT_LONG = least(512)
# A convolution from images without margins: elements of a window that see nothing but margin, on
# average, how full panels of 32 outputs are, and the products that are written out in the kernel's
# code, of which 1000 take LLVM an eighth of a second. An EPYC with AVX-512, one thread, margins ->
# none, ms: 3 x 3, b8, 64 channels of 56 x 56 (14 elements) 16.9 -> 16.8, 128 of 28 x 28 (54)
# 16.8 -> 16.3, 256 of 14 x 14 (215) 17.2 -> 15.4, 512 of 7 x 7 (836) 20 -> 14.9; b32, 512 of 4 x 4
# (1408) 25 -> 17. 32 to 64 of 56 x 56 (7) 8.5 -> 8.8, 16 to 64 (3) 8.6 -> 9.5; 8 to 64 (2) 4.3 ->
# 6.1.
# (Not less with RUSHLIGHT_JIT=always, for each shape has code of its own.)
CONV_SKIPPED_LEAST = 8
CONV_SKIPPING_FILLED = 0.8
CONV_SKIPPING_MOST = 1024
# The same for the gradient of a weight, whatever there is of a margin: positions of all images. One
# thread, ms: b8, 64 channels of 56 x 56 18.4 -> 17.5, 256 of 14 x 14 17.1 -> 15.5; 512 of 7 x 7,
# 392 positions 17.5 -> 14.6, 98 4.4 -> 4.3, 49 2.20 -> 2.25; b32, 512 of 4 x 4 22.6 -> 16.5.
CONV_SKIPPING_LONG = least(96)
# Places that a plan lists for it, of 8 bytes: for all elements of the kernel, and for all images
# where these share positions. Planes of 112 x 112 are just within it.
CONV_SKIPPING_PLACES = 1 << 17
CONV_SLICES = 16  # chunks wanted of a weight's gradient, so that threads have something to share
CONV_TOGETHER = 1 << 19  # elements up to which gradients are one plan, with the memory of all parts
CONV_AMX_LEAST_WORK = least(1 << 22)  # multiplications
CONV_AMX_FEW = least(32)  # output positions of all images, below which vectors are as fast
CONV_AMX_FEW_OF_WEIGHT = least(128)  # the same for a weight's gradient
CONV_AMX_USEFUL = least(0.45, 0.0)  # the least share of a tile's work that counts
CONV_AMX_USEFUL_OF_WEIGHT = least(0.55, 0.0)  # the same for a weight's gradient
CONV_AMX_MOST = 1 << 23  # bytes of split images at a time
CONV_AMX_TOGETHER = 1 << 20  # bytes of split operands that a gradient goes through for each tap
CONV_AMX_CHUNKS = 16  # chunks that there should be
IM2COL_LEAST_WORK = least(1 << 20)  # multiplications
IM2COL_FEW = 64  # output positions up to which no kernel that packs weights is as fast
IM2COL_FEW_LARGE, IM2COL_LARGE = 192, 1 << 19  # the same for weights of so many elements
IM2COL_SMALL = 32  # positions of an image up to which the matrix unit wants whole columns
IM2COL_SMALL_WEIGHT = 64  # the same for a weight's gradient
IM2COL_MOST = 1 << 26  # bytes of columns
IM2COL_CHUNK = 1 << 14  # elements that are copied at a time
DEPTHWISE_LEAST = least(2048)  # elements of the result
DEPTHWISE_TAPS = 49  # the largest kernel whose taps are written out one by one
DEPTHWISE_PLANES = 8192  # elements of the result that a chunk makes, in whole planes
# Positions of a dim, or elements, from which on what lies beyond the edges is copied apart from the
# rest. Rows of 1000: 10, 12; of 4000: 22, 12. (8, 16, 16, 16) 29, 37; (8, 16, 32, 32) 82, 62
PAD_EDGES_LONG = 2048
PAD_EDGES_LEAST = 1 << 17
ZERO_PAD_LEAST = least(2048)  # elements
PAD_SHOWN_LEAST = 1  # elements; reflection, replication, wrapping around: NumPy is never quicker
CONV_REFERENCE_BLOCK = 1 << 19  # elements of a block of columns: 2 MB, so it stays near the core
CONV_FLIPPED_MORE = 1.1  # how much larger than the result an input may be for the flipped kernel
# And where NumPy is the other way: 9 x 9 and larger. 64 to 3 channels, 128 x 128: 40 ms, 1.4 ms
CONV_FLIPPED_MOST = 8
CONV_REFERENCE_WIDE = 128  # positions of an image from which on a product an image is made
RESAMPLE_LEAST = least(1 << 11)  # elements of the input
NEAREST_LEAST = 1  # the same for nearest neighbours, and NumPy is never quicker
RESAMPLE_SHORT = least(8)  # elements beside each other at a position
GRID_PIECE = 1 << 15  # products of a piece of work, at the points of a grid
# Channels below which elements are gathered from planes; in rows and from planes: 3 of 224 x 224
# 239, 114 (with gradients 1498, 507), 1 of 4 x 64 x 64 42, 28; 16 of 2 x 40 x 40 26, 55 (96, 237).
GRID_NARROW = 4
GRID_SHARES = 16  # pieces of work that gradients of sampled images should have, by channels
RESAMPLE_DENSE = 8  # taps from which on a matrix product is faster than one pass a tap

# -- pooling -------------------------------------------------------------------------------------

# Elements of the result. Both ways of 4 planes of 8 x 8, windows of 2 x 2: 60 µs with NumPy, 7 by
# kernels; of 4 x 4: 50 and 7. Below, a kernel would be compiled for a handful of numbers.
MAX_POOL_LEAST = least(16)
MAX_POOL_LARGEST = 36  # elements of a window whose taps are written out one by one
MAX_POOL_LONG = 8  # elements of a window in a row from which on one reduction costs less than steps
MAX_POOL_PLANES = 8192  # elements of the result that a chunk makes, in whole planes
# Elements of the input. 4 planes of 4 x 4: 15 to 40 µs with NumPy, 2 by the kernel.
AVERAGE_POOL_LEAST = least(64)
AVERAGE_POOL_WIDEST = 4096  # columns of a line at most
AVERAGE_POOL_LINES = 1 << 18  # of a plane at most: where each window lies is in tables

# -- rows: softmax, losses, norms ----------------------------------------------------------------

# Elements from which on rows are computed by kernels: any; programs that want a softmax of four
# numbers want it ten thousand times (11.7 µs by NumPy, 1.8 by a kernel, which is loaded in 50 ms
# once a process; PyTorch takes 1.4). NumPy and the kernel, on a busy machine, of 4 x 32: softmax 27
# and 1.0 µs, its gradient 20 and 1.2; cross entropy 140 and 5.5, its gradient 130 and 3.6; layer
# norm 49 and 1.9, its gradient 190 and 2.7; lengths 43 and 1.2; batch norm of 2 x 4 x 4 x 4 95 and
# 4.1, its gradient 195 and 4.2. Columns of an earlier dimension are no exception: 256 x 100 x 2
# take 6000 and 380.
SOFTMAX_LEAST = 1
LOSS_LEAST = 1
NORM_LEAST = 1
UNIT_LEAST = 1
ROWS_CHUNK = 8192  # elements of a piece of work
ROWS_WIDE = 64  # columns from which on four vectors of them are computed together
NORM_PARTS = 32  # chunks that the rows of a gradient are cut into, as long as they have
NORM_MOST_ROWS = 256  # rows of a chunk at most: sums of more lose digits
NORM_BLOCK = 4096  # elements whose sum is gathered in the type of the data
# Channels of a group whose sum is gathered in the type of the data where they, or all of x, have
# few elements. Group norm of 4 x 64 x 2 x 2: with 1024 the error of dw is 1.02 of NumPy's.
NORM_SMALL_BLOCK = 4
NORM_SHORT, NORM_SMALL = 8, 2048  # elements of a channel, of x
NORM_CHUNK = 16384  # elements of a chunk of channels
# Elements of a row from which on its moments are sums of blocks: of 9 million normal numbers in one
# piece, layer_norm is off by 7e-5, in blocks by 6e-7.
NORM_LONG = 1 << 17
NORM_REFERENCE_BLOCK = 1 << 16  # elements of a block of rows that stays in the cache
# Attention has no least size: 1 x 2 x 8 x 16 takes 67 µs with NumPy, 6 in the kernel.
ATTENTION_DEEPEST = 256  # elements of a query or value at most
# Multiplications of the scores below which gradients go over the scores twice, for their digits.
ATTENTION_EXACT = 1 << 18

# -- recurrent layers, tables, lists of arrays ---------------------------------------------------

# Recurrent layers have no least size. An LSTM of 8 over 5 times of 3 rows, both ways: 440 µs with
# NumPy, 310 with kernels; of 32 over 20 times of 4: 1090 and 420; of 128 over 50 times of one row:
# 2600 and 1400.
# Threads take a share of the batch each, over all times: of so many sequences (a product of 8 rows
# by packed weights reaches the peak as one of 32 does; with more than 64 a step is long beside the
# waiting), with weights of so many bytes at most (an LSTM of 512 takes 3 % longer), and of so many
# multiplications at least. Two threads, of the time without: RNN 16 x 128 0.80, LSTM 64 x 128 0.93,
# GRU 32 x 256 0.97, LSTM 32 x 256 0.99.
RNN_SHARE_ROWS = (least(8, 2), 64)
RNN_SHARE_WEIGHTS = 1 << 20
RNN_SHARE_LEAST = least(1 << 20)
GATHER_FEW = 4096  # indices up to which places in memory are computed: 8 x 4 8.7, 5.4
GATHER_LEAST = least(512)  # indices from which on a kernel picks elements
ALONG_LEAST = least(1 << 16)  # elements of many slices: 128 of 400 3.4, 3.1; 512 of 1024 35, 19
ALONG_NARROW = 8  # elements of a slice below which NumPy is quicker: 4 of them 38, 52
GATHER_CHUNK = 1 << 13  # elements of a piece of work: its indices stay in the first two caches
EMBEDDING_LEAST = least(16384)  # elements
# Of sums of rows, where NumPy sorts. 8 rows of 16: 17, 7; 64 of 128: 64, 9; 768 of 128: 228, 20.
EMBEDDING_SUM_LEAST = least(1024)
EMBEDDING_CHUNK = 16384  # elements that a chunk of a lookup copies
EMBEDDING_BANDS = 64  # parts of a table that threads may compute
# Products of elements and elements of the result, of sums of rows by a sparse matrix: below, one
# would be compiled for a handful of numbers. 8 rows of 4 elements in 2 sums: 17 and 1.1.
CSR_LEAST = least(64)
# Elements that are added at indices, and how many side by side. 100 slices of 4: 6.0 and 6.0, of 8:
# 8.6 and 6.0; 10,000 slices of 1: 75 and 36, of 2: 222 and 38; 300 of 1 in 32 parts: 69 and 70.
# Single elements in a line are added by another kernel from as many on.
# Slices of what is added to, at least and for each index, from which on those that are named are
# copied first: a kernel takes 1.7 to 2.5 ns a slice, 200,000 350 µs; 32 of them by a copy 30 µs.
CSR_TOUCHED_LEAST, CSR_TOUCHED = least(1 << 14), 16
CSR_SLICES_LEAST = least(512)
CSR_NARROW = least(2)
CSR_PIECE = 1 << 16  # products of elements of a piece of work
CSR_FAR = 1 << 22  # bytes of a table from which on its rows are fetched ahead
MULTI_TENSOR_LEAST = least(1024)  # elements, of all arrays together
OPTIM_LEAST = least(1024)  # elements of one parameter from which on loading a kernel pays at once
OPTIM_BLOCK = 16384  # elements that NumPy updates at a time, so that its temporaries stay cached
OPTIM_PATIENCE = 100  # updates of fewer elements after which it pays, too
MOST_KEYS = 4096  # layouts of operands that the calls of one function remember a plan for
# Calls of `runtime/few.py` after which loading it pays: 40 ms once, 0.1 to 0.4 µs less a call.
FEW_PATIENCE = least(1000)
RANDOM_LEAST = least(4096)  # numbers from which on loading a kernel pays at once
RANDOM_LEAST_RUNNING = 1  # the same where kernels are in use already
RANDOM_PATIENCE = 100  # draws of fewer numbers after which it pays, too
RANDOM_FEW = 64  # numbers up to which the C library's functions are as fast as NumPy's
# Numbers up to which memory and numbers come of one native call, which keeps other Python threads
# waiting. By a plan -> by one call: 64 uniform ones 1.9 -> 0.9, normal ones 2.4 -> 1.1; 4096 of
# them 2.7 -> 1.6 and 4.0 -> 2.6, whole ones 16.5 -> 7.9. It is 1.1 less for many more, too, 65536
# uniform ones 10.8 -> 9.2; by then others should run meanwhile.
RANDOM_ONE_CALL = 4096
# Gamma, Poisson and binomial numbers from which on a kernel makes them: 64 gamma ones 170, 12.
RANDOM_REJECTED_LEAST = least(64)
# Indices of a row, and rows, for which all rows are searched at a time: 5 of 256 rows 380, 150.
MULTINOMIAL_TOGETHER, MULTINOMIAL_ROWS = 32, 16
RANDOM_BLOCK = 1 << 15  # numbers that are drawn at a time
