// What time it is on the server, whatever the browser's own clock says.
// A sample arrives late by the time it travelled, never early; so a later reading replaces an earlier one.
// One that is far behind means that the server's clock was set back, and is believed too.
const SET_BACK_MS = 5000;
let offset = null;

export function sample(instant, receivedAt = performance.now()) {
  const at = Date.parse(instant ?? "");
  if (Number.isNaN(at)) return;
  const seen = at - receivedAt;
  if (offset === null || seen > offset || seen < offset - SET_BACK_MS) offset = seen;
}

export function serverNow() {
  return offset === null ? Date.now() : offset + performance.now();
}

const navigation = performance.getEntriesByType("navigation")[0];
sample(document.documentElement.dataset.serverNow, navigation?.responseStart || undefined);
