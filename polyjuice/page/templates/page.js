"use strict";
const cards = [...document.querySelectorAll(".card")];
const search = document.getElementById("search");
const shown = () => cards.filter((card) => !card.hidden);

for (const element of document.querySelectorAll("#theme, .search, .keys, .copy")) element.hidden = false;

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const card of cards) card.hidden = !words.every((word) => card.dataset.searched.includes(word));
  const left = shown().length;
  document.getElementById("count").value = words.length ? `${left} of ${cards.length}` : `${cards.length}`;
  document.getElementById("nothing").hidden = left > 0;
}

function move(step) {
  const open = shown();
  if (!open.length) return;
  const here = open.indexOf(document.activeElement.closest?.(".card"));
  const next = here < 0 ? (step > 0 ? 0 : open.length - 1) : Math.min(Math.max(here + step, 0), open.length - 1);
  open[next].focus({ preventScroll: true });
  open[next].scrollIntoView({ block: "start" });
}

function toggle(card) {
  const details = card.querySelector(":scope > details");
  if (details) details.open = !details.open;
}

// A large drawing is scrolled to the output that is wrong.
function reveal(details) {
  for (const wrong of details.open ? details.querySelectorAll(".node.wrong") : []) {
    const box = wrong.closest(".scroll");
    const [inner, outer] = [wrong.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollBy(Math.max(0, inner.right - outer.right + 8), Math.max(0, inner.bottom - outer.bottom + 8));
  }
}

for (const details of document.querySelectorAll(".card > details")) {
  details.addEventListener("toggle", () => reveal(details));
  reveal(details);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === search;
  const scrolls = event.target.closest?.("pre, .scroll");
  if (event.key === "Escape" && search) {
    search.value = "";
    filter();
    search.blur();
  } else if (event.key === "/" && search && !typing) {
    event.preventDefault();
    search.focus();
  } else if ((event.key === "ArrowDown" && !scrolls) || (event.key === "j" && !typing)) {
    event.preventDefault();
    move(1);
  } else if ((event.key === "ArrowUp" && !scrolls) || (event.key === "k" && !typing)) {
    event.preventDefault();
    move(-1);
  } else if (event.key === "Enter" && event.target.classList?.contains("card")) {
    toggle(event.target);
  } else if (event.key === "Enter" && typing) {
    move(1);
  }
});

if (search) {
  search.addEventListener("input", filter);
  filter();
}

for (const button of document.querySelectorAll(".copy")) {
  const text = button.parentElement.querySelector("pre, code");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "selected";
    }
  });
}

const theme = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
function paint(name) {
  document.documentElement.dataset.theme = name;
  theme.setAttribute("aria-pressed", String(name === "dark"));
}
theme.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
  paint(now === "dark" ? "light" : "dark");
  try {
    localStorage.setItem("polyjuice-theme", document.documentElement.dataset.theme);
  } catch {} // a page that is opened as a file may not store anything
});
try {
  const kept = localStorage.getItem("polyjuice-theme");
  if (kept) paint(kept);
} catch {}
