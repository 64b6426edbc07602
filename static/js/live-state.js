// What the bar says of the updates: live, paused and why, lost, off; and as of when the figures are.
let reason = "";
let lost = 0;
let off = false;

const region = () => document.querySelector("[data-live=page]");
const polls = () => document.querySelector("[data-live=page][hx-trigger]") !== null;

function wording() {
  if (!region()) return ["off", ""];
  if (!polls() || off) return ["off", "Updates off"];
  if (reason) return ["paused", `Updates paused: ${reason}`];
  if (lost >= 400 && lost < 500) return ["lost", "Updates stopped, reload the page"];
  if (lost) return ["lost", "Connection lost, retrying"];
  return ["live", "Live"];
}

function show() {
  const [state, text] = wording();
  for (const box of document.querySelectorAll("[data-live-state]")) {
    box.dataset.liveState = state;
    box.hidden = text === "";
    if (box.textContent !== text) box.textContent = text;
  }
  document.documentElement.dataset.updates = state;
}

function asOf(instant) {
  for (const time of document.querySelectorAll("[data-as-of-time]")) {
    time.dateTime = instant;
    time.textContent = instant.slice(11, 19);
  }
}

document.addEventListener("watchkeeper:paused", ({ detail }) => {
  reason = detail.reason;
  show();
});

document.addEventListener("watchkeeper:lost", ({ detail }) => {
  lost = detail.status || 1;
  show();
});

document.addEventListener("watchkeeper:fresh", ({ detail }) => {
  if (lost) document.getElementById("trouble")?.replaceChildren();
  lost = 0;
  if (detail.asOf) asOf(detail.asOf);
  show();
});

document.addEventListener("htmx:after:swap", show);

document.addEventListener("watchkeeper:pace", ({ detail }) => {
  off = detail.seconds === Infinity;
  show();
});

show();
