// Keys, sliders and the player. The page works without it.
"use strict";

const items = () => [...document.querySelectorAll("[data-item]")].filter((one) => one.getClientRects().length);
const typing = (target) => target.closest("input, textarea, select, [contenteditable]");
const places = { a: "/page/", n: "/page/names", s: "/page/storylines", i: "/page/inbox" };
let waiting = false; // for the second key after g

function move(step) {
  const all = items();
  if (!all.length) return;
  const now = all.findIndex((one) => one.classList.contains("at"));
  const next = all[Math.min(all.length - 1, Math.max(0, now < 0 ? (step > 0 ? 0 : all.length - 1) : now + step))];
  all.forEach((one) => one.classList.toggle("at", one === next));
  const target = next.querySelector("a[href], summary, button") || next;
  target.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function current() {
  return document.querySelector("[data-item].at");
}

const keys = {
  "/": () => {
    const field = document.getElementById("q") || document.querySelector("main input:not([type=hidden])");
    field?.focus();
    field?.select?.();
  },
  j: () => move(1),
  k: () => move(-1),
  w: () => {
    const why = current()?.querySelector("details");
    if (why) why.open = !why.open;
  },
  "?": () => document.getElementById("keys").showModal(),
  g: () => {
    waiting = true;
    setTimeout(() => (waiting = false), 1500);
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && typing(event.target)) event.target.blur();
  if (typing(event.target) || event.isComposing) return;
  const place = waiting && places[event.key];
  waiting = false;
  if (place) {
    location.href = place;
  } else if (Object.hasOwn(keys, event.key)) {
    event.preventDefault();
    keys[event.key]();
  }
});

const button = document.getElementById("keys-button");
if (button) {
  button.hidden = false;
  button.addEventListener("click", keys["?"]);
}

// A slider and a date field that show the same day; the far right end is no limit.
const DAY = 86400000;
for (const slider of document.querySelectorAll("input.slider")) {
  const field = document.getElementById(slider.dataset.for);
  const first = Date.parse(slider.dataset.first);
  const shown = () => {
    slider.value = field.value ? Math.round((Date.parse(field.value) - first) / DAY) : slider.max;
    slider.setAttribute("aria-valuetext", field.value || "no limit");
  };
  slider.addEventListener("input", () => {
    const free = slider.value === slider.max;
    field.value = free ? "" : new Date(first + slider.value * DAY).toISOString().slice(0, 10);
    slider.setAttribute("aria-valuetext", field.value || "no limit");
  });
  field.addEventListener("input", shown);
  shown();
  slider.hidden = false;
}

// A line of a transcript plays from its second, and is marked while it is heard.
const player = document.querySelector("audio, video");
if (player) {
  const lines = [...document.querySelectorAll("[data-seconds]")];
  for (const line of lines) {
    line.addEventListener("click", (event) => {
      event.preventDefault();
      player.currentTime = Number(line.dataset.seconds);
      player.play();
    });
  }
  player.addEventListener("timeupdate", () => {
    const heard = lines.filter((line) => Number(line.dataset.seconds) <= player.currentTime + 0.05).at(-1);
    for (const line of lines) line.closest("li")?.classList.toggle("heard", line === heard && !player.paused);
  });
}
