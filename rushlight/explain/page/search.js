// The field that finds modules, operations, lines, parameters and advice; `/` goes to it.

const search_box = () => html`<input id="search" type="search" role="combobox" autocomplete="off"
  spellcheck="false" placeholder="Find a module, operation or line" aria-label="Find a module, an
    operation, a line or a parameter"
  aria-expanded="false" aria-controls="found" aria-autocomplete="list"><ul id="found" role="listbox"
  aria-label="Found" hidden></ul>`;

let index = null;

function entries() {
  const out = [];
  for (const m of R.modules) {
    if (m.calls.length) out.push({ kind: "module", text: pathname(m), about: m.kind, to: () =>
      `graph/e${(m.calls.find((c) => c.step === chosen.i) || m.calls[0]).i}` });
  }
  const seen = new Map();
  for (const e of R.events) {
    if (!["op", "function", "node", "compiled"].includes(e.kind) || shown(e) !== e) continue;
    const line = line_of(e), module = R.modules[e.module];
    const key = `${e.kind} ${e.name} ${e.module} ${e.line}`;
    if (!seen.has(key)) {
      seen.set(key, { kind: e.kind === "node" ? "derivative" : "operation", text: e.name, also: only(e)?.name || "",
        about: [module && pathname(module), line && place(line)].filter(Boolean).join(" · "), events: [] });
      out.push(seen.get(key));
    }
    seen.get(key).events.push(e);
  }
  for (const entry of seen.values()) {
    entry.to = () => `graph/e${(entry.events.find((e) => e.step === chosen.i) || entry.events[0]).i}`;
  }
  for (const l of R.lines) out.push({ kind: "line", text: l.text.trim(), about: place(l), to: () =>
    `program/L${l.i}` });
  const names = new Set(R.numbers.filter((n) => n.what === "parameter" || n.what === "gradient").map((n) => n.name));
  for (const name of names) out.push({ kind: "parameter", text: name, about: "its numbers", to:
    () => `numbers/${name}` });
  for (const f of R.findings) out.push({ kind: "advice", text: f.title, about: f.gain, to: () =>
    `overview/advice-${css(f.kind)}` });
  for (const entry of out) entry.low = `${entry.text} ${entry.about} ${entry.also || ""}`.toLowerCase();
  return out;
}

/** Entries that hold every word; those that begin with the first come first. */
function find(text, at_most = 12) {
  index ||= entries();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const score = (x) => (x.low === words[0] ? 0 : x.low.startsWith(words[0]) ? 1
    : x.text.toLowerCase().includes(words[0]) ? 2 : 3);
  return index.filter((x) => words.every((w) => x.low.includes(w)))
    .map((x) => [score(x), x]).sort((a, b) => a[0] - b[0]).slice(0, at_most).map(([, x]) => x);
}

function listen_search() {
  const field = by("search"), list = by("found");
  let found = [], at = -1;
  function draw() {
    const open = document.activeElement === field && field.value.trim() !== "";
    list.hidden = !open;
    field.setAttribute("aria-expanded", String(open));
    if (!open) return;
    list.innerHTML = flat(found.length ? found.map((x, i) => html`<li role="option" id="found-${i}"
      aria-selected="${i === at}"><span class="kind">${x.kind}</span><span class="text">${x.text
      }</span><span class="about">${x.about}</span></li>`) : html`<li class="none">Nothing of that name</li>`);
    if (at >= 0) field.setAttribute("aria-activedescendant", `found-${at}`);
    else field.removeAttribute("aria-activedescendant");
    list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }
  function go(entry) {
    if (!entry) return;
    field.value = "";
    field.blur();
    draw();
    const to = address(entry.to());
    if (location.hash === to) follow();
    else location.hash = to;
  }
  field.addEventListener("input", () => { found = find(field.value); at = found.length ? 0 : -1; draw(); });
  field.addEventListener("focus", draw);
  field.addEventListener("blur", () => setTimeout(draw, 150));
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (found.length) at = (at + (event.key === "ArrowDown" ? 1 : -1) + found.length) % found.length;
      draw();
    } else if (event.key === "Enter") {
      go(found[Math.max(at, 0)]);
    } else if (event.key === "Escape") {
      field.value = "";
      found = [];
      draw();
    }
  });
  list.addEventListener("mousedown", (event) => {
    const option = event.target.closest('[role="option"]');
    if (!option) return;
    event.preventDefault();
    go(found[+option.id.slice(6)]);
  });
}
