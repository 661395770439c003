/* mbsym: copied from here */
"use strict";
const texts = JSON.parse(document.getElementById("copies").textContent);
const languages = ["LaTeX", "Python", "C"];
const sections = Array.from(document.querySelectorAll("details.section"));

function copied(button, text) {
  const name = button.textContent;
  const tell = word => { button.textContent = word; setTimeout(() => { button.textContent = name; }, 900); };
  navigator.clipboard.writeText(text).then(() => tell("copied"), () => {
    /* Pages that are opened from a disk may not write to the clipboard: what is selected can be copied by hand. */
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    tell(done ? "copied" : "not allowed");
  });
}

document.querySelectorAll(".copy").forEach(place => {
  texts[Number(place.dataset.copy)].forEach((text, k) => {
    if (!text) { return; }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = languages[k];
    button.title = "Copy as " + languages[k];
    button.addEventListener("click", () => copied(button, text));
    place.append(button, " ");
  });
});
/* Without a pointer that hovers, a formula shows its buttons when it is touched. */
document.querySelectorAll(".formulas .right").forEach(formula => formula.addEventListener("click", () => {
  formula.nextElementSibling.classList.toggle("wanted");
}));
document.querySelectorAll("[data-all]").forEach(button => button.addEventListener("click", event => {
  const places = Array.from(button.closest("details").querySelectorAll(".formulas .copy"));
  const ends = [" \\\\\n", "\n", "\n"], k = Number(button.dataset.all);
  copied(button, places.map(place => texts[Number(place.dataset.copy)][k]).join(ends[k]) + "\n");
}));

const fold = document.getElementById("fold");
fold.addEventListener("click", () => {
  const open = fold.textContent === "Unfold all";
  sections.forEach(section => { section.open = open; });
  fold.textContent = open ? "Fold all" : "Unfold all";
});

const shade = document.getElementById("shade"), dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.shade || (dark.matches ? "dark" : "light")) === "dark";
const label = () => { shade.textContent = isDark() ? "Light" : "Dark"; };
shade.addEventListener("click", () => {
  document.documentElement.dataset.shade = isDark() ? "light" : "dark";
  label();
});
dark.addEventListener("change", label);
label();

/* The list of contents is open where there is room beside the text; a link opens the section that it leads to. */
const contents = document.querySelector("#contents details"), wide = matchMedia("(min-width: 75rem)");
const settle = () => { contents.open = wide.matches; };
wide.addEventListener("change", settle);
settle();
const reveal = () => {
  const wanted = document.getElementById(location.hash.slice(1));
  if (wanted instanceof HTMLDetailsElement) { wanted.open = true; }
};
window.addEventListener("hashchange", reveal);
document.querySelectorAll("#contents a").forEach(link => link.addEventListener("click", () => {
  const wanted = document.getElementById(link.hash.slice(1));
  if (wanted instanceof HTMLDetailsElement) { wanted.open = true; }
  if (!wide.matches) { contents.open = false; }
}));
reveal();

/* The film of the topology stands still at the step of its slider, which moves on while it plays. */
const step = document.getElementById("step"), play = document.getElementById("play");
if (step) {
  const picture = document.querySelector("#topology svg"), pause = Number(step.dataset.pause);
  let running = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const show = () => {
    picture.style.setProperty("--run", "paused");
    picture.style.setProperty("--begin", `${-pause * (Number(step.value) + 0.5)}s`);
    play.textContent = running ? "Pause" : "Play";
  };
  const settled = value => { running = value; show(); };
  step.addEventListener("input", () => settled(false));
  play.addEventListener("click", () => {
    if (!running && step.value === step.max) { step.value = "0"; }
    settled(!running);
  });
  setInterval(() => {
    if (!running) { return; }
    step.value = String(Number(step.value) + 1);
    settled(step.value !== step.max);
  }, 1000 * pause);
  show();
}

/* Paper has all of it. */
let folded = [];
window.addEventListener("beforeprint", () => {
  folded = sections.filter(section => !section.open);
  folded.forEach(section => { section.open = true; });
});
window.addEventListener("afterprint", () => { folded.forEach(section => { section.open = false; }); });
