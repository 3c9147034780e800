"""The launches of each way of computing a convolution or one of its gradients.

Each function adds what its way consists of to the draft of a plan: copies of operands that lie in
another order, margins, tables, kernels, sums of parts. Operands and results are called as in
`select.py`: x, w, bias, g; y, dx, dw.

Not here: which way is chosen (`select.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import tuning
from ..matmul import select as matmul
from ..meta import MetaArray
from ..pad import select as pad
from ..plan import Draft, Launch, Plan, Reference, nbytes
from . import reference, tables, tiles
from .problem import Conv, two

Array = Any
Ints = tuple[int, ...]


def finished(c: Conv, d: Draft, way: str, result: str, flops: int | None = None) -> Plan:
    """The plan of a draft, which computes a convolution or one of its gradients.

    `flops`, where `c` is not the convolution asked for: a flipped one reads margins too.
    """
    kind = {"y": "conv", "dx": "conv_input", "dw": "conv_weight"}[result]
    if flops is None:
        flops = 2 * c.work + (d.metas["y"].size if "bias" in d.metas else 0)
    return d.plan(f"{kind}.{way}", (result,), flops)


# -- depthwise -----------------------------------------------------------------------------------


def planes(out: Ints, size: Ints, images: int = 1) -> dict[str, int]:
    """The sizes of planes as the kernels of this section take them, and how many a chunk has."""
    (out_h, out_w), (in_h, in_w) = two(out), two(size)
    each = max(1, tuning.DEPTHWISE_PLANES // (images * math.prod(out)))
    return {"out_h": out_h, "out_w": out_w, "in_h": in_h, "in_w": in_w, "each": each}


def depthwise_forward(c: Conv, d: Draft) -> Plan:
    """A kernel for each plane; x is not padded."""
    from . import depthwise

    rows = c.groups * c.o
    d.launch(
        depthwise.kernel("forward", c.element, *c.planar), x=d.dense("x"), w=d.dense("w"), y="y",
        bias=bias_of(c, d), planes=c.n * rows, inner=1, share=c.o, rows=rows,
        **planes(c.out, c.size),
    )  # fmt: skip
    return finished(c, d, "depthwise", "y")


def depthwise_input(c: Conv, d: Draft) -> Plan:
    """The gradient of each plane, over the outputs that it made."""
    from . import depthwise

    d.launch(
        depthwise.kernel("input", c.element, *c.planar, c.o > 1), x=d.dense("g"), w=d.dense("w"),
        y="dx", bias=None, planes=c.n * c.groups, inner=c.o, share=1, rows=c.groups * c.o,
        **planes(c.size, c.out),
    )  # fmt: skip
    return finished(c, d, "depthwise", "dx")


def depthwise_weight(c: Conv, d: Draft) -> Plan:
    """The gradient of each plane's kernel, over the images."""
    from . import depthwise

    d.launch(
        depthwise.kernel("weight", c.element, *c.planar), x=d.dense("x"), g=d.dense("g"), dw="dw",
        images=c.n, share=c.o, rows=c.groups * c.o, **planes(c.out, c.size, c.n),
    )  # fmt: skip
    return finished(c, d, "depthwise", "dw")


def bias_of(c: Conv, d: Draft) -> str | None:
    """The bias as kernels read it: side by side, of the type of the rest."""
    return d.dense("bias", c.dtype) if "bias" in d.metas else None


# -- columns -------------------------------------------------------------------------------------


def multiply(
    c: Conv, d: Draft, a: str, a_meta: MetaArray, b: str, b_meta: MetaArray, y: str,
    y_shape: Ints | None = None,
) -> None:  # fmt: skip
    """Add y = a @ b, of arrays that lie dense, seen as matrices of these shapes and strides.

    `y_shape`: the shape of y, where it is not that of the product.
    """
    sub = matmul.plan(
        a_meta.dtype, a_meta.shape, a_meta.strides, b_meta.dtype, b_meta.shape, b_meta.strides,
        c.precision,
    )  # fmt: skip
    made = sub.outputs["y"]
    meta = made if y_shape is None else MetaArray(y_shape, made.dtype)
    product = y
    if any(isinstance(launch, Reference) for launch in sub.launches):  # NumPy looks at shapes
        a = d.view(f"{y}_left", a, a_meta)
        b = d.view(f"{y}_right", b, b_meta)
        product = y if meta.shape == made.shape else d.array(f"{y}_product", made)
    d.include(sub, {"a": a, "b": b, "d": None, "y": product}, alpha=1.0, beta=0.0)
    if y not in d.arrays:
        d.array(y, meta)
    if product != y:
        d.view(y, product, meta)


def matrix(c: Conv, *shape: int, turned: bool = False) -> MetaArray:
    """A matrix that lies dense, or the transpose of one."""
    meta = MetaArray(shape, c.dtype)
    if not turned:
        return meta
    *batch, rows, columns = shape
    *steps, row, column = meta.strides
    return MetaArray((*batch, columns, rows), c.dtype, (*steps, column, row))


def columns(c: Conv, d: Draft) -> tuple[str, MetaArray]:
    """The windows of x as (channels * taps, positions * images), the images innermost."""
    rows, length = c.groups * c.k, c.p * c.n
    if c.is_whole:
        return d.dense("x"), matrix(c, c.n, rows, turned=True)
    from . import im2col

    x = "x"
    if c.n > 1:
        x = d.array("x_columns", MetaArray((c.groups * c.c, *c.size, c.n), c.dtype))
        d.numpy(reference.images_last, ("x",), x)
    (kernel_h, kernel_w), (in_h, in_w), (out_h, out_w) = two(c.kernel), two(c.size), two(c.out)
    (stride_h, stride_w), (dilation_h, dilation_w) = two(c.stride), two(c.dilation)
    padding_h, padding_w = two(c.padding, 0)
    meta = matrix(c, rows, length)
    step = stride_w if c.n == 1 or stride_w == 1 else 0
    d.launch(
        im2col.kernel(str(c.element), step), x=x if c.n > 1 else d.dense("x"),
        y=d.array("columns", meta), rows=rows, kernel_h=kernel_h, kernel_w=kernel_w, in_h=in_h,
        in_w=in_w, images=c.n, out_h=out_h, out_w=out_w, stride_h=stride_h, stride_w=stride_w,
        padding_h=padding_h, padding_w=padding_w, dilation_h=dilation_h, dilation_w=dilation_w,
        each=max(1, tuning.IM2COL_CHUNK // length),
    )  # fmt: skip
    return "columns", meta


def im2col_forward(c: Conv, d: Draft) -> Plan:
    """One product of the weights and all columns."""
    col, meta = columns(c, d)
    w = matrix(c, c.o, c.k)
    if c.groups > 1:
        (step, other), length = meta.strides, meta.shape[1]
        meta = MetaArray((c.groups, c.k, length), c.dtype, (c.k * step, step, other))
        w = matrix(c, c.groups, c.o, c.k)
    bias = "bias" if "bias" in d.metas else None
    if c.n == 1:
        multiply(c, d, d.dense("w"), w, col, meta, "y", d.metas["y"].shape)
        if bias:
            d.numpy(reference.add_bias, ("y", bias))
    else:
        shape = (c.groups * c.o, *c.out, c.n)
        multiply(c, d, d.dense("w"), w, col, meta, "product", shape)
        d.numpy(reference.images_first, ("product", bias), "y")
    return finished(c, d, "im2col", "y")


def im2col_weight(c: Conv, d: Draft) -> Plan:
    """One product of the outputs' gradients and all columns, transposed."""
    col, meta = columns(c, d)
    turned = MetaArray(meta.shape[::-1], c.dtype, meta.strides[::-1])
    rows = matrix(c, c.o, c.p * c.n)
    if c.p == 1:
        g, rows = d.dense("g"), matrix(c, c.n, c.o, turned=True)
    elif c.n == 1:
        g = d.dense("g")
    else:
        g = d.array("g_columns", rows)
        d.numpy(reference.images_last, ("g",), g, rows=c.o)
    multiply(c, d, g, rows, col, turned, "dw", d.metas["dw"].shape)
    return finished(c, d, "im2col", "dw")


def col2im_input(c: Conv, d: Draft) -> Plan:
    """Products that make columns, some images at a time, and the sums of the columns."""
    g, w = d.dense("g"), d.dense("w")
    if c.groups == 1 and c.is_whole:
        shape = d.metas["dx"].shape
        multiply(c, d, g, matrix(c, c.n, c.o), w, matrix(c, c.o, c.k), "dx", shape)
        return finished(c, d, "one_window", "dx")
    from . import col2im

    channels, item = c.groups * c.c, c.dtype.itemsize
    kernel = col2im.kernel(str(c.element), *c.planar)
    left = matrix(c, *(c.groups,) * (c.groups > 1), c.o, c.k, turned=True)
    images = max(1, tuning.CONV_BLOCK // (channels * c.taps * c.p))
    for i in range(0, c.n, images):
        count = min(images, c.n - i)
        # The first block may have other numbers of images than the last, so names tell them apart.
        end = "" if count == min(images, c.n) else "_last"
        block = MetaArray((count, c.groups * c.o, *c.out), c.dtype)
        part = d.view(f"g_{i}", g, block, i * math.prod(block.shape[1:]) * item) if i else g
        if c.p < tuning.CONV_NARROW:  # columns (groups, rows, images, positions)
            right = matrix(c, *(c.groups,) * (c.groups > 1), c.o, count * c.p)
            if count > 1:
                if count != c.n and not i:
                    part = d.view("g_0", g, block)
                turned = f"g_columns{end}"
                if turned not in d.arrays:
                    d.array(turned, MetaArray((c.groups, c.o, count * c.p), c.dtype))
                d.numpy(reference.images_inside, (part, turned))
                part = turned
            steps = (c.p, c.taps * count * c.p, count * c.p)
        else:
            right = matrix(c, count, *(c.groups,) * (c.groups > 1), c.o, c.p)
            steps = (channels * c.taps * c.p, c.taps * c.p, c.p)
        multiply(c, d, w, left, part, right, f"columns{end}")
        dx = "dx"
        if i:
            meta = MetaArray((count, channels, *c.size), c.dtype)
            dx = d.view(f"dx_{i}", dx, meta, i * math.prod(meta.shape[1:]) * item)
        d.launch(
            kernel, x=f"columns{end}", y=dx, planes=count * channels, channels=channels,
            image_step=steps[0], channel_step=steps[1], tap_step=steps[2], **planes(c.size, c.out),
        )  # fmt: skip
    return finished(c, d, "col2im", "dx")


# -- without columns -----------------------------------------------------------------------------


def with_margin(c: Conv, d: Draft, x: str) -> str:
    """The images, dense, with their margins."""
    if not any(c.padding):
        return d.dense(x)
    meta = d.metas[x]
    margin = pad.plan(meta.dtype, meta.shape, meta.strides, pad.both_sides(c.padding))
    made = margin.outputs["y"]
    if all(isinstance(launch, Launch) for launch in margin.launches):
        d.metas[d.room("padded", nbytes(made))] = made
    else:
        d.array("padded", made)
    d.include(margin, {"x": x, "y": "padded"})
    return "padded"


def heights_of(c: Conv) -> tuple[int, ...]:
    """The heights of the tiles that the output channels of a group are cut into."""
    from ..matmul import gemm

    return gemm.panel_heights(str(c.element), c.o)


def images_of_a_panel(c: Conv, tile: int) -> int:
    """How many images share a panel of positions: all where panels of one would not be full."""
    few = c.p < tuning.CONV_FULL or (c.p < 4 * tuning.CONV_FULL and c.p % tile > 0)
    size = c.n * c.groups * c.c * math.prod(c.padded)
    return c.n if few and size < 1 << 31 else 1


def window_tables(c: Conv, d: Draft, images: int, tile: int) -> dict[str, str]:
    """The tables of where windows begin and how they go on."""
    image = c.groups * c.c * math.prod(c.padded) if images > 1 else 0
    position, tap = tables.window_offsets(
        c.padded, c.kernel, c.stride, c.dilation, c.out, c.c, 2 * tile, images, image
    )
    return {"position": d.constant("position", position), "tap": d.constant("tap", tap)}


def implicit_gemm_forward(c: Conv, d: Draft, x: str, y: str) -> None:
    """Add the convolution of x; with the flipped kernel it writes the gradient of the input."""
    from . import implicit_gemm

    tile = implicit_gemm.lanes(str(c.element))
    images = images_of_a_panel(c, tile)
    offset = None
    if c.is_flipped:
        offset = d.constant("w_offset", tables.flipped_offsets(c.o, c.c, c.kernel))
    source = with_margin(c, d, x)
    channels, p = c.groups * c.o, images * c.p
    to, apart = y, None
    if images > 1:
        to, apart = d.room("joined", channels * p * c.dtype.itemsize), y
    narrow = 0 < p % tile <= tile // 2
    d.launch(
        implicit_gemm.kernel(
            implicit_gemm.Forward, str(c.element), heights_of(c), narrow, c.pairs
        ),
        x=source, w=d.dense("w"),
        y=to, apart=apart, bias=bias_of(c, d), **window_tables(c, d, images, tile),
        packed=d.room("packed", channels * c.k * c.dtype.itemsize), w_offset=offset,
        w_row=c.taps, n=c.n // images, groups=c.groups, m=c.o, p=p, size=c.p, k=c.k,
        image=c.c * math.prod(c.padded),
    )  # fmt: skip


def skipping_forward(c: Conv, d: Draft, x: str, y: str) -> None:
    """The same from images without margins, by vectors of output channels."""
    from . import skipping_forward

    e, made = str(c.element), tiles_of(c)
    offset = None
    if c.is_flipped:
        offset = d.constant("w_offset", tables.flipped_offsets(c.o, c.c, c.kernel))
    lanes = skipping_forward.channels_of(e)
    panels = c.groups * -(-c.o // lanes)
    (_, width), (stride, step), (_, spread) = two(c.size), two(c.stride), two(c.dilation)
    line = two(c.out)[1]
    high = made.count // made.across  # rows of tiles, and how many of them are a band
    bands = -(-high // (skipping_forward.BAND // (made.rows * line)))
    together = 1
    if bands == 1:  # as many images as leave threads something to share
        few = c.n * panels // tuning.CONV_SLICES
        together = max(1, min(c.n, few, skipping_forward.BAND // c.p))
    d.launch(
        skipping_forward.kernel(e, made.shapes, step), x=d.dense(x), w=d.dense("w"), y=y,
        bias=bias_of(c, d), **{k: d.constant(k, v) for k, v in made.tables.items()},
        packed=d.room("packed", panels * c.k * lanes * c.dtype.itemsize), w_offset=offset,
        w_row=c.taps, n=c.n, groups=c.groups, m=c.o, p=c.p, k=c.k, image=c.c * math.prod(c.size),
        count=made.count, each=-(-high // bands) * made.across, together=together,
        pitch=stride * width, spread=spread, line=line,
    )  # fmt: skip


def tiles_of(c: Conv) -> tiles.Tiles:
    """The tiles of a convolution whose images have no margin."""
    from ..matmul.gemm import KC
    from ..matmul.tile import tile_rows
    from . import skipping_forward

    e = str(c.element)
    most, lanes = tile_rows(e), skipping_forward.channels_of(e)
    return tiles.tiles_of(two(c.size), *c.planar, two(c.out), c.c, most, KC, lanes)


def weight_fields(c: Conv, d: Draft, has_margin: bool = True) -> dict[str, Any]:
    """What all ways of a weight's gradient are called with. Slices of the images are the same for
    all, so that they have the same bits."""
    from . import implicit_gemm, skipping_weight

    tile, images = implicit_gemm.lanes(str(c.element)), images_of_weight(c)
    n, p = c.n // images, images * c.p
    plane = math.prod(c.padded if has_margin else c.size)
    if has_margin:
        x, where = with_margin(c, d, "x"), window_tables(c, d, images, tile)
    else:
        x, of = d.dense("x"), (two(c.size), *c.planar, two(c.out))
        made = skipping_weight.places_of(*of, images, c.groups * c.c * plane)
        where = {name: d.constant(name, table) for name, table in made.items()}
    chunks = c.groups * -(-c.k // (implicit_gemm.PANELS * tile))
    each = -(-n // min(n, max(1, tuning.CONV_SLICES // chunks)))
    slices = -(-n // each)
    return {
        "x": x, "g": d.dense("g"), "dw": parts_of(c, d, "dw", slices), **where, "n": n,
        "groups": c.groups, "m": c.o, "p": p, "size": c.p, "k": c.k, "image": c.c * plane,
        "slices": slices, "each": each,
    }  # fmt: skip


def images_of_weight(c: Conv) -> int:
    """How many images share positions in the gradient of a weight."""
    from . import implicit_gemm

    return images_of_a_panel(c, implicit_gemm.lanes(str(c.element)))


def packed_once(c: Conv, d: Draft, columns: int, outputs: int) -> str | None:
    """Room for g, of so many outputs a group, where several chunks of so many columns each would
    pack the same; None where each packs what it needs."""
    size = c.n * c.groups * c.p * outputs * c.dtype.itemsize
    if c.k <= columns or size > tuning.CONV_PACKED_MOST:
        return None
    return d.room("packed", size)


def implicit_gemm_weight(c: Conv, d: Draft) -> Plan:
    """Sums over slices of the images, which are then added in order."""
    from . import implicit_gemm

    element, fields = str(c.element), weight_fields(c, d)
    columns = implicit_gemm.PANELS * implicit_gemm.lanes(element)
    packed = packed_once(c, d, columns, c.o)
    d.launch(
        implicit_gemm.kernel(implicit_gemm.Weight, element, heights_of(c), pairs=c.pairs),
        **fields, packed=packed,
        panels=tuning.CONV_PANELS_OF_PACKED if packed else implicit_gemm.PANELS,
    )  # fmt: skip
    return summed_weight(c, d, "implicit_gemm", fields)


def direct_weight(c: Conv, d: Draft) -> Plan:
    """The same sums from windows that are read where they lie."""
    from . import direct_tile, direct_weight

    element, fields = str(c.element), weight_fields(c, d)
    packed = packed_once(c, d, direct_weight.SPAN, direct_tile.lanes_of(element, c.o))
    kernel = direct_weight.kernel(element, direct_tile.widths(element, c.o), c.pairs)
    d.launch(kernel, **fields, packed=packed)
    return summed_weight(c, d, "direct", fields)


def skipping_weight(c: Conv, d: Draft) -> Plan:
    """And from images without margins."""
    from . import direct_tile, skipping_weight

    element, fields = str(c.element), weight_fields(c, d, has_margin=False)
    columns = direct_tile.shape()[1] * c.taps
    packed = packed_once(c, d, columns, direct_tile.lanes_of(element, c.o))
    kernel = skipping_weight.kernel(element, direct_tile.widths(element, c.o))
    d.launch(kernel, **fields, packed=packed, taps=c.taps, plane=math.prod(c.size))
    return summed_weight(c, d, "skipping", fields)


def summed_weight(c: Conv, d: Draft, way: str, fields: dict[str, Any]) -> Plan:
    """The finished plan: the parts of the slices are added."""
    if fields["slices"] > 1:
        d.numpy(reference.sum_of_parts, (fields["dw"],), "dw")
    return finished(c, d, way, "dw")


def parts_of(c: Conv, d: Draft, name: str, slices: int) -> str:
    """Room for the sums over slices of the images: the result itself where there is one slice."""
    if slices == 1:
        return name
    return d.array(f"{name}_parts", MetaArray((slices, *d.metas["dw"].shape), c.dtype))


# -- the matrix unit -----------------------------------------------------------------------------


def amx_forward(c: Conv, d: Draft, y: str, other: Plan) -> Plan:
    """The convolution of x, or of g with the flipped kernel.

    `other` computes it again if a number cannot be split.
    """
    from ..matmul import amx
    from . import amx_conv

    made, parts = c.grid, amx.PARTS[c.precision]
    x = "g" if c.is_flipped else "x"
    source, w, bias = d.dense(x), d.dense("w"), bias_of(c, d)
    # element (output i, channel j, tap t) of a group's weights
    row, col = (c.taps, c.o * c.taps) if c.is_flipped else (c.k, c.taps)
    blocks, panels = -(-c.c // tables.PANEL), -(-c.o // tables.PANEL)
    each_image = c.groups * blocks * parts * made.pixels * 64
    images = min(c.n, max(1, tuning.CONV_AMX_MOST // each_image))
    d.room("packed", c.groups * panels * blocks * c.taps * 2 * parts * 1024)
    d.room("image", images * each_image)
    d.room("flag", 64)
    offset = d.constant("w_offset", tables.tap_offsets(c.taps, c.is_flipped))
    constants = grid_tables(d, made)
    for i in range(0, c.n, images):
        n = min(images, c.n - i)
        each = max(1, min(32, -(-n * made.steps * panels * c.groups // tuning.CONV_AMX_CHUNKS)))
        d.launch(
            amx_conv.kernel(amx_conv.Forward, parts), x=source, image="image", flag="flag",
            **constants, weights=w, packed="packed", y=y, bias=bias, w_offset=offset, n=n,
            first_image=i, groups=c.groups, c=c.c, o=c.o, **made.ints, w_row=row, w_col=col,
            group_weights=c.o * c.c * c.taps, each=each,
        )  # fmt: skip
    operands = ("x", "w", "bias") if x == "x" else ("g", "w")
    given = [k if k in d.metas else None for k in operands]
    d.numpy(unless_split, ("flag", y, *given), plan=other)
    return finished(c, d, "amx", y, other.flops)


def amx_weight(c: Conv, d: Draft, other: Plan) -> Plan:
    """The gradient of the weight; `other` computes it again if a number cannot be split."""
    from ..matmul import amx
    from . import amx_conv

    made, parts = c.grid, amx.PARTS[c.precision]
    x, g = d.dense("x"), d.dense("g")
    channels, outputs = -(-c.c // tables.PANEL), -(-c.o // tables.PANEL)
    each_image = c.groups * channels * tables.PANEL * made.pixels * 2 * parts
    each_output = c.groups * outputs * made.steps * 2 * parts * 1024
    images = min(c.n, max(1, 2 * tuning.CONV_AMX_MOST // (each_image + each_output)))
    used = (each_image // channels + each_output // outputs) // c.groups
    d.room("packed", images * each_output)
    d.room("image", images * each_image)
    d.room("flag", 64)
    constants, sums = grid_tables(d, made), []
    blocks = range(0, c.n, images)
    for i in blocks:
        n = min(images, c.n - i)
        wanted = max(1, tuning.CONV_AMX_CHUNKS // 2 // (c.groups * channels * outputs))
        each = -(-n // min(n, wanted))
        slices = -(-n // each)
        name = "dw"
        if slices > 1 or len(blocks) > 1:
            name = d.array(f"dw_{i}", MetaArray((slices, *d.metas["dw"].shape), c.dtype))
        sums.append(name)
        d.launch(
            amx_conv.kernel(amx_conv.Weight, parts), x=x, image="image", flag="flag", **constants,
            g=g, packed="packed", dw=name, n=n, first_image=i, groups=c.groups, c=c.c, o=c.o,
            **made.ints, slices=slices, each=each,
            together=max(1, tuning.CONV_AMX_TOGETHER // used),
        )  # fmt: skip
    if sums != ["dw"]:
        d.numpy(reference.sum_of_parts, sums, "dw")
    d.numpy(unless_split, ("flag", "dw", "x", "g"), plan=other)
    return finished(c, d, "amx", "dw")


def grid_tables(d: Draft, made: tables.Grid) -> dict[str, str]:
    """The tables of which positions count and where taps lie."""
    return {k: d.constant(k, getattr(made, k)) for k in ("first", "mask", "tap")}


def unless_split(flag: Array, y: Array, *operands: Array | None, plan: Plan) -> None:
    """Compute y by another plan where the matrix unit met a number that it cannot split."""
    if flag[:8].view(np.int64)[0]:
        np.copyto(y, plan.run(*operands))
