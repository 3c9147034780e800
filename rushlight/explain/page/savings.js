// What a no_grad, a detach or a checkpoint would save: computed from what each call keeps.

/** Bytes that each operation of a step keeps for backward and that are memory of their own. */
function keepings(step) {
  const out = new Map();
  for (const b of R.blocks) {
    if (b.role !== "saved for backward" || b.event < 0 || b.born < step.begin || b.born > step.end) continue;
    out.set(b.event, (out.get(b.event) || 0) + b.bytes);
  }
  return out;
}

function savings(step) {
  const kept = keepings(step), all = sum([...kept.values()]);
  const backward = sum(events_of(step).filter((e) => e.kind === "backward"), (e) => e.duration);
  if (!all) return html`<p class="soft">Nothing is kept for backward in this step, so there is
    nothing that a ${word("no_grad")}, a ${word("detach")} or a ${word("checkpoint")} would free.</p>`;
  const below = new Map(); // module call -> what its operations keep
  for (const [i, size] of kept) {
    for (let p = i; p >= 0; p = R.events[p].parent) {
      if (R.events[p].kind === "module") below.set(p, (below.get(p) || 0) + size);
    }
  }
  const rows = [...below].map(([i, size]) => ({ e: R.events[i], m: R.modules[R.events[i].module], size }))
    .filter((r) => r.m && r.m.path && r.size > all * 0.004);
  const behind = history(step);
  for (const r of rows) Object.assign(r, checkpointed(r, kept), detached(r, kept, behind));
  const worth = rows.filter((r) => Math.max(r.frees, r.cut) > all * 0.02);
  const whole = html`<p>For backward the step keeps <b>${bytes(all)}</b>. If no gradients are wanted,
    <code>with torch.no_grad():</code> around the forward saves them, and the ${time(backward)} of the
    backward.</p>`;
  if (!worth.length) return whole;
  worth.sort((a, b) => b.frees - a.frees || b.cut - a.cut);
  return html`${whole}<p class="intro">For a part of the model: ${word("checkpoint", "checkpointing")}
    frees what it keeps, at the price of its forward once more in each step. A ${word("detach")} of its
    result stops the gradients there: it and everything before it would not learn.</p><div
    class="wide"><table><caption>What would be saved</caption><thead><tr><th scope="col"
    class="left">module</th><th scope="col" class="grow" title="Bytes that are made in it and kept for
    backward">keeps for backward</th><th scope="col">a checkpoint saves</th><th scope="col">for</th><th
    scope="col">a detach behind it saves</th><th scope="col">and</th></tr></thead><tbody>${
    [...together(worth), ...worth.slice(0, 12)].map((r) => saving_row(r, all))}</tbody></table></div>`;
}

function saving_row(r, all) {
  const above = r.above ? html` <span class="soft">in ${r.above}</span>` : "";
  const name = r.many ? html`<b>all ${count(r.many)}</b> ${r.m.kind}${above}`
    : html`${to_event(r.e, pathname(r.m))} <span class="soft">${r.m.kind}</span>`;
  const cut = r.many ? "" : r.cut ? bytes(r.cut) : "nothing";
  return html`<tr><th scope="row" class="left">${name}</th><td class="grow"><span class="barred">${
    bar(r.size / all, "saved-for-backward")}<span>${bytes(r.size)}</span></span></td><td>${
    r.frees ? bytes(r.frees) : "nothing"}</td><td>${r.frees ? `+${time(r.again)}` : ""}</td><td>${
    cut}</td><td>${r.many ? "" : time(r.quicker)}</td></tr>`;
}

/** Layers of one kind beside each other, as people checkpoint them: all at once. */
function together(rows) {
  const groups = new Map();
  for (const r of rows) {
    const key = `${r.m.kind} ${r.m.parent}`;
    if (!groups.has(key)) groups.set(key, []);
    if (r.frees) groups.get(key).push(r);
  }
  return [...groups.values()].filter((g) => g.length > 2).map((g) => ({
    m: g[0].m, many: g.length, above: R.modules[g[0].m.parent]?.path, size: sum(g, (r) => r.size),
    frees: sum(g, (r) => r.frees), again: sum(g, (r) => r.again),
  })).sort((a, b) => b.frees - a.frees).slice(0, 2);
}

/** A checkpoint keeps the module's input and result: all between them is freed. */
function checkpointed({ e, size }, kept) {
  let result = 0;
  const given = new Set(e.gives.map((v) => v.made_by));
  for (const [i, n] of kept) if (given.has(i) && (i === e.i || within(R.events[i], e))) result += n;
  return { frees: Math.max(0, size - result), again: e.duration };
}

/** For each call, the calls that made what it takes. */
function history(step) {
  const from = new Map();
  for (const e of events_of(step)) {
    if (e.kind !== "op" && e.kind !== "compiled") continue;
    from.set(e.i, e.takes.map((v) => v.made_by).filter((i) => i >= 0));
  }
  return from;
}

/** What only the module's result leads to: the loss must not reach it by another way. */
function detached({ e }, kept, from) {
  const ends = events_of(R.steps[e.step]).filter((x) => x.kind === "backward").map((x) => x.of).filter((i) => i >= 0);
  const given = new Set(e.gives.map((v) => v.made_by));
  if (!ends.length) { // the loss is unknown: what ran before the module's end
    let cut = 0, quicker = 0;
    for (const [i, n] of kept) {
      if (R.events[i].end > e.end) continue;
      cut += n;
      quicker += sum(R.events[i].nodes, (x) => x.duration);
    }
    return { cut, quicker };
  }
  const reached = (stop) => {
    const seen = new Set(), todo = [...ends];
    while (todo.length) {
      const i = todo.pop();
      if (seen.has(i) || stop.has(i)) continue;
      seen.add(i);
      todo.push(...(from.get(i) || []));
    }
    return seen;
  };
  const without = reached(given), all = reached(new Set());
  let cut = 0, quicker = 0;
  for (const i of all) {
    if (without.has(i)) continue;
    if (!given.has(i)) cut += kept.get(i) || 0; // the result itself may be kept by what reads it
    quicker += sum(R.events[i].nodes, (x) => x.duration);
  }
  return { cut, quicker };
}
