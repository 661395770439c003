/* mbsym: copied from here */

/* The motion: which frame is shown, and what has been passed through. */
const bytes = Uint8Array.from(atob(control("poses").textContent), c => c.charCodeAt(0));
const numbers = new DataView(bytes.buffer);
const poses = Float64Array.from({length: bytes.length/4}, (_, k) => numbers.getFloat32(4*k, true));
const times = scene.times, last = times.length - 1, slider = control("time"), size = 12*bodies.length;
slider.max = last;
let instant = times[0], playing = true, before = null;

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
