// The table of operations, and how near each came to the limits of the machine.

function grouped(step, how) {
  const groups = new Map();
  for (const e of computations(step)) {
    const m = R.modules[e.module];
    const key = e.kind === "leaf" && how !== "call" && how !== "line" ? "leaf" : { call: e.i, op:
      `${e.kind} ${e.name} ${e.takes.map((v) => typed(v.type)).join()}`, name: `${e.kind} ${e.name}`,
      module: e.module, line: e.of >= 0 ? R.events[e.of].line : e.line }[how];
    if (!groups.has(key)) groups.set(key, { e, m, calls: 0, own: 0, flops: 0, bytes: 0, events: [] });
    const g = groups.get(key);
    g.calls += 1;
    g.own += Math.max(0, e.own);
    g.flops += e.flops_counted;
    g.bytes += e.bytes_counted;
  }
  return [...groups.values()].map((g) => ({ ...g, limit: limit(g.flops, g.bytes, g.own) }));
}

function ops_table(host, step, how) {
  const label = (g) => (g.e.kind === "leaf" ? "adding into .grad" : shown(g.e).name);
  const rows = grouped(step, how), top = most(rows, (g) => g.own);
  const name = (g) => (how === "module" ? (g.m ? pathname(g.m) : "no module") : how === "line"
    ? (line_of(g.e.of >= 0 ? R.events[g.e.of] : g.e) ? place(line_of(g.e.of >= 0 ? R.events[g.e.of]
      : g.e)) : "no line") : label(g));
  const link = (g) => (how === "module" ? (g.m ? to_module(g.m) : "no module") : how === "line"
    ? to_line(line_of(g.e.of >= 0 ? R.events[g.e.of] : g.e)) || "no line" : to_event(g.e,
      html`<code>${label(g)}</code>`));
  const operands = (g) => (g.e.kind === "leaf" ? "" : g.e.takes.slice(0, 3).map((v) =>
    shape(v.type.shape)).join("  "));
  table(host, {
    caption: "Operations by the time they took themselves", sorted: 3, rows,
    columns: [
      { name: how === "module" ? "module" : how === "line" ? "line" : "operation", left: true, of: name, show: link },
      { name: how === "line" ? "text" : how === "module" ? "kind" : "operands", left: true, kind: "dim",
        of: (g) => (how === "line" ? line_of(g.e)?.text.trim() || "" : how === "module" ? g.m?.kind
          || "" : operands(g)),
        show: how === "line" ? (g) => html`<code>${(line_of(g.e.of >= 0 ? R.events[g.e.of] :
          g.e)?.text || "").trim()}</code>` : how === "name" ? () => "" : undefined },
      { name: "calls", of: (g) => g.calls, show: (g) => count(g.calls) },
      { name: "own time", about: "Time that the call took, without the calls inside it", grow: true, of: (g) => g.own,
        show: (g) => html`<span class="barred">${bar(g.own / top,
          css(g.e.phase))}<span>${time(g.own)}</span></span>` },
      { name: "of step", of: (g) => g.own / step.duration, show: (g) => percent(g.own / step.duration) },
      { name: "computes", about: WORDS.FLOP, kind: "two", of: (g) => g.flops, show: (g) => (g.flops
        ? html`${flops(g.flops)}<small>${g.own ? rate(g.flops / g.own * 1e9) : ""}</small>` : "") },
      { name: "moves", about: "Bytes read and written, and how many a second", kind: "two", of:
        (g) => g.bytes, show: (g) => (g.bytes ? html`${bytes(g.bytes)}<small>${g.own ? flow(g.bytes
          / g.own * 1e9) : ""}</small>` : "") },
      { name: "share of machine", about: WORDS["share of the machine"], of: (g) =>
        (Number.isNaN(g.limit.share) ? -1 : g.limit.share),
        show: (g) => (g.limit.share > 1 ? html`<span title="More than memory can give: its data was
          still in a cache.">${percent(g.limit.share)}</span>` : percent(g.limit.share)) },
      { name: "limited by", left: true, about: WORDS["limited by"], of: (g) => g.limit.bound },
    ],
  });
}

/** Operations between the two limits: the roof is what the machine can do. */
function roofline(step) {
  const m = R.machine;
  const points = grouped(step, "op").filter((g) => g.flops > 0 && g.bytes > 0 && g.own > 0);
  if (!(m.flops > 0) || !(m.bandwidth > 0) || points.length < 2) return "";
  const all = sum(points, (g) => g.own);
  const largest = points.sort((a, b) => b.own - a.own).slice(0, 60).reverse();
  const w = drawing_width(720), h = 260, left = 76, bottom = 40, right = 16, head = 14;
  const ridge = m.flops / m.bandwidth;
  const xs = [...largest.map((g) => g.flops / g.bytes), ridge];
  const ys = [...largest.map((g) => g.flops / g.own * 1e9), m.flops];
  const lo = (list) => Math.floor(Math.log10(Math.min(...list)) - 0.1), hi = (list) =>
    Math.ceil(Math.log10(Math.max(...list)) + 0.1);
  const [x0, x1, y0, y1] = [Math.max(lo(xs), -2), hi(xs), Math.max(lo(ys), hi(ys) - 5), hi(ys)];
  const X = (v) => left + (Math.max(Math.log10(v), x0) - x0) / (x1 - x0) * (w - left - right);
  const Y = (v) => h - bottom - (Math.max(Math.log10(v), y0) - y0) / (y1 - y0) * (h - bottom - head);
  const f = (v) => v.toFixed(1);
  const xt = [], yt = [];
  for (let k = x0; k <= x1; k++) xt.push(10 ** k);
  for (let k = y0; k < y1; k++) yt.push(10 ** k);
  const start = Math.max(10 ** x0, 10 ** y0 / m.bandwidth);
  return html`<figure class="chart"><svg viewBox="0 0 ${w} ${h}" role="img" aria-label="Operations
    by how much they compute for each byte, and how fast; the same numbers stand in the table below">
    ${yt.map((v) => html`<path class="grid" d="M${left} ${f(Y(v))}H${w - right}"></path><text
      class="tick" x="${left - 8}" y="${f(Y(v) + 4)}" text-anchor="end">${rate(v)}</text>`)}
    ${xt.map((v) => html`<text class="tick" x="${f(X(v))}" y="${h - bottom + 18}"
      text-anchor="middle">${v >= 1 ? count(v) : digits(v, 1)}</text>`)}
    <text class="tick" x="${(left + w - right) / 2}" y="${h - 4}"
      text-anchor="middle">floating-point operations for each byte that is moved</text>
    <path class="roof-line" d="M${f(X(start))} ${f(Y(start * m.bandwidth))}L${f(X(ridge))}
      ${f(Y(m.flops))}H${w - right}"></path>
    <text class="tick strong" x="${w - right}" y="${f(Y(m.flops) - 6)}" text-anchor="end">limit of arithmetic</text>
    <text class="tick strong" transform="translate(${f(X(Math.sqrt(start * ridge)) - 6)}
      ${f(Y(Math.sqrt(start * ridge) * m.bandwidth) - 6)}) rotate(${
      f(-Math.atan2((Y(start * m.bandwidth) - Y(m.flops)), X(ridge) - X(start)) * 180 / Math.PI)})"
        text-anchor="middle">limit of memory</text>
    ${largest.map((g) => html`<a href="#graph/e${g.e.i}" aria-label="${shown(g.e).name}"><circle
      class="point ${css(g.e.phase)}" cx="${f(X(g.flops / g.bytes))}" cy="${
      f(Y(g.flops / g.own * 1e9))}" r="${f(3 + 13 * Math.sqrt(g.own /
        all))}"><title>${shown(g.e).name} ${g.e.takes.slice(0, 3).map((v) =>
          shape(v.type.shape)).join(" ")}: ${time(g.own)}, ${
      percent(g.limit.share)} of the machine</title></circle></a>`)}
    </svg><figcaption>Each circle is an operation of one shape, as large as the time it took. None
      can rise above the line: left of the bend it waits for memory, right of it for arithmetic. Far
        below, neither is the reason.</figcaption></figure>`;
}
