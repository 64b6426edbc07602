// When a live region may ask again. It only ever holds back htmx's own polls; it starts none but the one after a pause.
// Not while the tab is hidden, rows are ticked, a field is in use, details are open; more rarely after slow or failed answers.
const SLOW_MS = 1000;
const MOST_SKIPPED = 15;
// A timer of the browser may come this much before its time.
const EARLY_MS = 200;
const regions = new WeakMap();
let pace = 0;

const memory = (region) => regions.get(region) ?? regions.set(region, { skip: 0, failures: 0, sentAt: 0, lastAt: -Infinity }).get(region);
const isLive = (target) => target instanceof Element && target.matches("[data-live]");
const tell = (type, detail) => document.dispatchEvent(new CustomEvent(type, { detail }));

function reasonToPause(region) {
  const active = document.activeElement;
  if (document.hidden) return "this tab is hidden";
  if (region.querySelector("input[name=job]:checked")) return "rows are selected";
  if (region.contains(active) && active.matches("select, textarea, input:not([type=checkbox])")) return "a field is in use";
  if (region.querySelector("details[data-hold][open]")) return "details are open";
  return "";
}

function review() {
  const reason = [...document.querySelectorAll("[data-live]")].map(reasonToPause).find(Boolean) ?? "";
  tell("watchkeeper:paused", { reason });
}

function answered(region, response) {
  const seen = memory(region);
  const status = response?.status ?? 0;
  const failed = status === 0 || status >= 400;
  const took = (performance.now() - seen.sentAt) / SLOW_MS;
  seen.sentAt = 0;
  seen.failures = failed ? seen.failures + 1 : 0;
  const pause = failed ? 2 ** seen.failures - 1 : took > 1 ? Math.ceil(took / 2) : 0;
  seen.skip = Math.min(MOST_SKIPPED, pause);
  if (region.dataset.live === "page") tell(failed ? "watchkeeper:lost" : "watchkeeper:fresh", { status, asOf: response?.headers?.get("X-As-Of") ?? "" });
}

document.addEventListener("htmx:before:request", (event) => {
  if (!isLive(event.target)) return;
  const seen = memory(event.target);
  const reason = reasonToPause(event.target);
  const now = performance.now();
  if (reason || pace === Infinity || seen.skip > 0 || now - seen.lastAt < pace * 1000 - EARLY_MS) {
    if (!reason && seen.skip > 0) seen.skip -= 1;
    event.preventDefault();
  } else {
    seen.sentAt = seen.lastAt = now;
  }
  review();
});

document.addEventListener("htmx:after:request", ({ target, detail }) => {
  if (isLive(target)) answered(target, detail.ctx.response);
});

document.addEventListener("htmx:error", ({ target }) => {
  if (isLive(target) && memory(target).sentAt) answered(target, null);
});

document.addEventListener("visibilitychange", () => {
  review();
  if (!document.hidden) for (const region of document.querySelectorAll("[data-live][hx-trigger]")) region.dispatchEvent(new CustomEvent("every"));
});

document.addEventListener("watchkeeper:pace", ({ detail }) => {
  pace = detail.seconds;
  review();
});

for (const type of ["change", "focusin", "focusout", "toggle", "htmx:after:swap"]) document.addEventListener(type, () => setTimeout(review), true);
