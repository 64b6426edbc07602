// Adds the viewer's own time to the exact UTC that every <time> already has as its title.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

document.addEventListener("pointerover", ({ target }) => describe(target), { passive: true });
document.addEventListener("focusin", ({ target }) => describe(target));

function describe(target) {
  const time = target.closest?.("time[datetime][title]");
  const at = Date.parse(time?.dateTime ?? "");
  if (Number.isNaN(at)) return;
  const utc = `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  time.title = zone === "UTC" ? utc : `${utc}\n${local.format(at)} ${zone}`;
}
