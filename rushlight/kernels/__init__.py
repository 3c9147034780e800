"""How things are computed on a CPU, on bare arrays. Nothing here knows a Tensor.

In each folder `select.py` makes the plan of a call, where there is a choice, `reference.py`
computes with NumPy, and the other files write machine code.

In the order in which data passes:

    elementwise/     formulas about one element, of one shape or of shapes that broadcast
    multi_tensor/    the same over lists of arrays: norms, factors, limits
    reduce/          sums, extremes and the like over dimensions
    argreduce/       extremes together with their places
    scan/            running sums, products and extremes
    sort/            sorting, selecting and counting
    matmul/          products of matrices
    linalg/          systems, factorizations, stacks of matrices
    conv/            convolutions
    pad/             padding
    pool/            maximum and average pooling
    resample/        interpolation, sampling at points
    norm/            layer, RMS, batch, group and instance norm
    softmax/         softmax and its like along rows or columns
    attention/       attention, block by block
    rnn/             recurrent layers
    embedding/       lookups in a table
    sparse/          arrays of which only some elements are stored, their products
    loss/            losses over classes, CTC
    optim/           optimiser steps
    random/          random numbers
    special/         special functions by NumPy
    codegen/         formulas and loops become LLVM's text
    runtime/         that is compiled, loaded and run: threads, memory, BLAS

`plan.py` and `launch.py` are what a choice comes to, `rows.py` plans what works row by row,
`tuning.py` has the sizes, `tuned.py` what was measured on this machine. `meta.py` is an array
without data, `strided.py` views with any strides.
"""
