// Ticked rows: the bar over the table counts them, its buttons say how many, the head row's tick stands for the page.
const number = new Intl.NumberFormat("en-US");

const boxes = (formId) => [...document.querySelectorAll(`input[type=checkbox][name=job][form="${CSS.escape(formId)}"]`)];

function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

function count(bar) {
  const all = boxes(bar.dataset.pickBar);
  const picked = all.filter((box) => box.checked).length;
  bar.toggleAttribute("data-picked", picked > 0);
  const said = bar.querySelector("[data-pick-said]");
  if (said) setText(said, picked ? `${number.format(picked)} selected` : said.dataset.pickSaid);
  for (const button of bar.querySelectorAll("[data-pick-act]")) {
    setText(button, picked ? `${button.dataset.pickAct} ${number.format(picked)} selected` : `${button.dataset.pickAct} selected`);
  }
  const page = document.querySelector(`[data-pick-page="${CSS.escape(bar.dataset.pickBar)}"]`);
  if (!page) return;
  page.hidden = all.length === 0;
  page.checked = picked > 0 && picked === all.length;
  page.indeterminate = picked > 0 && picked < all.length;
}

function countAll() {
  for (const bar of document.querySelectorAll("[data-pick-bar]")) count(bar);
}

function untickAll() {
  for (const box of document.querySelectorAll("input[name=job]:checked")) box.checked = false;
}

let last = null;

// A press with shift ticks the whole run of rows since the last press.
document.addEventListener("click", (event) => {
  const box = event.target;
  if (!box.matches?.("input[type=checkbox][name=job]")) return;
  const all = boxes(box.getAttribute("form"));
  const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
  if (event.shiftKey && from >= 0) for (const one of all.slice(from, to + 1)) one.checked = box.checked;
  last = box;
  countAll();
});

document.addEventListener("change", ({ target }) => {
  const page = target.matches?.("[data-pick-page]");
  if (page) for (const box of boxes(target.dataset.pickPage)) box.checked = target.checked;
  if (page || target.name === "job") countAll();
});

// After an act of one's own the page is new, and nothing on it was ticked by anybody. A refusal keeps the ticks.
document.addEventListener("htmx:before:swap", ({ detail }) => {
  if (detail.ctx.target?.id === "page" && detail.ctx.response?.status < 400) untickAll();
});
document.addEventListener("htmx:after:swap", countAll);
window.addEventListener("pageshow", countAll);
countAll();
