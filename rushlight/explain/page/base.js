// Escaped HTML, numbers with units, small drawings. Everything that is drawn goes through `html`, so
// a name of the user's is text wherever it stands.

class Markup {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => ENTITIES[c]);

function flat(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(flat).join("");
  return value === null || value === undefined || value === false ? "" : escaped(value);
}

/** HTML with everything that is filled in escaped, but for what `html` made. */
function html(parts, ...values) {
  return new Markup(parts.reduce((out, part, i) => out + flat(values[i - 1]) + part));
}

/** Text in which names stand in backquotes. */
const prose = (text) => text.split("\n").map((line, i) => html`${i ? html`<br>` : ""}${
  line.split(/`+/).map((part, k) => (k % 2 ? html`<code>${part}</code>` : part))}`);

const by = (id) => document.getElementById(id);
const sum = (list, of = (x) => x) => list.reduce((total, x) => total + of(x), 0);
const most = (list, of = (x) => x) => list.reduce((best, x) => Math.max(best, of(x)), 0);
const plural = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;

// -- numbers -------------------------------------------------------------------------------------

/** Three digits that count, and no exponent for what people say without one. */
function digits(x, n = 3) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  let text;
  if (size >= 1e6 || size < 1e-4) {
    const [m, e] = x.toExponential(n - 2).split("e");
    return `${minus(m)}e${minus(String(+e))}`;
  }
  if (size >= 10 ** (n - 1)) text = String(Math.round(x));
  else text = x.toPrecision(n);
  if (text.includes("e")) text = String(+text);
  return minus(text);
}
const minus = (text) => text.replace("-", "−");
const count = (x) => minus(String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, "\u202f"));
const space = "\u202f"; // between a number and its unit: narrow, and never a line's end

function scaled(x, units, base = 1000) {
  let k = 0;
  while (k < units.length - 1 && Math.abs(x) >= base * 0.9995) { x /= base; k += 1; }
  return (k === 0 && Number.isInteger(x) ? minus(String(x)) : digits(x)) + space + units[k];
}
const time = (ns) => (ns === 0 ? "0" + space + "µs" : ns < 1000 ? digits(ns / 1000, 2) + space + "µs"
  : scaled(ns / 1000, ["µs", "ms", "s"]));
const bytes = (n) => scaled(n, ["B", "kB", "MB", "GB", "TB"]);
const flops = (n) => scaled(n, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"]);
const rate = (n) => scaled(n, ["FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s"]);
const flow = (n) => scaled(n, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]);
function percent(x) {
  if (!Number.isFinite(x)) return "";
  const p = 100 * x;
  if (p === 0) return "0" + space + "%";
  return (p >= 9.95 ? Math.round(p) : p >= 0.1 ? p.toFixed(1) : "<" + space + "0.1") + space + "%";
}
const shape = (list) => (list.length ? list.join("×") : "a number");
const typed = (type) => `${type.dtype} ${shape(type.shape)}`;

// -- small drawings ------------------------------------------------------------------------------

/** A bar of a share, with its colour's class. */
const bar = (share, colour = "plain") => html`<span class="bar">${fill_of(share, colour)}</span>`;
const fill_of = (share, colour) => (share > 0 ? html`<span class="fill ${colour}" style="width:${
  (100 * Math.min(1, share)).toFixed(2)}%"></span>` : "");

/** Bars of a histogram, with their edges in the label. */
function histogram(bins, low, high) {
  const top = most(bins);
  if (!top) return html`<span class="faint">none</span>`;
  const w = 96 / bins.length, round = (x) => Math.round(100 * x) / 100;
  const bars = bins.map((n, i) => {
    const h = n ? Math.max(1, 20 * n / top) : 0;
    return `M${round(i * w)} ${round(22 - h)}h${round(w - 0.6)}V22H${round(i * w)}z`;
  }).join("");
  const zero = low < 0 && high > 0 && Number.isFinite(high - low) ? 96 * -low / (high - low) : null;
  return html`<svg class="histogram" viewBox="0 0 96 24" width="96" height="24" role="img"
    aria-label="how its values are spread, from ${digits(low)} to ${digits(high)}"><title>from ${
    digits(low)} to ${digits(high)}</title>${zero === null ? "" : html`<path class="zero" d="M${
    round(zero)} 0V24"></path>`}<path class="bars" d="${bars}"></path><path class="ground"
    d="M0 22.5H96"></path></svg>`;
}

/** How wide a drawing is in its own units: as the window is, so that its letters stay letters. */
const drawing_width = (top = 1000) => Math.max(340, Math.min(top, by("main").clientWidth - 32));

/** Round numbers for an axis from 0 to `top`, about `n` of them. */
function ticks(top, n = 4) {
  if (!(top > 0)) return [0];
  const rough = top / n, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 2.5, 5, 10].find((m) => m * unit >= rough) || 10);
  const out = [];
  for (let x = 0; x <= top * 1.0001; x += step) out.push(x);
  return out;
}

// -- tables --------------------------------------------------------------------------------------

/**
 * A table that is sorted by a click on a column's name. A column is {name, about, of (for sorting),
 * show (HTML; the value itself otherwise), left (text, not numbers), grow}.
 */
function table(host, { columns, rows, caption, sorted, limit = 40, descending = true, row }) {
  let by_column = sorted, down = descending, all = false;
  function draw() {
    const column = columns[by_column];
    const order = column ? [...rows].sort((a, b) => compare(column.of(a), column.of(b)) * (down ? -1 : 1))
      : rows;
    const shown = all ? order : order.slice(0, limit);
    host.innerHTML = flat(html`<div class="wide"><table><caption>${caption}</caption><thead><tr>${
      columns.map((c, i) => html`<th scope="col" class="${c.left ? "left" : ""} ${c.grow ? "grow" : ""}"
        ${c.of ? html`aria-sort="${i !== by_column ? "none" : down ? "descending" : "ascending"}"` : ""}
        >${c.of ? html`<button type="button" data-column="${i}" title="${c.about || "Sort by this"}">${
          c.name}</button>` : html`<span title="${c.about || ""}">${c.name}</span>`}</th>`)
    }</tr></thead><tbody>${shown.map((r) => html`<tr ${row ? row(r) : ""}>${columns.map((c, i) => {
      const cell = c.show ? c.show(r) : c.of(r);
      return i === 0 ? html`<th scope="row" class="${c.left ? "left" : ""}">${cell}</th>`
        : html`<td class="${c.left ? "left" : ""} ${c.kind || ""}">${cell}</td>`;
    })}</tr>`)}</tbody></table></div>${shown.length < rows.length ? html`<button type="button"
      class="more quiet">Show all ${count(rows.length)}</button>` : ""}`);
    for (const button of host.querySelectorAll("[data-column]")) {
      button.addEventListener("click", () => {
        const i = +button.dataset.column;
        down = i === by_column ? !down : !columns[i].left;
        by_column = i;
        draw();
        host.querySelector(`[data-column="${i}"]`).focus();
      });
    }
    host.querySelector(".more")?.addEventListener("click", () => { all = true; draw(); });
  }
  draw();
}
function compare(a, b) {
  if (typeof a === "string" || typeof b === "string") {
    return String(a).localeCompare(String(b), "en", { numeric: true });
  }
  return (Number.isNaN(a) ? -Infinity : a) - (Number.isNaN(b) ? -Infinity : b) || 0;
}
