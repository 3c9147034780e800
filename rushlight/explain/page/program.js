// The program: the user's lines that were met, with their time and memory beside them.

PARTS.push({
  id: "program", name: "Program", about: "Your lines, with time and memory beside them",
  draw(host, step) {
    if (!step || !R.lines.length) { host.innerHTML = flat(nothing("No line of the program was met.")); return; }
    const costs = line_costs(step), top = most(costs, (c) => c.ahead + c.back), peak = most(costs, (c) => c.made);
    const files = new Map();
    for (const line of R.lines) {
      if (!files.has(line.file)) files.set(line.file, []);
      files.get(line.file).push(line);
    }
    host.innerHTML = flat(html`<p class="intro">Lines of your program that called an operation or a
      module. Time counts everything that a line called, so a line that calls the model has the time
      of the lines inside of it, too. <span class="key forward"></span> the call, <span
      class="key backward"></span> its ${word("backward", "backward")} later. Memory is what the line
      allocated in the step.</p>${
      [...files].map(([file, lines]) => file_table(file, lines, costs, step, top, peak))}`);
    host.addEventListener("click", (event) => {
      const button = event.target.closest("tr.line button");
      if (button) toggle_line(button, step);
    });
  },
  go(item) {
    point_at(by(item));
    by(item)?.querySelector("button").focus({ preventScroll: true });
  },
});

const function_name = (name) => (name === "<module>" ? "outside of functions"
  : name.replaceAll(/\.<(locals|genexpr|listcomp|setcomp|dictcomp)>/g, "").replaceAll("<lambda>",
    "lambda").replaceAll(/<(\w+)>/g, "$1"));

function file_table(file, lines, costs, step, top, peak) {
  return html`<section class="file"><h2><span title="${file}">${short(file)}</span> <span
    class="soft path">${file}</span></h2><div class="wide"><table class="program">
    <caption>Lines of ${short(file)}</caption><thead><tr><th scope="col">line</th><th scope="col"
    class="left code">text</th><th scope="col" class="grow">time</th><th scope="col">of step</th><th
    scope="col">memory</th></tr></thead>${functions(lines).map(([name, list]) => html`<tbody><tr
    class="function"><th></th><th colspan="4" scope="rowgroup" class="left">${
      name}</th></tr>${list.map((line, i) => {
      const gap = i && line.number > list[i - 1].number + 1;
      return html`${gap ? html`<tr class="gap" aria-hidden="true"><td>⋯</td><td
        colspan="4"></td></tr>` : ""}${line_row(line, costs[line.i], step, top, peak)}`;
    })}</tbody>`)}</table></div></section>`;
}

function line_row(line, c, step, top, peak) {
  const took = c.ahead + c.back;
  return html`<tr id="L${line.i}" class="line ${c.calls.length ? "" : "idle"}"><th scope="row">${
    line.number}</th><td class="left code"><button type="button" aria-expanded="false"
    title="What it called">${line.text.trimEnd()}</button></td><td class="grow">${
    took ? html`<span class="barred"><span class="bar">${fill_of(c.ahead / top, css(c.phase))}${
      fill_of(c.back / top, "backward")}</span><span>${time(took)}</span></span>` : ""}</td><td>${
    took ? percent(took / step.duration) : ""}</td><td>${
    c.made ? html`<span class="barred small">${bar(c.made / peak, "saved-for-backward")}<span>${
      bytes(c.made)}</span></span>` : ""}</td></tr>`;
}

/** Functions in the order of the file, each with its lines. */
function functions(lines) {
  const groups = new Map();
  for (const line of [...lines].sort((a, b) => a.number - b.number)) {
    const name = function_name(line.function);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(line);
  }
  return [...groups];
}

/** Time and memory of each line: of the outermost calls that it made. */
function line_costs(step) {
  const costs = R.lines.map(() => ({ ahead: 0, back: 0, made: 0, phase: "other", calls: [] }));
  const again = (e) => { // whether a call around it was made by the same line
    for (let p = e.parent; p >= 0; p = R.events[p].parent) if (R.events[p].line === e.line &&
      R.events[p].kind !== "step") return true;
    return false;
  };
  for (const e of events_of(step)) {
    if (e.line < 0 || e.kind === "step" || e.kind === "node" || e.kind === "leaf" || again(e)) continue;
    const c = costs[e.line];
    if (e.phase === "backward" && e.kind !== "backward") continue;
    c.ahead += e.duration;
    c.back += e.kind === "backward" ? 0 : e.back;
    if (c.phase === "other") c.phase = e.phase;
    c.calls.push(e);
  }
  for (const b of R.blocks) if (b.line >= 0 && b.born >= step.begin && b.born <= step.end)
    costs[b.line].made += b.bytes;
  return costs;
}

function toggle_line(button, step) {
  const row = button.closest("tr"), next = row.nextElementSibling;
  if (next?.classList.contains("called")) {
    next.remove();
    button.setAttribute("aria-expanded", "false");
    return;
  }
  const calls = line_costs(step)[+row.id.slice(1)].calls;
  button.setAttribute("aria-expanded", "true");
  const call = (e) => html`<li>${to_event(e, call_text(e))} <span class="soft">${
    e.gives.length ? shape(e.gives[0].type.shape) : ""}</span> ${time(e.duration)}${
    e.back && e.kind !== "backward" ? html` <span class="soft">and backward ${time(e.back)}</span>`
      : ""}</li>`;
  const more = calls.length > 40 ? html`<p class="soft">and ${count(calls.length - 40)} more</p>` : "";
  row.insertAdjacentHTML("afterend", flat(html`<tr class="called"><td></td><td colspan="4"
    class="left">${calls.length ? html`<ul>${calls.slice(0, 40).map(call)}</ul>${more}`
      : html`<span class="soft">Nothing in this step.</span>`}</td></tr>`));
}
