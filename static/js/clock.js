// Every second: all ages and all fuses on the page, by the server's clock.
import { duration } from "./durations.js";
import { burn } from "./fuse.js";
import { sample, serverNow } from "./server-clock.js";

const SENTENCES = {
  ago: (age) => (age < 0 ? `in ${duration(-age)}` : `${duration(age)} ago`),
  due: (age) => (age < 0 ? `in ${duration(-age)}` : `overdue by ${duration(age)}`),
  lasting: (age) => duration(Math.abs(age)),
};

function tickAge(time, now) {
  const at = Date.parse(time.dateTime);
  const sentence = SENTENCES[time.dataset.age];
  if (!sentence || Number.isNaN(at)) return;
  const age = (now - at) / 1000;
  const said = sentence(age);
  if (time.textContent !== said) time.textContent = said;
  if (time.dataset.age === "due") time.classList.toggle("warn", age >= 0);
}

function tick() {
  const now = serverNow();
  for (const time of document.querySelectorAll("time[data-age]")) tickAge(time, now);
  for (const fuse of document.querySelectorAll("[data-fuse]")) burn(fuse, now);
}

// A swap brings the server's wording of some instants ago; put it right before it is painted.
document.addEventListener("htmx:after:swap", () => {
  for (const region of document.querySelectorAll("[data-server-now]")) {
    if (region !== document.documentElement) sample(region.dataset.serverNow);
    region.removeAttribute("data-server-now");
  }
  tick();
});

setInterval(tick, 1000);
tick();
