// The one entry. Each module listens on the document, so it also serves what htmx swaps in later.
import "./theme.js";
import "./clock.js";
import "./polling.js";
import "./live-state.js";
import "./pace.js";
import "./selection.js";
import "./local-times.js";
import "./outcome.js";

document.documentElement.dataset.script = "on";
