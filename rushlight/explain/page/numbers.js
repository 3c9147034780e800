// Numbers: what stands in parameters, gradients and activations, and what is wrong with them.

PARTS.push({
  id: "numbers", name: "Numbers", about: "What stands in parameters, gradients and activations",
  draw(host, step) {
    const here = R.numbers.filter((n) => !step || n.step === step.i || n.step < 0);
    if (!here.length && !R.broken && !R.unreached.length) {
      host.innerHTML = flat(nothing("No numbers were recorded."));
      return;
    }
    const kinds = KINDS.filter(([what]) => here.some((n) => n.what === what));
    host.innerHTML = flat(html`${alarms()}${health(here)}${depth_chart(here)}<section><div
      class="heading"><h2>What stands in each</h2><p class="actions">${
      kinds.length > 1 ? html`<label>Show <select class="what">${kinds.map(([what, name]) =>
        html`<option value="${what}">${name}</option>`)}</select></label>` : ""}</p></div>
      <p class="intro about"></p><div class="list"></div></section>`);
    const select = host.querySelector(".what");
    const view = (what) => { if (select) select.value = what; numbers_table(host, here, what); };
    select?.addEventListener("change", () => view(select.value));
    if (kinds.length) view(kinds[0][0]);
    host.view = view;
    host.here = here;
  },
  go(item, host) {
    const body = host.lastElementChild;
    const n = (body.here || []).find((x) => x.name === item && x.what === "gradient") || (body.here
      || []).find((x) => x.name === item);
    if (!n) return;
    body.view(n.what);
    const row = () => [...body.querySelectorAll("tr[data-name]")].find((r) => r.dataset.name === item);
    if (!row()) body.querySelector(".list .more")?.click();
    point_at(row());
  },
});

const KINDS = [
  ["parameter", "parameters", "What the model learns."],
  ["gradient", "gradients", "How the loss changes with each parameter, as the optimiser saw it."],
  ["activation", "activations", "What modules gave."],
  ["update", "updates", "What the optimiser added to each parameter in the step."],
];

const DEAD = 0.95;

/** What is wrong with a tensor, in a word or two. */
function trouble(n) {
  if (!n.finite) return "not finite";
  if (n.what === "gradient" && n.largest === 0) return "all zeros";
  if (n.what !== "activation" || n.elements < 2) return "";
  if (is_relu(n)) {
    if (n.zeros >= 1) return "dead";
    if (n.zeros >= DEAD) return "nearly dead";
    if (n.dead >= 0.1) return `${percent(n.dead)} of its channels dead`;
  }
  return n.spread === 0 && n.largest > 0 ? "constant" : "";
}
function is_relu(n) {
  const m = R.modules[n.module], e = R.events[n.event];
  return /relu/i.test(`${m && m.path === n.name ? m.kind : ""} ${e ? e.name : ""} ${n.name}`);
}

function health(here) {
  const out = [];
  const bad = here.filter((n) => !n.finite);
  if (bad.length) {
    out.push(html`<li class="bad"><b>${plural(bad.length, "tensor holds", "tensors hold")} NaN or
      infinity:</b> ${some(bad)}.</li>`);
  }
  const zeros = here.filter((n) => trouble(n) === "all zeros");
  if (zeros.length) out.push(html`<li class="bad"><b>${plural(zeros.length, "gradient is",
    "gradients are")} all zeros</b>, so these parameters do not learn: ${some(zeros)}.</li>`);
  const dead = here.filter((n) => ["dead", "nearly dead"].includes(trouble(n)));
  if (dead.length) out.push(html`<li class="bad"><b>${plural(dead.length, word_text("dead ReLU"),
    "dead ReLUs")}:</b> over ${percent(DEAD)} of what ${dead.length === 1 ? "it gives" :
      "they give"} is zero: ${some(dead)}. ${WORDS["dead ReLU"]}</li>`);
  const channels = here.filter((n) => / dead$/.test(trouble(n)) && trouble(n) !== "nearly dead");
  if (channels.length) out.push(html`<li class="bad"><b>Dead channels:</b> for nothing in the batch
    do they give anything but zero: ${channels.slice(0, 6).map((n, i) => html`${i ? ", " :
      ""}${percent(n.dead)} of ${number_link(n)}`)}.</li>`);
  const flow = gradient_flow(here);
  if (flow) out.push(flow);
  return out.length ? html`<section><h2>In short</h2><ul class="health">${out}</ul></section>` : "";
}
const word_text = (name) => name;
function some(list) { // those of one name once: a module may be called again and again
  const names = new Map();
  for (const n of list) names.set(number_name(n), [...(names.get(number_name(n)) || []), n]);
  const all = [...names].map(([name, same], i) => html`${i ? ", " : ""}<a
    href="#numbers/${encodeURIComponent(same[0].name)}"><code>${name}</code></a>${
    same.length > 1 ? ` (${count(same.length)} times)` : ""}`);
  return all.length > 6 ? [...all.slice(0, 6), html` and ${count(all.length - 6)} more`] : all;
}

/** Gradients of weights in the order of the model: from the first layer to the last. */
const by_depth = (here) => here.filter((n) => n.what === "gradient" && n.finite &&
  Number.isFinite(n.norm)).sort((a, b) => a.module - b.module);

const middle = (list) => { const s = [...list].sort((a, b) => a - b); return s.length ?
  s[Math.floor(s.length / 2)] : 0; };

function gradient_flow(here) {
  const list = by_depth(here).filter((n) => n.shape.length > 1 && n.norm > 0);
  if (list.length < 3) return "";
  const part = Math.max(1, Math.floor(list.length / 4));
  const first = middle(list.slice(0, part).map((n) => n.norm)), last = middle(list.slice(-part).map((n) => n.norm));
  const ratio = first / last;
  if (ratio < 1e-3) return html`<li class="bad"><b>Vanishing gradients:</b> those of the first
    layers are ${count(1 / ratio)} times smaller than those of the last ones, so the first layers hardly learn.</li>`;
  if (ratio > 1e3) return html`<li class="bad"><b>Exploding gradients:</b> those of the first layers
    are ${count(ratio)} times greater than those of the last ones.</li>`;
  return html`<li>Gradients neither vanish nor explode: those of the first layers are
    ${digits(ratio, 2)} times as large as those of the last ones.</li>`;
}

/** Gradient norms from the first layer to the last, on a logarithmic scale. */
function depth_chart(here) {
  const list = by_depth(here);
  const positive = list.filter((n) => n.norm > 0);
  if (positive.length < 2) return "";
  const w = drawing_width(), h = 220, left = 64, bottom = 30, head = 10;
  const norms = positive.map((n) => n.norm);
  const hi = Math.ceil(Math.log10(Math.max(...norms)));
  let lo = Math.floor(Math.log10(Math.min(...norms)));
  if (hi - lo < 2) lo = hi - 2;
  lo = Math.max(lo - (hi - lo > 3 ? 0 : 1), hi - 14);
  const each = Math.min(140, (w - left) / list.length), thick = Math.min(each * 0.76, 40);
  const Y = (v) => h - bottom - (Math.max(Math.log10(v), lo) - lo) / (hi - lo) * (h - bottom - head);
  const wide = each * list.length;
  const f = (v) => +v.toFixed(1);
  const lines = [];
  for (let k = lo; k <= hi; k += Math.max(1, Math.round((hi - lo) / 5))) lines.push(10 ** k);
  const label = (n, i, anchor) => html`<text class="tick" x="${f(left + (i + 0.5) * each)}" y="${h -
    10}" text-anchor="${anchor}">${number_name(n)}</text>`;
  const named = each > 90 ? list.map((n, i) => label(n, i, "middle")) : [label(list[0], 0, "start"),
    label(list.at(-1), list.length - 1, "end")];
  return html`<section><h2>How large the gradients are, from the first layer to the last</h2><p
    class="intro">Each bar is the ${word("norm")} of a parameter's gradient; each line is ten times
      the one below it or more.
    Bars that fall steeply to the left say that gradients vanish on their way back, bars that rise,
      that they explode.</p><figure class="chart"><svg viewBox="0 0 ${w} ${h}" role="img"
        aria-label="Norms of gradients by depth; the numbers stand in the table of gradients">
    ${lines.map((v) => html`<path class="grid" d="M${left} ${f(Y(v))}H${w}"></path><text
      class="tick" x="${left - 8}" y="${f(Y(v) + 4)}" text-anchor="end">${power(v)}</text>`)}
    ${list.map((n, i) => html`<a href="#numbers/${encodeURIComponent(n.name)}"
      aria-label="${n.name}"><rect class="${n.norm > 0 ? "gradient" : "missing"}" x="${f(left + (i +
        0.5) * each - thick / 2)}" y="${f(n.norm > 0 ? Y(n.norm) : head)}" width="${
    f(thick)}" height="${f(h - bottom - (n.norm > 0 ? Y(n.norm) : head))}"><title>${number_name(n)}:
      ${n.norm > 0 ? digits(n.norm) : "all zeros"}</title></rect></a>`)}
    <path class="ground" d="M${left} ${h - bottom}H${left + wide}"></path>${named}</svg></figure></section>`;
}
const power = (v) => { const k = Math.round(Math.log10(v)); return k >= -3 && k <= 4 ? digits(v, 1)
  : html`10<tspan dy="-4" font-size="0.75em">${minus(String(k))}</tspan>`; };

function number_name(n) {
  const m = R.modules[n.module];
  return [m ? prefix(m) : "", n.name].filter(Boolean).join(".") || "the whole model";
}

function number_link(n) {
  const name = number_name(n), m = R.modules[n.module];
  if (n.what === "activation" && R.events[n.event]) return to_event(R.events[n.event], name);
  return m ? to_module(m, name) : name;
}

function numbers_table(host, here, what) {
  const rows = here.filter((n) => n.what === what);
  const about = KINDS.find(([k]) => k === what);
  host.querySelector(".about").innerHTML = flat(html`${about ? about[2] : ""} Mean,
    ${word("spread")}, zeros and the picture are of a sample of at most 4,096 elements, evenly
      spread over the tensor.`);
  const others = (other) => new Map(here.filter((n) => n.what === other).map((n) => [n.name, n]));
  const parameters = what === "gradient" || what === "update" ? others("parameter") : null;
  table(host.querySelector(".list"), {
    caption: about ? about[1] : what, rows, limit: 50,
    row: (n) => html`data-name="${n.name}" class="${trouble(n) ? "bad" : ""}"`,
    columns: [
      { name: what === "activation" ? "of module" : "name", left: true, of: (n) => n.name, show:
        (n) => html`${number_link(n)}${
        trouble(n) ? html` <span class="flag">${trouble(n)}</span>` : ""}` },
      { name: "shape", left: true, of: (n) => n.elements, show: (n) => html`<span
        class="dim">${shape(n.shape)}${n.dtype === "float32" ? "" : ` ${n.dtype}`}</span>` },
      { name: "values", left: true,
        about: "From the least to the greatest of the sample; the thin line is zero",
        show: (n) => histogram(n.histogram, n.low, n.high) },
      { name: "mean", of: (n) => n.mean, show: (n) => digits(n.mean) },
      { name: "spread", about: WORDS.spread, of: (n) => n.spread, show: (n) => digits(n.spread) },
      { name: "largest", about: "The greatest magnitude", of: (n) => n.largest, show: (n) => digits(n.largest) },
      { name: "zeros", about: "Share of elements that are exactly zero", of: (n) => n.zeros, show:
        (n) => percent(n.zeros) },
      ...(what === "gradient" || what === "update" ? [{ name: "norm", about: WORDS.norm, of: (n) =>
        n.norm, show: (n) => digits(n.norm) },
        { name: "of the parameter", about: "The norm divided by that of the parameter itself", of:
          (n) => n.norm / (parameters.get(n.name)?.norm || NaN),
          show: (n) => { const p = parameters.get(n.name); return p && p.norm ? digits(n.norm /
            p.norm, 2) : ""; } }] : []),
    ],
  });
}
