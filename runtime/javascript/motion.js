/* mbsym: copied from here */

/* The motion: which frame is shown, and what has been passed through. */
const bytes = Uint8Array.from(atob(control("poses").textContent), c => c.charCodeAt(0));
const numbers = new DataView(bytes.buffer);
const poses = Float64Array.from({length: bytes.length/4}, (_, k) => numbers.getFloat32(4*k, true));
const times = scene.times, last = times.length - 1, slider = control("time"), size = 12*bodies.length;
slider.max = last;
let instant = times[0], playing = true, before = null;

/* Curves beside the motion, with a cursor at the instant and the values there. */
const cursors = scene.plots.map(({title, unit, every, curves}) => {
  const figure = document.createElement("figure"), caption = document.createElement("figcaption");
  const small = document.createElement("small"), frame = document.createElement("div"), list = document.createElement("ul");
  const all = curves.flatMap(curve => curve.values), low = Math.min(...all), high = Math.max(...all);
  const at = y => (96 - 92*(y - low)/(high - low || 1)).toFixed(2), zero = low < 0 && high > 0 ? at(0) : -1;
  const lines = curves.map(({values}, k) => {
    const points = values.map((y, i) => `${(100*i*every/(last || 1)).toFixed(2)},${at(y)}`).join(" ");
    return `<polyline points="${points}" stroke="${colours[k%colours.length]}"/>`;
  });
  frame.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none"><path class="zero" d="M0 ${zero}H100"/>
    ${lines.join("")}<line class="cursor" y1="0" y2="100"/></svg>`;
  caption.textContent = title;
  small.textContent = `${unit}, ${Number(low.toPrecision(3))} to ${Number(high.toPrecision(3))}`;
  caption.append(small);
  const rows = curves.map(({name, values}, k) => {
    const item = document.createElement("li");
    item.style.color = colours[k%colours.length];
    list.append(item);
    return {item, name, values};
  });
  frame.addEventListener("click", event => {
    const box = frame.getBoundingClientRect();
    instant = times[0] + (times[last] - times[0])*(event.clientX - box.left)/box.width;
    play(false);
  });
  figure.append(caption, frame, list);
  control("plots").append(figure);
  return now => {
    ["x1", "x2"].forEach(key => frame.querySelector(".cursor").setAttribute(key, 100*now/(last || 1)));
    rows.forEach(({item, name, values}) => {
      item.textContent = `${name} ${Number(values[Math.min(values.length - 1, Math.round(now/every))].toPrecision(3))}`;
    });
  };
});
/* Puts the bodies where they are at the instant; returns the number of the frame. */
function move() {
  const share = last > 0 ? (instant - times[0])/(times[last] - times[0]) : 0;
  const now = Math.min(last, Math.max(0, Math.round(share*last)));
  pose = poses.subarray(size*now, size*(now + 1));
  sphere = checked("follow") ? {center: scene.path[now], radius: scene.size} : scene;
  return now;
}
function show() {
  const now = move();
  slider.value = now;
  control("clock").textContent = "t = " + instant.toFixed(2) + " s";
  draw();
  if (checked("curves")) { cursors.forEach(put => put(now)); }
  if (!checked("traces")) { return; }
  bodies.forEach((body, k) => {
    if (!body.tip) { return; }
    const points = [];
    for (let f = Math.max(0, now - 240); f <= now; f += 1) {
      const at = size*f + 12*k;
      points.push([0, 4, 8].map(i => poses[at + i]*body.tip[0] + poses[at + i + 1]*body.tip[1] + poses[at + i + 2]*body.tip[2] + poses[at + i + 3]));
    }
    pen.globalAlpha = 0.5;
    line(points, colours[k%colours.length], 1.2);
    pen.globalAlpha = 1;
  });
}
function run(now) {
  if (playing) {
    if (before !== null) { instant += (now - before)/1000*Number(control("speed").value); }
    if (instant > times[last]) { instant = times[0]; }
    show();
  }
  before = now;
  requestAnimationFrame(run);
}
function play(yes) {
  playing = yes;
  control("play").textContent = playing ? "Pause" : "Play";
  show();
}
control("play").addEventListener("click", () => play(!playing));
slider.addEventListener("input", () => { instant = times[Number(slider.value)]; play(false); });
/* The stage is as wide as the plots leave it. */
function lay() {
  control("plots").hidden = !checked("curves");
  if (!moved) { home(); }
  show();
}
control("curves").addEventListener("change", lay);
control("traces").addEventListener("change", show);
control("follow").addEventListener("change", () => { move(); home(); show(); });
window.addEventListener("keydown", event => {
  if (event.target.matches("input, select, button")) { return; }
  if (event.key === " ") { play(!playing); event.preventDefault(); }
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    instant = times[Math.min(last, Math.max(0, Number(slider.value) + (event.key === "ArrowRight" ? 1 : -1)))];
    play(false);
  }
});

control("curves").parentElement.hidden = !cursors.length;
control("curves").checked = cursors.length > 0 && window.innerWidth > 900;
control("plots").hidden = !checked("curves");
control("follow").checked = scene.radius > 4*scene.size;
move();
home();
/* PAGE#2.5 shows the instant 2.5 s and stands still. */
const wanted = Number.parseFloat(location.hash.slice(1));
if (Number.isFinite(wanted)) {
  instant = Math.min(times[last], Math.max(times[0], wanted));
  play(false);
}
show();
requestAnimationFrame(run);
