// Here it begins.

unpack().then(() => {
  own_costs();
  chosen = first_step();
  frame();
  follow();
  by("app").removeAttribute("aria-busy");
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}).catch((error) => {
  by("app").innerHTML = flat(html`<p class="nothing">The page could not be drawn: ${error.message}.
    It wants a browser of 2023 or later.</p>`);
  throw error;
});
