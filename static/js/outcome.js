// The result of an act is told once: it leaves the address, so that a reload does not tell it again, and it can be closed.
function settle() {
  const said = document.getElementById("said");
  for (const button of said?.querySelectorAll("[data-dismiss]") ?? []) button.hidden = false;
  const clean = said?.dataset.cleanHref;
  if (clean && clean !== location.pathname + location.search) history.replaceState(history.state, "", clean);
}

document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-dismiss]")) document.getElementById("said")?.replaceChildren();
});

// The pressed button is often gone with its row; the next Tab then starts at the page, not at the rail.
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx.target?.id !== "page") return;
  settle();
  if (document.activeElement === document.body) document.getElementById("page").focus({ preventScroll: true });
});

settle();
