// Lets one fuse burn: its width, its colour at half and at the whole of the threshold, the sentence beside it.
// The state beside it stays the server's word; only the server knows what was watched.
import { duration } from "./durations.js";

const WIDTH = 84;
const LEAST = 3;

export function burn(fuse, now) {
  const threshold = Number(fuse.dataset.staleAfter);
  const age = Math.max(0, (now - Date.parse(fuse.dataset.beatAt)) / 1000);
  if (!(threshold > 0) || Number.isNaN(age)) return;
  const share = Math.min(1, age / threshold);
  const level = share >= 1 ? "over" : share > 0.5 ? "late" : "alive";
  if (fuse.dataset.burn !== level) fuse.dataset.burn = level;
  fuse.querySelector(".fuse-burn")?.setAttribute("width", Math.max(LEAST, WIDTH * share).toFixed(1));
  const said = sentence(level, age, threshold);
  const text = fuse.querySelector(".fuse-text");
  if (text && text.textContent !== said) text.textContent = said;
}

function sentence(level, age, threshold) {
  const whole = duration(Math.floor(age));
  if (level === "over") return `silent for ${whole}`;
  if (level === "late") return `${whole} ago, stale in ${duration(Math.ceil(threshold - age))}`;
  return `${whole} ago`;
}
