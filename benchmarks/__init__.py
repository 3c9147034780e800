"""Measurements against PyTorch: our process and its process alternate, and ratios are printed.

    python -m benchmarks                   the table of limits; writes benchmarks/RESULTS.md
    python -m benchmarks --list            the names of its rows
    python -m benchmarks matmul conv64     some rows, printed only
    python -m benchmarks --quick           two short rounds, printed only
    python -m benchmarks gpt_step --profile    where our time goes in a row
    python -m benchmarks --only compiled       the table of torch.compile alone (`--only eager`: not
                                               that one); with names, these rows of it
    python -m benchmarks --jax PYTHON          JAX's column from another interpreter, which has it

Where there is a matrix unit (AMX), `python -m rushlight tune` comes first, so that the table is of
what users have; the report names the choice. RUSHLIGHT_AMX=0 or 1 in front of it: without the unit,
or with it. Shares of the peak are always without it.

The whole takes some minutes and wants an idle machine: it refuses to report where other processes
are at work, unless --force marks the figures as provisional. PyTorch is compared with where it is
installed (`pip install -e '.[benchmarks]'`); without it there are our times alone. JAX, where it is
installed, has a column of its own for the rows that it has a natural form for.

Behind the table of limits stands that of compiled steps: ours, our eager, PyTorch's eager, its
compiler (in the first round, where there is a C++ compiler: it takes minutes) and JAX.

`rows` says what a row is. `work` and `small` have one function for each row, written once for both
libraries, `in_front` the rows that are measured with our kernels taken out, `models` the networks
and `jax_forms` some rows as JAX has them; `compiled`, `compiled_rounds`, `compiled_report` and
`jax_steps` are the same for compiled steps;
`peers` runs the processes and takes the times; `machine` describes the machine, measures its peaks
and notices company; `report` writes the text.

Each of the following answers a question of its own, by `python -m benchmarks.NAME`:

`in_front`: what Python costs in front of a kernel, forward and backward, and which kernels a call
would have used; `--profile NAME` says where the time goes. Rows above.

`overhead`: what small operations cost, in microseconds a call: additions, a chain of twenty forward
and backward, indexing, a small layer; and how long `import` takes. Most of them are rows above.

`checkpoints`: what saving and loading the state of a ResNet-18 takes of time and memory, in
PyTorch's format and as safetensors, with and without checksums, copied and mapped.

`convolutions`: the layers of MobileNetV2, ResNet-18 and others one by one, result and gradients, on
one thread, beside PyTorch's.

`data`: how many samples a second a `DataLoader` gives with and without workers, how long the first
batch takes, and what is left behind by hundreds of loaders that start and stop.

`distributed`: all_reduce among 2 and 4 ranks, and training with DistributedDataParallel on 2 ranks,
beside PyTorch with gloo, and against one rank alone.

`profiler`: which share of a training step the profiler's events account for, and what recording
them costs, on the clock on the wall and in processor time.

`shared_tensors`: how long tensors and models take from one process to another and back.

`vision_transforms`: what the usual transforms of images cost an image, beside torchvision's.
"""
