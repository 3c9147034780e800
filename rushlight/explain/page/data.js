// The recording, unpacked: `R`, with the fields of recording.py, and who belongs to whom. Everything
// refers to everything by its place in a list (-1: none).

let R = null;

async function unpack() {
  const packed = Uint8Array.from(atob(by("data").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  R = JSON.parse(await new Response(stream).text());
  for (const name of ["steps", "events", "modules", "lines", "records", "plans", "blocks", "numbers",
    "unreached", "findings", "optimizers", "watched"]) R[name] = rows(R[name] || {});
  R.types = R.types.map(([dtype, shape]) => ({ dtype, shape }));
  whole_events();
  whole_blocks();
  whole_numbers();
  whole_steps();
  belongings();
}

/** Columns back to rows; each knows its place. */
function rows(columns) {
  const names = Object.keys(columns);
  if (!names.length) return [];
  return columns[names[0]].map((_, i) => {
    const row = { i };
    for (const name of names) row[name] = columns[name][i];
    return row;
  });
}

function whole_events() {
  let at = 0;
  const value = ([type, made_by, grad, name]) => ({ type: R.types[type], made_by, grad, name: name || "" });
  for (const e of R.events) {
    at += e.begin;
    e.begin = at;
    e.end += at;
    e.takes = e.takes.map(value);
    e.gives = e.gives.map(value);
    e.saved = e.saved.map(([type, name, size, why]) => ({ type: R.types[type], name, bytes: size, why }));
    if (e.kind === "module" && !R.modules[e.module]) e.kind = "function";
    if (e.kind === "loader") e.name = "DataLoader";
    if (e.kind === "compiled" && e.phase === "other") e.phase = "compiled";
    e.inside = [];
    e.nodes = [];
    e.readers = [];
  }
}
function whole_blocks() {
  let at = 0;
  for (const b of R.blocks) {
    at += b.born;
    b.born = at;
    b.until = b.died < 0 ? Infinity : b.died;
  }
}
function whole_numbers() {
  for (const n of R.numbers) {
    for (const f of ["mean", "spread", "zeros", "largest", "low", "high"]) n[f] = +n[f];
    n.elements = n.shape.reduce((a, b) => a * b, 1);
    n.norm = Math.sqrt((n.mean ** 2 + n.spread ** 2) * n.elements);
  }
}

/** Without a step, as of one call of a model, the whole recording is one. */
function whole_steps() {
  R.stepped = R.steps.length > 1 || R.events.some((e) => e.kind === "optimizer");
  if (!R.steps.length && R.events.length) {
    const begin = R.events[0].begin, end = most(R.events, (e) => e.end);
    R.steps.push({ i: 0, begin, end, first: 0, last: R.events.length - 1, ...peak(begin, end), loss: null });
  }
  // What lies between two rounds of the training loop, or behind the last one, is no step.
  for (const s of R.steps) s.key = s.kind === "round" || !s.kind ? String(s.number || s.i + 1) : `${s.kind}${s.i + 1}`;
  R.rounds = R.steps.filter((s) => /^\d/.test(s.key));
  R.whole = R.rounds.length;
  for (const s of R.steps) {
    s.duration = Math.max(1, s.end - s.begin); // others are divided by it
    s.loss = s.loss === null || s.loss === undefined ? null : +s.loss;
    if (!s.peak && R.blocks.length) Object.assign(s, peak(s.begin, s.end));
  }
}
function peak(begin, end) {
  const changes = [];
  for (const b of R.blocks) {
    if (b.born > end || b.until < begin) continue;
    changes.push([Math.max(b.born, begin), b.bytes]);
    if (b.until < end) changes.push([b.until, -b.bytes]);
  }
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let held = 0, best = 0, best_at = begin;
  for (const [at, change] of changes) {
    held += change;
    if (held > best) { best = held; best_at = at; }
  }
  return { peak: best, peak_at: best_at };
}

function belongings() {
  const E = R.events;
  // What was reached here can be reached: another program disturbed the measurement.
  for (const e of E) {
    if (e.flops < 1e6 || e.end <= e.begin) continue;
    R.machine.flops = Math.max(R.machine.flops, e.flops / (e.end - e.begin) * 1e9);
  }
  for (const e of E) {
    if (e.parent >= 0) E[e.parent].inside.push(e);
    if (e.of >= 0 && e.kind === "node") E[e.of].nodes.push(e);
  }
  for (const e of E) {
    e.duration = e.end - e.begin;
    e.own = e.duration - sum(e.inside, (c) => c.duration);
  }
  for (const e of E) for (const v of e.takes) if (v.made_by >= 0) E[v.made_by].readers.push(e);
  // The derivative's time of a call is that of its nodes and of those of all calls in it.
  for (let i = E.length - 1; i >= 0; i--) {
    const e = E[i];
    e.back = (e.back || 0) + sum(e.nodes, (n) => n.duration);
    if (e.parent >= 0 && e.kind !== "node") E[e.parent].back = (E[e.parent].back || 0) + e.back;
  }
  for (const m of R.modules) { m.inside = []; m.calls = []; m.all = m.parameters; }
  for (const m of R.modules) if (m.parent >= 0) R.modules[m.parent].inside.push(m);
  for (let i = R.modules.length - 1; i >= 0; i--) {
    const m = R.modules[i];
    if (m.parent >= 0 && m.parent < i) R.modules[m.parent].all += m.all;
  }
  for (const e of E) if (e.kind === "module" && e.module >= 0) R.modules[e.module].calls.push(e);
  for (const l of R.lines) l.events = [];
  for (const e of E) if (e.line >= 0) R.lines[e.line].events.push(e);
  R.flags = new Map(); // event -> what is wrong with it
  if (R.broken && R.broken.event >= 0) R.flags.set(R.broken.event, `first ${R.broken.what}`);
}

/** A step's name: "Step 2 of 3". */
const step_name = (s) => (!R.stepped ? "This recording" : s.kind === "rest" ? "What came after the last step"
  : s.kind === "evaluation" ? evaluation_name(s) : R.whole > 1 ? `Step ${s.key} of ${R.whole}` : "The step");
function evaluation_name(s) {
  const next = R.rounds.find((r) => r.i > s.i);
  return next ? `The evaluation before step ${next.key}` : "The evaluation";
}
/** The same where there is little room: "2 of 3", "rest". */
const step_label = (s) => (R.rounds.includes(s) ? s.key : s.kind);

// -- questions that several parts ask ------------------------------------------------------------

const PHASES = ["data", "zero_grad", "forward", "backward", "compiled", "optimizer", "other"];
const ROLES = ["parameter", "buffer", "optimizer state", "gradient", "batch", "saved for backward",
  "result", "other"];
const css = (name) => name.replaceAll(" ", "-").replaceAll("_", "-");

/** Of a long recording only some steps are in the page whole. */
const is_kept = (step) => step.first >= 0;
const events_of = (step) => (step && is_kept(step) ? R.events.slice(step.first, step.last + 1) : []);
const is_op = (e) => ["op", "node", "leaf", "compiled", "collective"].includes(e.kind);
const is_call = (e) => e.kind === "op" || e.kind === "function" || e.kind === "compiled";
/** A function that is one operation is shown as that operation, under the function's name. */
const only = (e) => (e.kind === "function" && e.inside.length === 1 && e.inside[0].kind === "op"
  ? e.inside[0] : null);
const shown = (e) => (e.kind === "op" && e.parent >= 0 && only(R.events[e.parent]) ? R.events[e.parent] : e);
/** Where several models are in one recording, what the program calls each of them. */
function prefix(m) {
  let root = m;
  while (root.parent >= 0) root = R.modules[root.parent];
  R.roots ??= R.modules.filter((x) => x.parent < 0 && x.all > 0).length;
  return R.roots > 1 && root.name ? root.name : "";
}
const pathname = (m) => [prefix(m), m.path].filter(Boolean).join(".") || m.kind;
const call_text = (e) => (e.kind === "module" ? pathname(R.modules[e.module]) : e.name);
const module_of = (e) => (R.modules[e.module]?.path ? R.modules[e.module] : null);
const short = (file) => file.split(/[\\/]/).pop();
const place = (line) => `${short(line.file)}:${line.number}`;

/** The top of a step: what nothing of it encloses but the step itself. */
function outermost(step) {
  const list = events_of(step);
  const tops = list.filter((e) => e.kind !== "step" && (e.parent < 0 || R.events[e.parent].kind === "step"));
  return tops.sort((a, b) => a.begin - b.begin);
}

/** Time by phase; "python" is what no recorded call covers. */
function phases(step) {
  const out = { python: step.duration };
  for (const e of outermost(step)) {
    out[e.phase] = (out[e.phase] || 0) + e.duration;
    out.python -= e.duration;
  }
  out.python = Math.max(0, out.python);
  return out;
}

/** Whether an event is inside of another one. */
function within(e, other) {
  for (let p = e.parent; p >= 0; p = R.events[p].parent) if (p === other.i) return true;
  return false;
}

/** Computations of a step, each once: of nested ones the outermost that carries a cost of its own. */
const computations = (step) => events_of(step).filter((e) => is_op(e));
const total_flops = (step) => sum(events_of(step), (e) => e.flops_counted);

/** What of a call's cost stands in no call inside it, so that sums count everything once. */
function own_costs() {
  for (const e of R.events) { e.inner_flops = 0; e.inner_bytes = 0; }
  for (let i = R.events.length - 1; i >= 0; i--) {
    const e = R.events[i];
    e.flops_counted = Math.max(0, e.flops - e.inner_flops);
    e.bytes_counted = Math.max(0, e.bytes - e.inner_bytes);
    if (e.parent >= 0) {
      const p = R.events[e.parent];
      p.inner_flops += e.flops_counted + e.inner_flops;
      p.inner_bytes += e.bytes_counted + e.inner_bytes;
    }
  }
}

/** What limits a call: the machine's arithmetic, its memory, or neither (the call itself). */
function limit(e_flops, e_bytes, ns) {
  const m = R.machine;
  if (!(m.flops > 0) || !(m.bandwidth > 0) || !(ns > 0) || (!e_flops && !e_bytes)) {
    return { share: NaN, bound: "", why: "" };
  }
  const computing = e_flops / m.flops * 1e9, moving = e_bytes / m.bandwidth * 1e9;
  const share = Math.max(computing, moving) / ns;
  const bound = computing > moving ? "arithmetic" : "memory";
  if (share < 0.1) return { share, bound: "overhead", nearest: bound };
  return { share, bound, nearest: bound };
}

// -- links ---------------------------------------------------------------------------------------

const to_event = (e, text) => html`<a href="#graph/e${e.i}">${text ?? e.name}</a>`;
const to_line = (line, text) => (line ? html`<a class="place" href="#program/L${line.i}" title="${
  line.file}:${line.number}, in ${line.function}">${text ?? place(line)}</a>` : "");
const to_module = (m, text) => (m.calls.length
  ? html`<a href="#graph/e${(m.calls.find((c) => c.step === chosen?.i) || m.calls[0]).i}">${text ?? pathname(m)}</a>`
  : html`${text ?? pathname(m)}`);
const line_of = (x) => (x.line >= 0 ? R.lines[x.line] : null);
