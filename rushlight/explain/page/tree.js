// The graph: a tree of <details>, folded by module, each call with its forward and its backward side
// by side. What stands in a call is drawn when it is first opened.

const AT_ONCE = 150; // calls that are drawn of a long list, until somebody asks for more

PARTS.push({
  id: "graph", name: "Graph", about: "What the step consists of, folded by module",
  draw(host, step) {
    if (!step || !events_of(step).length) { host.innerHTML = flat(nothing("No operation was recorded.")); return; }
    host.innerHTML = flat(html`<div class="heading"><p class="intro">Each row is a call: of a module, of an operation,
      of the optimiser. Open it with a click or ${key("→")}; ${key("↑")} ${key("↓")} walk. On the
        left is the time of the call,
      on the right the time that its ${word("backward", "backward")} took later.</p>
      <p class="actions"><button type="button" data-unfold="modules">Unfold modules</button><button
        type="button" data-unfold="none">Fold all</button></p></div>
      <div class="tree"><div class="row head" aria-hidden="true"><span>call</span><span
      class="shape">result</span><span class="parameters">parameters</span><span class="ahead">time</span><span
      class="back">its backward</span><span class="whole">of step</span></div><div class="rows"></div></div>`);
    longest_call = most(outermost(step), (e) => Math.max(e.duration, e.kind === "backward" ? 0 : e.back)) || 1;
    const tree = host.querySelector(".tree");
    fill(tree.querySelector(".rows"), outermost(step));
    tree.addEventListener("toggle", (event) => unfold(event.target), true);
    tree.addEventListener("keydown", tree_keys);
    host.querySelector('[data-unfold="modules"]').addEventListener("click", () => open_modules(tree));
    host.querySelector('[data-unfold="none"]').addEventListener("click", () => {
      for (const d of tree.querySelectorAll("details.call[open]")) d.open = false;
    });
    const calls = [...tree.querySelectorAll(":scope > .rows > details.module")];
    if (calls.length === 1) { calls[0].open = true; unfold(calls[0]); }
  },
  go(item, host) {
    const event = R.events[+item.slice(1)];
    if (event) point_at(reveal(event, host));
  },
});

const key = (name) => html`<kbd>${name}</kbd>`;

/** Rows of calls into `host`; the rest of a long list waits for a click. */
function fill(host, calls, from = 0, to = AT_ONCE) {
  host.querySelector(":scope > .more")?.remove();
  host.insertAdjacentHTML("beforeend", flat(calls.slice(from, to).map(call_row)));
  if (to >= calls.length) return;
  host.insertAdjacentHTML("beforeend", flat(html`<button type="button" class="more quiet">Show ${
    count(Math.min(AT_ONCE, calls.length - to))} of ${plural(calls.length - to, "more call")}</button>`));
  host.querySelector(":scope > .more").addEventListener("click", () => fill(host, calls, to, to + AT_ONCE));
}

let longest_call = 1; // what the bars are drawn against
const inner = (e) => [...e.inside].sort((a, b) => a.begin - b.begin);

function call_row(e) {
  const step = R.steps[e.step] || chosen;
  const m = e.kind === "module" ? R.modules[e.module] : null;
  const result = e.gives.length ? e.gives.map((v) => shape(v.type.shape)).slice(0, 2).join(", ") +
    (e.gives.length > 2 ? ", …" : "") : "";
  const back = e.kind === "node" || e.kind === "backward" ? 0 : e.back;
  const share = (e.duration + back) / step.duration;
  const flag = R.flags.get(e.i) || R.flags.get(only(e)?.i);
  return html`<details class="call ${m ? "module" : e.kind}" id="e${e.i}"
    style="--depth:${depth_of(e)}"><summary class="row"><span class="name">${call_name(e, m)}${
    flag ? html` <span class="flag">${flag}</span>` : ""}</span><span
      class="shape">${result}</span><span class="parameters">${
    m && m.all ? count(m.all) : ""}</span><span class="ahead">${bar(e.duration / longest_call,
      css(e.phase))}<span class="amount">${
    time(e.duration)}</span></span><span class="back">${back ? html`${bar(back / longest_call,
      "backward")}<span class="amount">${
    time(back)}</span>` : ""}</span><span class="whole">${percent(share)}</span></summary><div
      class="inside"></div></details>`;
}

/** The module that called it. */
function caller(e) {
  for (let p = e.parent; p >= 0; p = R.events[p].parent) if (R.events[p].kind === "module")
    return R.modules[R.events[p].module];
  return null;
}

function depth_of(e) {
  let n = 0;
  for (let p = e.parent; p >= 0 && R.events[p].kind !== "step"; p = R.events[p].parent) n += 1;
  return Math.min(n, 12);
}

function call_name(e, m) {
  if (m) {
    const above = caller(e)?.path;
    const own = above && m.path.startsWith(above + ".") ? m.path.slice(above.length + 1) : m.path;
    const again = m.calls.filter((c) => c.step === e.step);
    return html`<b>${own || prefix(m) || m.kind}</b>${own || prefix(m) ? html` <span
      class="kind">${m.kind}</span>` : ""}${
      again.length > 1 ? html` <span class="soft">call ${again.indexOf(e) + 1} of ${again.length}</span>` : ""}`;
  }
  const what = KIND_ABOUT[e.kind];
  if (e.kind === "leaf") {
    const name = [...e.gives, ...e.takes].find((v) => v.name)?.name;
    return html`<code>${name || e.name}</code> <span class="soft">${what}</span>`;
  }
  if (e.kind === "node") {
    const op = R.events[e.of];
    return html`<code>${e.name}</code>${op ? html` <span class="soft">of
      ${shown(op).name}${module_of(op) ? ` in ${pathname(module_of(op))}` : ""}</span>` : ""}`;
  }
  return html`<code>${e.name}</code>${what ? html` <span class="soft">${what}</span>` : ""}`;
}

/** Draw what stands in a call, once. */
function unfold(details) {
  if (!details.matches?.("details.call") || !details.open) return;
  const host = details.querySelector(":scope > .inside");
  if (host.childElementCount) return;
  const e = R.events[+details.id.slice(1)];
  if (e.kind === "module") host.insertAdjacentHTML("beforeend", flat(module_facts(e)));
  else host.insertAdjacentHTML("beforeend", flat(operation(only(e) || e)));
  if (e.inside.length && !only(e)) {
    const list = document.createElement("div");
    list.className = "rows";
    host.append(list);
    fill(list, inner(e));
  }
}

function module_facts(e) {
  const m = R.modules[e.module];
  return html`<div class="facts"><p><code>${m.repr}</code></p><p class="soft">${[
    m.path ? pathname(m) : "the outermost module",
    m.all ? plural(m.all, "parameter") + (m.parameters !== m.all && m.parameters ?
      `, ${count(m.parameters)} its own` : "") : "no parameters",
    m.training ? "in training mode" : "in evaluation mode",
    ...e.gives.slice(0, 1).map((v) => `gives ${typed(v.type)}`),
  ].join(" · ")}</p>${own_numbers(m)}${quoted(line_of(e))}</div>`;
}

/** Links to what stands in a module's own parameters. */
function own_numbers(m) {
  const names = [...new Set(R.numbers.filter((n) => n.what === "parameter" && n.module === m.i).map((n) => n.name))];
  return names.length ? html`<p><span class="soft">What stands in</span> ${names.slice(0,
    8).map((name, i) => html`${i ? ", " : ""}<a href="#numbers/${
    encodeURIComponent(name)}"><code>${name.split(".").pop()}</code></a>`)}</p>` : "";
}

function open_modules(tree) {
  for (let round = 0; round < 12; round++) {
    const closed = tree.querySelectorAll("details.module:not([open])");
    if (!closed.length) return;
    for (const d of closed) { d.open = true; unfold(d); }
  }
}

/** Unfold everything around an event, and the event; its row. */
function reveal(event, host) {
  const way = [];
  for (let e = shown(event); e && e.kind !== "step"; e = R.events[e.parent]) way.unshift(e);
  let row = null;
  for (const e of way) {
    let found = by(`e${e.i}`);
    while (!found) { // it waits behind "more"
      const more = (row || host).querySelector(row ? ":scope > .inside > .rows > .more" : ".rows > .more");
      if (!more) return row;
      more.click();
      found = by(`e${e.i}`);
    }
    row = found;
    row.open = true;
    unfold(row);
  }
  row?.querySelector("summary").focus({ preventScroll: true });
  return row?.querySelector("summary");
}

function tree_keys(event) {
  const summary = event.target.closest("summary.row");
  if (!summary || event.altKey || event.ctrlKey || event.metaKey) return;
  const details = summary.parentElement;
  const rows = () => [...event.currentTarget.querySelectorAll("summary.row")].filter((s) => s.offsetParent !== null);
  let to = null;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const all = rows();
    to = all[all.indexOf(summary) + (event.key === "ArrowDown" ? 1 : -1)];
  } else if (event.key === "ArrowRight") {
    if (!details.open) { details.open = true; unfold(details); }
    else to = details.querySelector(":scope > .inside summary.row");
  } else if (event.key === "ArrowLeft") {
    if (details.open) details.open = false;
    else to = details.parentElement.closest("details.call")?.querySelector("summary");
  } else if (event.key === "Home") to = rows()[0];
  else if (event.key === "End") to = rows().at(-1);
  else return;
  event.preventDefault();
  to?.focus();
}
