// What an operation shows when it is opened: forward on the left, its derivative on the right.

function operation(e) {
  if (e.kind === "compiled") {
    return html`<div class="operation one"><section><p>${WORDS["compiled program"]}</p>${
      quoted(line_of(e))}${values("Takes", e.takes)}${values("Gives", e.gives)}${cost(e)}</section></div>`;
  }
  if (is_call(e)) {
    return html`<div class="operation"><section><h3>Forward</h3>${ahead(e)}</section><section
      class="derivative"><h3>Backward</h3>${backward_of(e)}</section></div>`;
  }
  if (e.kind === "node") {
    const op = R.events[e.of];
    return html`<div class="operation"><section><h3>What it is the derivative of</h3>${op ? html`<p>${to_event(op)}${
      module_of(op) ? html` in ${to_module(module_of(op))}` : ""}</p>${quoted(line_of(op))}`
      : html`<p class="soft">A call that was made before this recording
        began.</p>`}${values("Takes the gradients", e.takes)}</section><section class="derivative"><h3>Backward</h3>${
      formula_of(R.records[e.record >= 0 ? e.record : op ? op.record : -1], "derivative")}${op ?
        kept(op) : ""}${values("Gives the gradients of", gradients_of(e))}${cost(e)}${plan(e)}</section></div>`;
  }
  return html`<div class="operation one"><section>${quoted(line_of(e))}${values("Takes",
    e.takes)}${values("Gives", e.gives)}${cost(e)}${plan(e)}</section></div>`;
}

function ahead(e) {
  const record = R.records[e.record];
  return html`${quoted(line_of(e))}${record && record.summary ? html`<p>${prose(record.summary)}</p>` : ""}${
    formula_of(record, "formula")}${values("Takes", e.takes)}${values("Gives",
      e.gives)}${readers(e)}${cost(e)}${plan(e)}${
    record && record.declared ? html`<p class="soft">Declared at <code>${record.declared}</code></p>` : ""}`;
}

function backward_of(e) {
  const record = R.records[e.record];
  const nodes = e.nodes;
  const none = nodes.length || e.back ? "" : html`<p class="soft">No derivative was computed: ${
    e.gives.some((v) => v.grad) ? "no backward went through this call." :
      "nothing that went in requires a gradient, or gradients were switched off."}</p>`;
  return html`${none}${formula_of(record, "derivative")}${kept(e)}${nodes.map((n) => html`<div class="node"><p>${
    to_event(n, html`<code>${n.name}</code>`)}</p>${values("Gives the gradients of",
      gradients_of(n))}${cost(n)}${plan(n)}</div>`)}`;
}

/** The formula or the derivative of a record. */
function formula_of(record, which) {
  const text = record && record[which];
  return text ? html`<figure class="formula"><figcaption>${which === "formula" ? "Formula" :
    "Derivative"} <span class="soft">from the ${
    word("record", "record")} of ${record.name}</span></figcaption><pre tabindex="0">${text}</pre></figure>` : "";
}

/** Whose gradient each result of a derivative is: an operand's of its shape, taken once. */
function gradients_of(node) {
  const op = R.events[node.of];
  const open = op ? op.takes.filter((v) => v.grad || v.name) : [];
  return node.gives.map((g) => {
    const at = open.findIndex((v) => shape(v.type.shape) === shape(g.type.shape));
    return at < 0 ? g : { ...open.splice(at, 1)[0], type: g.type };
  });
}

function values(title, list) {
  if (!list.length) return "";
  return html`<table class="values"><caption>${title}</caption><tbody>${list.slice(0, 12).map((v) => {
    const maker = R.events[v.made_by];
    const from = v.name ? html`<a href="#numbers/${encodeURIComponent(v.name)}"><code>${v.name}</code></a>`
      : maker ? html`${to_event(shown(maker))}${module_of(maker) ? html` <span
        class="soft">${pathname(module_of(maker))}</span>` : ""}` : "";
    return html`<tr><td>${from}</td><td class="type">${v.type.dtype}</td><td
      class="type">${shape(v.type.shape)}</td></tr>`;
  })}${list.length > 12 ? html`<tr><td colspan="3" class="soft">and ${count(list.length - 12)}
    more</td></tr>` : ""}</tbody></table>`;
}

function readers(e) {
  const list = [...new Set(e.readers.map(shown))].filter(is_call).slice(0, 8);
  return list.length ? html`<p class="readers"><span class="soft">Read by</span> ${list.map((r,
    i) => html`${i ? ", " : ""}${to_event(r)}`)}</p>` : "";
}

/** What a call keeps for its derivative, and why. */
function kept(e) {
  if (!e.saved.length) return e.nodes.length ? html`<p>Keeps nothing in memory for it.</p>` : "";
  return html`<table class="values kept"><caption>Keeps ${bytes(sum(e.saved, (s) => s.bytes))} in
    memory for it</caption><tbody>${
    e.saved.map((s) => html`<tr><td><code>${s.name}</code></td><td
      class="type">${typed(s.type)}</td><td class="type">${bytes(s.bytes)}</td></tr>${
      s.why ? html`<tr class="why"><td colspan="3"><span class="soft">because of</span>
        <code>${s.why.trim()}</code></td></tr>` : ""}`)}</tbody></table>`;
}

function cost(e) {
  const step = R.steps[e.step];
  const parts = [html`<b>${time(e.duration)}</b>${step ? html`, ${percent(e.duration /
    step.duration)} of the step` : ""}`];
  if (e.flops) parts.push(html`${flops(e.flops)} at ${rate(e.flops / e.duration * 1e9)}`);
  if (e.bytes) parts.push(html`${bytes(e.bytes)} read and written`);
  if (e.made) parts.push(html`${bytes(e.made)} of new memory`);
  const l = limit(e.flops, e.bytes, e.duration);
  const verdict = l.bound ? html` ${percent(l.share)} of what this machine can do, ${l.bound === "overhead"
    ? "limited by neither arithmetic nor memory but by overhead" : `limited by ${l.bound}`}.` : "";
  return html`<p class="cost">${parts.map((p, i) => html`${i ? " · " : ""}${p}`)}.${verdict}</p>`;
}

const plan = (e) => (R.plans[e.plan] ? html`<details class="plan"><summary>Its
  ${word("kernel")}</summary><pre tabindex="0">${
  R.plans[e.plan].text}</pre></details>` : "");
