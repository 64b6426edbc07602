// The viewer's choice of how often a page renews itself: as the server says, more rarely, or not at all. Kept in this browser.
const KEY = "watchkeeper.pace";

function chosen() {
  try {
    return localStorage.getItem(KEY) ?? "0";
  } catch {
    return "0";
  }
}

function announce(value) {
  const seconds = value === "off" ? Infinity : Number(value) || 0;
  document.dispatchEvent(new CustomEvent("watchkeeper:pace", { detail: { seconds } }));
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches?.("[data-live-pace]")) return;
  try {
    localStorage.setItem(KEY, target.value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  announce(target.value);
});

for (const select of document.querySelectorAll("[data-live-pace]")) {
  select.value = chosen();
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  select.closest("[data-needs-script]")?.removeAttribute("hidden");
  announce(select.value);
}
