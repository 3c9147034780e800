// The frame of the page: tabs, what stands after the # in the address, the choice of a step,
// printing. A part of the page is an object {id, name, about, draw(host, step), go(item, host)}.
//
// Addresses: #memory, #graph/e12 (an event), #program/L3 (a line), #numbers/fc1.weight; and with
// ?step=1 behind them, that step and not the one that is shown at first.

const PARTS = [];
let chosen = null; // the step that is shown
const drawn = new Map(); // part -> the step that it shows

/** The step that is shown at first: where something broke, or else a typical one (of the median time;
    the first does not count, as it makes machine code). */
function first_step() {
  if (R.first !== undefined) return R.first;
  const steps = R.rounds.filter(is_kept);
  const usual = steps.length > 2 ? steps.filter((s) => s.key !== "1") : steps.slice(-1);
  const times = usual.map((s) => s.duration).sort((a, b) => a - b);
  const median = times[Math.floor((times.length - 1) / 2)];
  R.first = R.broken && R.steps[R.broken.step] || usual.findLast((s) => s.duration === median) || null;
  return R.first;
}

function frame() {
  const steps = R.stepped && R.steps.filter(is_kept).length > 1 ? html`<label class="steps">Step <select id="step">${
    R.steps.filter(is_kept).map((s) => html`<option value="${s.i}" ${s === chosen ? html`selected` : ""}>${
      R.rounds.includes(s) ? `${s.key} of ${R.whole}` : s.kind}: ${time(s.duration)}</option>`)}</select></label>` : "";
  by("app").innerHTML = flat(html`
    <a class="skip" href="#" id="skip">Skip to the content</a>
    <header class="top"><div class="inner">
      <p class="brand"><span class="flame" aria-hidden="true"></span><strong>${
        R.program || "One call"}</strong></p>
      <div class="finding" role="search">${search_box()}</div>${steps}
      <div class="tabs" role="tablist" aria-label="Parts of the page">${PARTS.map((p) => html`<button
        type="button" role="tab" id="tab-${p.id}" aria-controls="${p.id}" aria-selected="false"
        tabindex="-1" title="${p.about}">${p.name}</button>`)}</div>
    </div></header>
    <main id="main" tabindex="-1">${PARTS.map((p) => html`<section role="tabpanel" id="part-${p.id}"
      aria-labelledby="tab-${p.id}" class="part" hidden></section>`)}</main>
    <footer><p>Recorded ${R.began || "at an unknown time"} on ${R.machine.name || "an unknown machine"
      }${R.machine.cores ? `, ${plural(R.machine.threads, "thread")} on ${
      plural(R.machine.cores, "core")}` : ""}, by Rushlight${R.version.includes("+") ? "" :
        ` ${R.version}`}. This file holds all that it
      shows and asks nobody for anything.${R.left_out ? ` So that it stays small, ${
      plural(R.left_out, "event")} were left out.` : ""}</p></footer>`);
  for (const p of PARTS) by(`tab-${p.id}`).setAttribute("aria-controls", `part-${p.id}`);
  const list = document.querySelector('[role="tablist"]');
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) location.hash = address(tab.id.slice(4));
  });
  list.addEventListener("keydown", tab_keys);
  by("step")?.addEventListener("change", (event) => choose(R.steps[+event.target.value], true));
  by("skip").addEventListener("click", (event) => { event.preventDefault(); by("main").focus(); });
  listen_search();
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", draw_all);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      by("search").focus();
    }
  });
}

function tab_keys(event) {
  const tabs = [...event.currentTarget.querySelectorAll('[role="tab"]')];
  const at = tabs.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const tab = tabs[(to + tabs.length) % tabs.length];
  tab.focus();
  location.hash = address(tab.id.slice(4));
}

const address = (place) => "#" + place + (chosen && chosen !== first_step() ? `?step=${chosen.key}` : "");

function choose(step, redraw) {
  chosen = step;
  const select = by("step");
  if (select && step) select.value = String(step.i);
  if (!redraw) return;
  const part = location.hash.slice(1).split(/[/?]/)[0] || "overview";
  const next = address(part);
  if (location.hash === next) follow();
  else location.hash = next;
}

function plain_text(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** Show what the address says. */
function follow() {
  const [where, query] = plain_text(location.hash.slice(1)).split("?step=");
  const [id, ...rest] = where.split("/");
  const item = rest.join("/");
  const part = PARTS.find((p) => p.id === id) || PARTS[0];
  const event = /^e\d+$/.test(item) ? R.events[+item.slice(1)] : null;
  const step = event ? R.steps[event.step] : query ? R.steps.find((s) => s.key === query) || null : null;
  if (step && is_kept(step)) choose(step);
  else if (!item) choose(first_step());
  for (const p of PARTS) {
    const on = p === part, tab = by(`tab-${p.id}`);
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    by(`part-${p.id}`).hidden = !on;
  }
  show(part);
  document.title = `${part.name} · ${R.program || "One call"} · Rushlight`;
  if (item && part.go) part.go(item, by(`part-${part.id}`));
  else window.scrollTo(0, 0);
}

function show(part) {
  if (drawn.get(part) === chosen && drawn.has(part)) return;
  drawn.set(part, chosen);
  const host = by(`part-${part.id}`);
  host.innerHTML = flat(html`<h1 class="print">${part.name}</h1>`);
  const body = document.createElement("div");
  host.append(body);
  part.draw(body, chosen);
}

function draw_all() { for (const part of PARTS) show(part); }

/** Bring something into sight, and let the eye find it. */
function point_at(element) {
  if (!element) return;
  element.scrollIntoView({ block: "center" });
  element.classList.remove("pointed");
  void element.offsetWidth; // so that the animation begins anew
  element.classList.add("pointed");
}

const nothing = (text) => html`<p class="nothing">${text}</p>`;
