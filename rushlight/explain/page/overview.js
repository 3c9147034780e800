// The overview: what is broken, the step in one sentence, where its time goes, and the advice.

PARTS.push({
  id: "overview", name: "Overview", about: "The step in short, and what to do about it",
  draw(host, step) {
    if (!step) {
      const why = "Nothing ran while this was recorded, so there is nothing to show.";
      host.innerHTML = flat([...alarms(), nothing(why), advice(), glossary()]);
      return;
    }
    const shares = phases(step);
    host.innerHTML = flat(html`${alarms()}
      <p class="lead">${sentence(step)}</p>
      <section><h2>Where the time goes</h2>${phase_bar(step, shares)}</section>
      ${R.findings.length ? html`<div class="beside wide-left"><section><h2>Advice</h2>${advice()}</section>
        <section>${longest(step)}${all_steps(step)}</section></div>`
      : html`<section><h2>Advice</h2>${advice()}</section><div
        class="beside"><section>${longest(step)}</section><section>${all_steps(step)}</section></div>`
      }${glossary()}`);
  },
  go(item) { point_at(by(item)); },
});

function sentence(step) {
  const f = total_flops(step), speed = f / step.duration * 1e9;
  const machine = R.machine.flops > 0 && f ? html`, which is <b>${percent(speed / R.machine.flops)}</b>
    of the ${rate(R.machine.flops)} that this machine reaches with float32` : "";
  const held = step.peak ? html`, holds up to <b>${bytes(step.peak)}</b>` : "";
  const computes = f ? html` and computes <b>${flops(f)}</b>: ${rate(speed)}${machine}` : "";
  const loss = step.loss !== null ? html` Its loss is <b>${digits(step.loss, 4)}</b>.` : "";
  const typical = step === first_step() && R.whole > 2 && !R.broken ? ", a typical one," : "";
  return html`${step_name(step)}${typical} takes <b>${time(step.duration)}</b>${held}${computes}.${loss}`;
}

function alarms() {
  const out = [];
  if (R.error) {
    const e = R.events[R.failed];
    out.push(html`<section class="alarm" id="error"><h2>The program ended with an
      error</h2><pre>${R.error}</pre>${e ? html`<p>It came from ${
      to_event(shown(e))}${module_of(e) ? html` in module ${to_module(module_of(e))}` :
        ""}.</p>${quoted(line_of(e))}` : ""}</section>`);
  }
  const b = R.broken;
  if (b) {
    const e = R.events[b.event], line = e && line_of(e), module = e && R.modules[e.module];
    out.push(html`<section class="alarm" id="broken"><h2>${b.what === "NaN" ? "A NaN appeared" :
      "An infinity appeared"
      }${R.stepped && R.steps[b.step] ? ` in ${R.rounds.includes(R.steps[b.step]) ? `step ${R.steps[b.step].key}` :
        step_name(R.steps[b.step]).toLowerCase()}` : ""}</h2><p>The first ${b.what} of
        this recording stands in the
      <b>${b.where}</b>${e ? html` of ${to_event(shown(e))}` : ""}${module && module.path ? html` in
        module ${to_module(module)}` : ""
      }, in ${PHASE_NAMES[b.phase] || b.phase}. ${b.finite_inputs
        ? "Everything that went in was finite, so this is where it came from."
        : "What went in was not finite either: it came from outside of what was recorded."}</p>${quoted(line)}
      <p class="soft">${b.what === "NaN" ? WORDS.NaN : WORDS.Inf}</p></section>`);
  }
  if (R.unreached.length) {
    out.push(html`<section class="alarm" id="unreached"><h2>${plural(R.unreached.length,
      "parameter")} got no gradient</h2>
      <p>The optimiser cannot change what has no gradient.</p>${unreached_list(12)}</section>`);
  }
  const wrong = R.findings.filter((f) => f.weight >= 2);
  if (!out.length && wrong.length) {
    out.push(html`<section class="alarm" id="wrong"><h2>The result is wrong</h2><ul>${wrong.map((f) => html`<li><a
      href="#overview/advice-${css(f.kind)}">${prose(f.title)}</a></li>`)}</ul></section>`);
  }
  return out;
}

/** Parameters without gradients, those with the same cause together. */
function unreached_list(at_most = Infinity) {
  const causes = new Map();
  for (const u of R.unreached) {
    const key = `${u.why}\n${u.line}`;
    if (!causes.has(key)) causes.set(key, []);
    causes.get(key).push(u);
  }
  return html`<ul class="causes">${[...causes.values()].map((list) => {
    const u = list[0];
    return html`<li><p>${list.slice(0, at_most).map((x, i) => html`${i ? ", " : ""}<code>${x.name}</code>`)}${
      list.length > at_most ? ` and ${count(list.length - at_most)} more` : ""}: ${u.why}${
      u.event >= 0 ? html` (${to_event(shown(R.events[u.event]))})` : ""}</p>${quoted(line_of(u))}</li>`;
  })}</ul>`;
}

/** A line of the user's with its text. */
const quoted = (line) => (line ? html`<p class="quoted">${to_line(line)}<code>${line.text.trim()}</code></p>` : "");

const parts_of = (shares) => [...PHASES, "python"].filter((p) => shares[p] > 0);

function phase_bar(step, shares) {
  const parts = parts_of(shares);
  return html`<div class="phases" role="img" aria-label="${parts.map((p) => `${PHASE_NAMES[p]} ${
    percent(shares[p] / step.duration)}`).join(", ")}">${parts.map((p) => html`<span class="${css(p)}"
      style="flex-grow:${Math.max(shares[p] / step.duration, 0.002).toFixed(4)}" title="${PHASE_NAMES[p]}: ${
      time(shares[p])}, ${percent(shares[p] / step.duration)}"></span>`)}</div>${phase_legend(step, shares)}`;
}

function phase_legend(step, shares) {
  return html`<ul class="legend">${parts_of(shares).map((p) => html`<li><span class="key ${css(p)}"></span><span
      class="label">${p === "python" || p === "compiled" ? word(PHASE_NAMES[p]) :
        PHASE_NAMES[p]}</span><span class="amount">${
      time(shares[p])}</span><span class="share">${percent(shares[p] / step.duration)}</span></li>`)}</ul>`;
}

/** The operation that an advice is about, if it is about one. */
const told = (f) => (f.event >= 0 && !["step", "module", "loader",
  "item"].includes(R.events[f.event].kind) ? R.events[f.event] : null);

function advice() {
  if (!R.findings.length) {
    return html`<p class="soft">Nothing was found that would make the step faster or smaller, or its
      result right.</p>`;
  }
  const order = [...R.findings].sort((a, b) => b.weight - a.weight);
  return html`<ol class="advice">${order.map((f) => html`<li class="${f.weight >= 2 ? "wrong" : ""}"
    id="advice-${css(f.kind)}">
    <h3>${prose(f.title)}</h3>${f.gain ? html`<p class="gain"><b>${f.gain}</b> <span class="soft">${
      f.measured ? "measured" : "computed"}</span></p>` : ""}<p>${prose(f.text)}</p>${
      quoted(line_of(f))}${told(f) || f.module >= 0 ? html`<p class="links">${
      f.module >= 0 ? html`module ${to_module(R.modules[f.module])} ` : ""}${
      told(f) ? html`operation ${to_event(shown(told(f)))}` : ""}</p>` : ""}</li>`)}</ol>`;
}

/** The modules whose own operations, forward and backward, take longest; and ops of no module. */
function longest(step) {
  const found = new Map();
  for (const e of events_of(step)) {
    if (!["op", "node", "leaf", "optimizer", "loader", "compiled", "collective", "zero_grad",
      "item"].includes(e.kind)) continue;
    if (e.parent >= 0 && ["op", "node", "leaf", "optimizer", "compiled", "collective", "zero_grad",
      "item", "loader"].includes(R.events[e.parent].kind)) continue;
    const m = R.modules[e.module];
    const inside = m && (m.path || m.parent < 0 && !m.inside.length) && ["op", "node", "leaf"].includes(e.kind);
    const key = inside ? `m${m.i}` : e.kind === "node" || e.kind === "op" ? `o${shown(e.of >= 0 ?
      R.events[e.of] : e).name}` : e.kind;
    if (!found.has(key)) found.set(key, { event: shown(e.of >= 0 ? R.events[e.of] : e), module:
      inside ? m : null, ahead: 0, back: 0, phase: e.phase });
    found.get(key)[e.phase === "backward" ? "back" : "ahead"] += e.duration;
  }
  const list = [...found.values()].sort((a, b) => b.ahead + b.back - a.ahead - a.back).slice(0, 8);
  const top = most(list, (x) => x.ahead + x.back);
  return html`<h2>The longest parts</h2><ul class="longest">${list.map((x) => html`<li><span class="label">${
    x.module ? html`${to_module(x.module)} <span class="soft">${x.module.kind}</span>` :
      x.event.kind === "leaf" ? "adding into .grad"
      : html`${to_event(x.event)} <span class="soft">${KIND_ABOUT[x.event.kind] || ""}</span>`
  }</span><span class="amount">${time(x.ahead + x.back)}</span><span class="pair">${
    fill_of(x.ahead / top, css(x.phase === "backward" ? "forward" : x.phase))}${fill_of(x.back /
      top, "backward")}</span></li>`)}</ul>`;
}

function all_steps(step) {
  if (!R.stepped || R.steps.length < 2) return "";
  // The first step makes machine code: it would leave nothing to be seen of the others.
  const top = most(R.steps.length > 2 ? R.steps.slice(1) : R.steps, (s) => s.duration);
  const peaks = R.steps.some((s) => s.peak), losses = R.steps.some((s) => s.loss !== null);
  const list = R.steps.length > 12 ? [...R.steps.slice(0, 4), ...R.steps.slice(-8)] : R.steps;
  return html`<h2>All steps</h2><table class="steps-table"><thead><tr><th scope="col">step</th><th
    scope="col" class="grow">time</th>${peaks ? html`<th scope="col">${
    word("peak")}</th>` : ""}${losses ? html`<th scope="col">loss</th>` :
      ""}</tr></thead><tbody>${list.map((s) => html`<tr ${
    html`class="${s === step ? "now" : ""} ${s.duration > top ? "over" : ""}"`}><th
      scope="row">${is_kept(s) ? html`<a href="#overview?step=${s.key}">${step_label(s)}</a>` :
        step_label(s)}</th><td class="grow">${
    bar(s.duration / top, "ink")}<span>${time(s.duration)}</span></td>${peaks ? html`<td>${s.peak ?
      bytes(s.peak) : ""}</td>` : ""}${
    losses ? html`<td>${s.loss === null ? "" : digits(s.loss, 4)}</td>` :
      ""}</tr>`)}</tbody></table>${R.steps.every(is_kept) ? "" : html`<p class="soft">Steps with a
        link are in this page whole, of the others only what stands here.</p>`}`;
}
