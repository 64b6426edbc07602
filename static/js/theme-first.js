// Runs before the first paint, so that a chosen theme does not flash. A plain script, because modules run later.
(() => {
  try {
    const chosen = localStorage.getItem("watchkeeper.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be denied; the page then follows the system.
  }
})();
