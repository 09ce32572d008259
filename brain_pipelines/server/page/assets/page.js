// Keys, sliders and the player. The page works without it.
"use strict";

const items = () => [...document.querySelectorAll("[data-item]")].filter((one) => one.getClientRects().length);
const typing = (target) => target.closest("input, textarea, select, [contenteditable]");
const places = { a: "/page/", c: "/page/check", n: "/page/names", s: "/page/storylines", i: "/page/inbox" };
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

// Files put in: each is sent as it is, with its progress; then it is asked about until it is in memory or refused.
const drop = document.getElementById("drop");
if (drop) {
  const list = drop.querySelector(".uploads");
  const field = document.getElementById("files");
  const said = (tag, text, kind) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const refused = (row, state, text) => {
    row.querySelector("progress")?.remove();
    state.remove();
    row.append(said("p", text, "reason error"));
  };
  const follow = async (row, state, uri) => {
    for (let turn = 0; turn < 600; turn += 1) {
      const answer = await fetch(`${drop.dataset.address}/state?uri=${encodeURIComponent(uri)}`).catch(() => null);
      const found = answer?.ok ? await answer.json() : null;
      if (found && !found.waiting) {
        row.querySelector("progress").remove();
        state.textContent = found.state;
        state.className = `status ${found.good ? "good" : "bad"}`;
        for (const reason of found.reasons) row.append(said("p", reason, "reason"));
        if (found.link) {
          const name = row.firstChild;
          const open = said("a", name.textContent);
          open.href = found.link;
          name.replaceChildren(open);
        }
        return;
      }
      await new Promise((done) => setTimeout(done, Math.min(5000, 500 + turn * 100)));
    }
  };
  const send = (file) =>
    new Promise((done) => {
      const row = document.createElement("li");
      const state = said("span", "0 %", "status planned");
      const bar = document.createElement("progress");
      bar.max = 1;
      bar.value = 0;
      bar.setAttribute("aria-label", file.name);
      row.append(said("span", file.name), state, bar);
      list.append(row);
      const request = new XMLHttpRequest();
      request.open("POST", `${drop.dataset.address}?name=${encodeURIComponent(file.webkitRelativePath || file.name)}`);
      request.setRequestHeader("X-Form-Token", drop.dataset.token);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.responseType = "json";
      request.upload.addEventListener("progress", (event) => {
        bar.value = event.total ? event.loaded / event.total : 1;
        state.textContent = `${Math.round(bar.value * 100)} %`;
      });
      request.addEventListener("error", () => {
        refused(row, state, drop.dataset.broken);
        done();
      });
      request.addEventListener("load", () => {
        if (request.status === 202) {
          bar.removeAttribute("value");
          state.textContent = drop.dataset.waiting;
          if (request.response.unchanged) row.append(said("p", drop.dataset.same, "reason"));
          follow(row, state, request.response.uri);
        } else {
          refused(row, state, request.response?.error || drop.dataset.broken);
        }
        done();
      });
      request.send(file);
    });
  const sendAll = async (files) => {
    for (const file of files) await send(file); // one after another: the server lands them in this order
  };
  drop.hidden = false;
  field.addEventListener("change", () => {
    sendAll([...field.files]);
    field.value = "";
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop") sendAll([...event.dataTransfer.files]);
    });
  }
}
