// Memory: bytes over the step by whose they are, and who holds them at a moment (the peak at first).

const MOMENTS = 320; // that are drawn

PARTS.push({
  id: "memory", name: "Memory", about: "Who holds the memory, and what would free it",
  draw(host, step) {
    if (!step || !R.blocks.length) { host.innerHTML = flat(nothing("No memory was recorded.")); return; }
    const course = moments(step);
    const peak_at = course.peak_at;
    host.innerHTML = flat(html`<section><h2>Memory over the step</h2><p class="intro">At its
      ${word("peak")} the step holds <b>${bytes(course.peak)}</b>, ${
      time(peak_at - step.begin)} after its begin${during(step, peak_at)}. Click into the picture,
        or walk with ${key("←")} ${key("→")}, to see who holds memory at another moment.</p>
      ${memory_chart(step, course)}</section>
      <section class="holders"></section>
      <section class="savings"><h2>What would save memory</h2>${savings(step)}</section>`);
    const view = { step, course, host, at: course.best, how: "line" };
    listen_memory(view);
    holders(view);
  },
});

/** What ran at a moment, in words. */
function during(step, at) {
  let found = null;
  for (const e of events_of(step)) if (e.kind !== "step" && e.begin <= at && at <= e.end && e.kind
    !== "module") found = e;
  return found ? html`, in ${PHASE_NAMES[found.phase] || found.phase} (${to_event(shown(found))})` : "";
}

/** For each of the drawn moments the bytes by role, at its fullest instant. */
function moments(step) {
  const changes = [];
  for (const b of R.blocks) {
    if (b.born > step.end || b.until < step.begin) continue;
    const role = Math.max(0, ROLES.indexOf(b.role));
    changes.push([Math.max(b.born, step.begin), b.bytes, role]);
    if (b.until <= step.end) changes.push([b.until, -b.bytes, role]);
  }
  // What dies and what is born in the same instant do not stand together.
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const now = new Array(ROLES.length).fill(0), wide = step.duration / MOMENTS || 1;
  const list = [];
  let total = 0, k = 0, top = 0, best = 0;
  for (let i = 0; i < MOMENTS; i++) {
    let fullest = total, at = step.begin + i * wide, roles = [...now];
    for (; k < changes.length && changes[k][0] <= step.begin + (i + 1) * wide; k++) {
      const [when, change, role] = changes[k];
      now[role] += change;
      total += change;
      const last = k + 1 >= changes.length || changes[k + 1][0] > when;
      if (last && total > fullest) { fullest = total; at = when; roles = [...now]; }
    }
    list.push({ at, total: fullest, roles });
    if (fullest > top) { top = fullest; best = i; }
  }
  return { list, peak: top, best, peak_at: list[best].at };
}

function memory_chart(step, course) {
  const w = course.wide = drawing_width(), h = 280, left = 64, bottom = 26, head = 10, strip = 8;
  const top = course.peak * 1.06 || 1, X = (i) => left + i / MOMENTS * (w - left), Y = (v) => h -
    bottom - strip - v / top * (h - bottom - strip - head);
  const f = (v) => +v.toFixed(1);
  const lower = new Array(MOMENTS).fill(0), areas = [];
  const present = ROLES.filter((_, r) => course.list.some((m) => m.roles[r] > 0));
  for (const role of present) {
    const r = ROLES.indexOf(role);
    let up = "", down = "";
    course.list.forEach((m, i) => {
      const from = lower[i], to = from + Math.max(0, m.roles[r]);
      up += `${i ? "L" : "M"}${f(X(i))} ${f(Y(to))}H${f(X(i + 1))}`;
      down = `L${f(X(i + 1))} ${f(Y(from))}H${f(X(i))}` + down;
      lower[i] = to;
    });
    areas.push(html`<path class="role ${css(role)}" d="${up}${down}z"><title>${role}:
      ${ROLE_ABOUT[role]}</title></path>`);
  }
  const strips = outermost(step).map((e) => html`<rect class="${css(e.phase)}" x="${f(X((e.begin -
    step.begin) / step.duration * MOMENTS))}" y="${
    h - bottom - strip + 3}" width="${f(Math.max(0.4, e.duration / step.duration * (w - left)))}"
      height="${strip - 3}"><title>${e.name}: ${PHASE_NAMES[e.phase]}</title></rect>`);
  const x = f(X(course.best + 0.5));
  return html`<div class="course" tabindex="0" role="slider" aria-label="Moment of the step"
    aria-valuemin="0" aria-valuemax="${MOMENTS - 1}"
    aria-valuenow="${course.best}" aria-valuetext="the peak, ${bytes(course.peak)}"><svg viewBox="0
      0 ${w} ${h}" aria-hidden="true">
    ${ticks(top, 4).map((v) => html`<path class="grid" d="M${left} ${f(Y(v))}H${w}"></path><text
      class="tick" x="${left - 8}" y="${f(Y(v) + 4)}" text-anchor="end">${bytes(v)}</text>`)}
    ${areas}${strips}${ticks(step.duration, w / 160).map((t) => html`<text class="tick" x="${f(left
      + t / step.duration * (w - left))}" y="${h - 6}" ${
      t ? html`text-anchor="middle"` : ""}>${time(t)}</text>`)}
    <path class="peak" d="M${x} ${head - 6}V${h - bottom - strip}"></path><path class="moment"
      d="M${x} ${head - 6}V${h - bottom - strip}"></path></svg></div>
    <ul class="legend roles">${present.map((role) => { const r = ROLES.indexOf(role);
      return html`<li><span class="key ${css(role)}"></span><span class="label" title="${ROLE_ABOUT[role]}">${
      role === "saved for backward" ? word(role) : role}</span><span class="amount"
        data-role="${r}">${bytes(course.list[course.best].roles[r])}</span><span class="share
          soft">${ROLE_ABOUT[role]}</span></li>`; })}</ul>`;
}

function listen_memory(view) {
  const slider = view.host.querySelector(".course");
  const to = (i) => {
    view.at = Math.min(MOMENTS - 1, Math.max(0, i));
    const m = view.course.list[view.at], x = 64 + (view.at + 0.5) / MOMENTS * (view.course.wide - 64);
    slider.querySelector(".moment").setAttribute("d", `M${x.toFixed(1)} 4V246`);
    slider.setAttribute("aria-valuenow", String(view.at));
    slider.setAttribute("aria-valuetext", `${time(m.at - view.step.begin)}, ${bytes(m.total)}`);
    for (const cell of view.host.querySelectorAll("[data-role]")) {
      cell.textContent = bytes(m.roles[+cell.dataset.role]);
    }
    holders(view);
  };
  slider.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20 }[event.key];
    if (move) to(view.at + move);
    else if (event.key === "Home") to(0);
    else if (event.key === "End") to(MOMENTS - 1);
    else return;
    event.preventDefault();
  });
  slider.addEventListener("click", (event) => {
    const box = slider.querySelector("svg").getBoundingClientRect();
    const { wide } = view.course;
    to(Math.floor(((event.clientX - box.left) / box.width * wide - 64) / (wide - 64) * MOMENTS));
  });
  view.to = to;
}

function holders(view) {
  const { at, total } = view.course.list[view.at], at_peak = view.at === view.course.best;
  const host = view.host.querySelector(".holders");
  const blocks = R.blocks.filter((b) => b.born <= at && at < b.until).sort((a, b) => b.bytes - a.bytes);
  const focus = host.contains(document.activeElement) ? document.activeElement.className : "";
  host.innerHTML = flat(html`<div class="heading"><h2>Who holds memory ${at_peak ? "at the peak" :
    `${time(at - view.step.begin)} after the begin`}</h2>
    <p class="actions">${at_peak ? "" : html`<button type="button" class="to-peak">Back to the
      peak</button>`}<label>By <select class="holding"><option value="line">the line that made it</option><option
    value="role">what it is for</option><option value="each">size
      alone</option></select></label></p></div><div class="list"></div>`);
  const select = host.querySelector(".holding"), list = host.querySelector(".list");
  select.value = view.how;
  select.addEventListener("change", () => { view.how = select.value; holders(view); });
  host.querySelector(".to-peak")?.addEventListener("click", () => view.to(view.course.best));
  if (focus === "holding") select.focus();
  if (view.how === "each") { holder_table(list, blocks, total); return; }
  const groups = new Map();
  for (const b of blocks) {
    const k = view.how === "line" ? b.line : b.role;
    if (!groups.has(k)) groups.set(k, []);
    groups.get(k).push(b);
  }
  const order = [...groups.values()].sort((a, b) => sum(b, (x) => x.bytes) - sum(a, (x) => x.bytes));
  list.innerHTML = flat(order.slice(0, 30).map((g, i) => {
    const size = sum(g, (b) => b.bytes), line = R.lines[g[0].line];
    return html`<details class="group" ${i === 0 ? html`open` : ""}><summary><span
      class="amount">${bytes(size)}</span>${stack(g, total)}<span class="what">${
      view.how === "role" ? html`<b>${g[0].role}</b> <span class="soft">${ROLE_ABOUT[g[0].role] || ""}</span>`
      : line ? html`<span class="place">${place(line)}</span> <code>${line.text.trim()}</code>` :
        html`<span class="soft">made before the recording began, or by no line of the program</span>`
    }</span><span class="soft number">${plural(g.length, "tensor")}</span></summary><div></div></details>`;
  }));
  [...list.children].forEach((d, i) => {
    const draw = () => { if (d.open && !d.lastElementChild.childElementCount)
      holder_table(d.lastElementChild, order[i], total); };
    d.addEventListener("toggle", draw);
    draw();
  });
}

/** A bar of the roles in a group. */
function stack(blocks, total) {
  const roles = ROLES.map((role) => [role, sum(blocks, (b) => (b.role === role ? b.bytes : 0))]).filter(([, n]) => n);
  return html`<span class="bar">${roles.map(([role, n]) => fill_of(n / total, css(role)))}</span>`;
}

function made_by(b) {
  const e = R.events[b.event];
  if (!e || ["parameter", "buffer", "optimizer state"].includes(b.role) || R.numbers.some((n) =>
    b.name.endsWith(` ${n.name}`))) return "";
  return html` <span class="soft">made by ${to_event(shown(e))}${module_of(e) ?
    ` in ${pathname(module_of(e))}` : ""}</span>`;
}

/** Tensors that differ in nothing stand in one row. */
function alike(blocks) {
  const rows = new Map();
  for (const b of blocks) {
    const e = R.events[b.event], key = [b.name, b.role, b.dtype, shape(b.shape), b.line, e &&
      e.name, e && e.module].join("|");
    if (!rows.has(key)) rows.set(key, { ...b, bytes: 0, many: 0 });
    rows.get(key).bytes += b.bytes;
    rows.get(key).many += 1;
  }
  return [...rows.values()];
}

function holder_table(host, blocks, total) {
  table(host, {
    caption: "Tensors that are held", rows: alike(blocks), sorted: 3, limit: 8,
    columns: [
      { name: "name", left: true, of: (b) => b.name, show: (b) => html`${b.name ||
        (R.events[b.event]?.phase === "backward" ? "a gradient on its way back" :
          "without a name")}${b.many > 1 ? html` <b>${count(b.many)} of them</b>` : ""}${made_by(b)}` },
      { name: "what for", left: true, of: (b) => b.role, show: (b) => html`<span class="key
        ${css(b.role)}"></span> ${b.role}` },
      { name: "shape", left: true, of: (b) => b.dtype, show: (b) => html`<span
        class="dim">${b.dtype} ${b.dtype ? shape(b.shape) : ""}</span>` },
      { name: "bytes", of: (b) => b.bytes, show: (b) => bytes(b.bytes) },
      { name: "of all", of: (b) => b.bytes / total, show: (b) => percent(b.bytes / total) },
    ],
  });
}
