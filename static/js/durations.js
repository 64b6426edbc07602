// Seconds as people read them. The server's `duration` filter writes the same words.
const UNITS = [
  ["d", 86400, "h", 3600],
  ["h", 3600, "min", 60],
  ["min", 60, "s", 1],
];

export function duration(seconds) {
  if (seconds > 0 && seconds < 1) return `${Math.max(0.1, Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  const whole = Math.max(0, Math.floor(seconds));
  for (const [large, size, small, part] of UNITS) {
    if (whole < size) continue;
    const rest = Math.floor((whole % size) / part);
    return rest ? `${Math.floor(whole / size)} ${large} ${rest} ${small}` : `${Math.floor(whole / size)} ${large}`;
  }
  return `${whole} s`;
}
