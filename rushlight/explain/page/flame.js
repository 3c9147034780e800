// Time: the step as a flame that hangs down (an icicle). A call lies under the call that made it.

const ROW = 24;
/** What lies below a call; a function that is one operation stands for it. */
const below = (e) => (only(e) ? [] : inner(e));

PARTS.push({
  id: "time", name: "Time", about: "What ran when, and how well it used the machine",
  draw(host, step) {
    if (!step || !events_of(step).length) { host.innerHTML = flat(nothing("No time was recorded.")); return; }
    const shares = phases(step);
    host.innerHTML = flat(html`<section><h2>The step from left to right</h2><p class="intro">Wide is
      long; what lies below a call ran inside it.
      Click a call to enlarge it, ${key("Esc")} to go back; ${key("←")} ${key("→")} ${key("↑")}
        ${key("↓")} walk, ${key("Enter")} enlarges. Gaps are Python between operations.</p>
      ${phase_legend(step, shares)}<div class="flame-box"><canvas class="icicle" tabindex="0" role="application"
      aria-label="Calls over the time of the step: arrow keys walk, Enter enlarges; the same stands
        in the table below" aria-describedby="flame-text"></canvas><div class="tip" hidden></div></div>
      <p id="flame-text" class="readout" aria-live="polite">${time(step.duration)} from left to right.</p>
      <details class="twin"><summary>The same as a table</summary><div></div></details></section>
      <section><h2>Operations, the longest first</h2><p class="intro">The
        ${word("share of the machine", "share")} says how near a call came to the limits of this machine${
      R.machine.flops ? html`: ${rate(R.machine.flops)} of float32 products and
        ${flow(R.machine.bandwidth)} of memory, as measured` : ""}.
      The last column says which of the two limits is nearer, or that neither is: then the call is
        too small, or does something else.</p>
      <div class="roof"></div><p class="actions"><label>One row for <select class="grouping"><option
        value="op">each operation and shape</option><option
      value="name">each name</option><option value="module">each module</option><option
        value="line">each line</option><option value="call">each
          call</option></select></label></p><div class="ops"></div></section>`);
    const canvas = host.querySelector("canvas");
    const view = new Flame(canvas, step, host.querySelector(".tip"), host.querySelector("#flame-text"));
    host.flame = view;
    const twin = host.querySelector(".twin");
    twin.addEventListener("toggle", () => { if (twin.open &&
      !twin.lastElementChild.childElementCount) flame_table(twin.lastElementChild, step); });
    const grouping = host.querySelector(".grouping");
    const again = () => ops_table(host.querySelector(".ops"), step, grouping.value);
    grouping.addEventListener("change", again);
    again();
    host.querySelector(".roof").innerHTML = flat(roofline(step));
  },
  go(item, host) {
    const event = R.events[+item.slice(1)] && shown(R.events[+item.slice(1)]);
    const view = host.lastElementChild.flame;
    if (event && view) { view.select(event); view.zoom(event); view.canvas.focus(); }
  },
});

class Flame {
  constructor(canvas, step, tip, text) {
    Object.assign(this, { canvas, step, tip, text });
    this.calls = [];
    this.depth = 0;
    const walk = (list, depth) => {
      for (const e of list) {
        e.depth = depth;
        this.calls.push(e);
        this.depth = Math.max(this.depth, depth);
        walk(below(e), depth + 1);
      }
    };
    walk(outermost(step), 0);
    this.whole = [step.begin, step.end];
    this.view = [...this.whole];
    this.chosen = null;
    canvas.addEventListener("click", (event) => {
      const e = this.at(event);
      if (!e) return;
      this.select(e);
      this.zoom(e);
    });
    canvas.addEventListener("mousemove", (event) => this.hover(event));
    canvas.addEventListener("mouseleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("keydown", (event) => this.keys(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  x(ns) { return (ns - this.view[0]) / (this.view[1] - this.view[0]) * this.canvas.clientWidth; }

  draw() {
    const { canvas } = this, wide = canvas.clientWidth, high = (this.depth + 1) * ROW + 18;
    if (!wide) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${high}px`;
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    const c = canvas.getContext("2d"), style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    c.scale(ratio, ratio);
    c.clearRect(0, 0, wide, high);
    c.font = `12px ${style.fontFamily}`;
    c.textBaseline = "middle";
    // the gaps of the outermost row are Python
    c.fillStyle = colour("--python");
    c.fillRect(0, 18, wide, ROW - 1);
    c.fillStyle = colour("--soft");
    const reach = this.view[1] - this.view[0];
    for (const t of ticks(reach, Math.max(2, wide / 160))) {
      const x = this.x(this.view[0] + t);
      c.fillStyle = colour("--line");
      c.fillRect(Math.round(x), 0, 1, high);
      c.fillStyle = colour("--soft");
      if (x < wide - 50) c.fillText(time(t), x + 5, 8);
    }
    const inks = {};
    for (const p of PHASES) inks[p] = [colour(`--${css(p)}`), colour(`--${css(p)}-pale`),
      colour("--on-colour"), colour("--ink")];
    const ends = new Array(this.depth + 1).fill(-1);
    for (const e of this.calls) {
      if (e.end < this.view[0] || e.begin > this.view[1]) continue;
      const from = Math.max(0, this.x(e.begin)), to = Math.min(wide, this.x(e.end));
      if (to - ends[e.depth] < 0.4) continue; // nobody would see it
      ends[e.depth] = to;
      const y = 18 + e.depth * ROW, w = Math.max(to - from - 0.6, 0.5);
      const [strong, pale, on, ink] = inks[e.phase] || inks.other;
      const solid = only(e) || !["module", "function", "backward"].includes(e.kind);
      c.fillStyle = solid ? strong : pale;
      c.fillRect(from, y, w, ROW - 1);
      if (e === this.chosen) { c.strokeStyle = ink; c.lineWidth = 2; c.strokeRect(from + 1, y + 1,
        Math.max(w - 2, 1), ROW - 3); }
      if (w > 34) {
        c.fillStyle = solid ? on : ink;
        c.fillText(this.fitting(c, this.label(e), w - 10), from + 6, y + ROW / 2);
      }
    }
  }

  label(e) {
    if (e.kind !== "module") return e.name;
    const m = R.modules[e.module];
    return m ? pathname(m) : e.name;
  }

  fitting(c, text, room) {
    if (c.measureText(text).width <= room) return text;
    let n = Math.floor(text.length * room / c.measureText(text).width);
    while (n > 0 && c.measureText(text.slice(0, n) + "…").width > room) n -= 1;
    return n > 1 ? text.slice(0, n) + "…" : "";
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, depth = Math.floor((event.clientY - box.top - 18) / ROW);
    const ns = this.view[0] + x / box.width * (this.view[1] - this.view[0]);
    const near = 1.5 / box.width * (this.view[1] - this.view[0]);
    let best = null;
    for (const e of this.calls) {
      if (e.depth !== depth || e.begin > ns + near || e.end < ns - near) continue;
      if (e.begin <= ns && ns <= e.end) return e;
      best = e;
    }
    return best;
  }

  hover(event) {
    const e = this.at(event), box = this.canvas.getBoundingClientRect();
    this.tip.hidden = !e;
    this.canvas.style.cursor = e ? "zoom-in" : "";
    if (!e) return;
    this.tip.textContent = `${this.label(e)}  ${time(e.duration)}  ${percent(e.duration / this.step.duration)}`;
    const x = event.clientX - box.left;
    this.tip.style.left = `${Math.min(x + 12, box.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${event.clientY - box.top + 18}px`;
  }

  select(e) {
    this.chosen = e;
    const m = R.modules[e.module], line = line_of(e);
    const where = m && e.kind !== "module" && m.path ? `in ${pathname(m)}, ` : "";
    this.text.innerHTML = flat(html`<b>${this.label(e)}</b> <span class="soft">${where}${
      PHASE_NAMES[e.phase] || e.phase}</span> ${time(e.duration)}, ${
      percent(e.duration / this.step.duration)} of the step${
      below(e).length ? html`, ${time(e.own)} of it outside of the calls below` : ""}.
        ${to_line(line)} <a href="#graph/e${e.i}">Show in the graph</a>`);
    this.draw();
  }

  zoom(e) {
    const from = [...this.view];
    const to = e && (e.begin !== this.view[0] || e.end !== this.view[1]) ? [e.begin, Math.max(e.end,
      e.begin + 1)] : [...this.whole];
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { this.view = to; this.draw(); return; }
    const began = performance.now();
    const move = () => {
      const part = Math.min(1, (performance.now() - began) / 180), ease = 1 - (1 - part) ** 3;
      this.view = from.map((f, i) => f + (to[i] - f) * ease);
      this.draw();
      if (part < 1) requestAnimationFrame(move);
    };
    move();
  }

  keys(event) {
    const e = this.chosen;
    const beside = (by_) => {
      const list = this.calls.filter((c) => c.depth === (e ? e.depth : 0));
      return list[e ? list.indexOf(e) + by_ : 0];
    };
    let to = null;
    if (event.key === "ArrowRight") to = beside(1);
    else if (event.key === "ArrowLeft") to = beside(-1);
    else if (event.key === "ArrowDown") to = e ? below(e)[0] : this.calls[0];
    else if (event.key === "ArrowUp") to = e && e.depth > 0 ? R.events[e.parent] : null;
    else if (event.key === "Enter" || event.key === " ") { if (e) this.zoom(e); }
    else if (event.key === "Escape") this.zoom(null);
    else return;
    event.preventDefault();
    if (!to) return;
    if (to.end < this.view[0] || to.begin > this.view[1]) this.view = [...this.whole];
    this.select(to);
  }
}

function flame_table(host, step) {
  const calls = [];
  const walk = (list, depth) => { for (const e of list) { calls.push([e, depth]); walk(below(e), depth + 1); } };
  walk(outermost(step), 0);
  table(host, {
    caption: "Calls in their order", limit: 60,
    rows: calls,
    columns: [
      { name: "call", left: true, show: ([e, depth]) => html`<span style="padding-left:${depth *
        14}px">${to_event(e, call_text(e))}</span>` },
      { name: "begins at", show: ([e]) => time(e.begin - step.begin) },
      { name: "takes", show: ([e]) => time(e.duration) },
      { name: "of it its own", show: ([e]) => time(Math.max(0, e.own)) },
      { name: "phase", left: true, show: ([e]) => PHASE_NAMES[e.phase] || e.phase },
    ],
  });
}
