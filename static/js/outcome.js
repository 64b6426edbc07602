// The result of an act is told once: it leaves the address, so that a reload does not tell it again.
function tidyAddress() {
  const clean = document.getElementById("said")?.dataset.cleanHref;
  if (clean && clean !== location.pathname + location.search) history.replaceState(history.state, "", clean);
}

document.addEventListener("htmx:after:swap", tidyAddress);
tidyAddress();
