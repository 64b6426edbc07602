// The viewer's choice of theme: system, light or dark, kept in this browser only.
const KEY = "watchkeeper.theme";

function chosen() {
  try {
    return localStorage.getItem(KEY) ?? "system";
  } catch {
    return "system";
  }
}

function apply(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function show() {
  for (const select of document.querySelectorAll("[data-theme-choice]")) {
    select.value = chosen();
    select.closest("[data-needs-script]")?.removeAttribute("hidden");
  }
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches?.("[data-theme-choice]")) return;
  try {
    localStorage.setItem(KEY, target.value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  apply(target.value);
});

// Another tab chose.
window.addEventListener("storage", ({ key }) => {
  if (key !== KEY) return;
  apply(chosen());
  show();
});

show();
