// Every second: all ages and all fuses on the page, by the server's clock.
import { duration } from "./durations.js";
import { burn } from "./fuse.js";
import { sample, serverNow } from "./server-clock.js";

// A promoter that comes by every second is not late yet.
const DUE_NOW_SECONDS = 2;

const SENTENCES = {
  ago: (age) => (age < 0 ? `in ${duration(Math.ceil(-age))}` : `${duration(Math.floor(age))} ago`),
  due: (age) => {
    if (age < 0) return `in ${duration(Math.ceil(-age))}`;
    return age < DUE_NOW_SECONDS ? "due now" : `overdue by ${duration(Math.floor(age))}`;
  },
  lasting: (age) => duration(age),
};

function tickAge(time, now) {
  const at = Date.parse(time.dateTime);
  const sentence = SENTENCES[time.dataset.age];
  if (!sentence || Number.isNaN(at)) return;
  const age = (now - at) / 1000;
  const said = sentence(age);
  if (time.textContent !== said) time.textContent = said;
  if (time.dataset.age === "due") time.classList.toggle("warn", age >= DUE_NOW_SECONDS);
}

function tick() {
  const now = serverNow();
  for (const time of document.querySelectorAll("time[data-age]")) tickAge(time, now);
  for (const fuse of document.querySelectorAll("[data-fuse]")) burn(fuse, now);
}

document.addEventListener("watchkeeper:fresh", ({ detail }) => sample(detail.asOf));

// A swap brings the server's wording of some instants ago; put it right before it is painted.
document.addEventListener("htmx:after:swap", tick);

setInterval(tick, 1000);
tick();
