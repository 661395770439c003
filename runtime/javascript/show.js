/* mbsym: copied from here */

/* Sliders, and what became of them. */
const controls = JSON.parse(control("handles").textContent);
const solver = handling(controls, mechanism);
let q = controls.q.slice();
const rows = [];

function pose_of(q) {
  const poses = solver.poses(q);
  bodies.forEach((body, k) => { for (let i = 0; i < 12; i += 1) { pose[12*k + i] = poses[16*k + i]; } });
}
function told(slider, x) {
  if (slider.unit === "rad") { return (x*180/Math.PI).toFixed(1) + "°"; }
  return controls.length < 1 ? (x*1000).toFixed(1) + " mm" : x.toFixed(3) + " m";
}
/* Steps back where bodies would leave the stage, unless the view was turned or moved by hand. */
function keepInSight() {
  if (moved) { return; }
  aim();
  const points = bodies.flatMap((body, k) => [...body.lines.flat(), ...body.joints, body.center].map(p => place(k + 1, p)));
  const half = [cam.width/2, cam.height/2];
  const far = bounds(cam, points).map(([low, high], k) => Math.max(half[k] - low, high - half[k])/(0.92*half[k]));
  const factor = Math.max(1, ...far);
  zoom /= factor;
  shift = shift.map(x => x/factor);
}
function show(except) {
  pose_of(q);
  arrange();
  if (floor !== null) { floor = Math.min(floor, lowest()); }
  rows.forEach(({handle, slider, range, output}) => {
    const x = solver.value(q, handle, slider), slack = 1e-6*(slider.high - slider.low);
    if (range !== except) { range.value = x; }
    output.textContent = told(slider, x);
    output.classList.toggle("beyond", x < slider.low - slack || x > slider.high + slack);
  });
  keepInSight();
  draw();
}
function turn(row) {
  const found = solver.moved(q, row.handle, row.slider, Number(row.range.value));
  q = found.q;
  control("told").textContent = found.reached ? "" :
    `The loops cannot be closed beyond ${row.slider.name} = ${told(row.slider, solver.value(q, row.handle, row.slider))}: held there.`;
  show(found.reached ? row.range : null);
}
function element(name, words, kind) {
  const made = document.createElement(name);
  if (words) { made.textContent = words; }
  if (kind) { made.className = kind; }
  return made;
}
/* What is left of a coordinate's name beside that of its joint. */
function short(handle, slider) {
  const stem = "q_" + handle.joint;
  if (slider.name === stem) { return slider.unit === "rad" ? "angle" : "travel"; }
  return slider.name.startsWith(stem + "_") ? slider.name.slice(stem.length + 1) : slider.name;
}
controls.handles.forEach(handle => {
  const group = element("fieldset"), legend = element("legend", handle.joint);
  legend.append(element("small", handle.type));
  group.append(legend);
  handle.sliders.forEach((slider, k) => {
    const label = element("label"), range = element("input"), output = element("output");
    const follows = handle.quaternion === null ? !handle.independent[k] : !handle.independent.some(Boolean);
    label.append(element("span", short(handle, slider), follows ? "follows" : ""), range, output);
    label.title = `${slider.name}: ${follows ? "follows the others; may be moved too" : "independent"}`;
    Object.assign(range, {type: "range", min: slider.low, max: slider.high, step: "any"});
    const row = {handle, slider, range, output};
    range.addEventListener("input", () => turn(row));
    range.addEventListener("keydown", event => {
      const way = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
      if (!way) { return; }
      range.value = Number(range.value) + way*(slider.high - slider.low)/200;
      turn(row);
      event.preventDefault();
    });
    rows.push(row);
    group.append(label);
  });
  control("sliders").append(group);
});
control("start").addEventListener("click", () => {
  q = controls.q.slice();
  control("told").textContent = "";
  if (!moved) { home(); }
  show(null);
});
/* After the stage itself has answered. */
[[window, "resize"], [control("home"), "click"]].forEach(([where, event]) => {
  where.addEventListener(event, () => { keepInSight(); draw(); });
});
home();
/* PAGE#NAME=0.5 shows the mechanism with that coordinate moved there, in rad or m. */
decodeURIComponent(location.hash.slice(1)).split("&").forEach(part => {
  const [name, text] = part.split("="), row = rows.find(each => each.slider.name === name);
  if (row && Number.isFinite(Number.parseFloat(text))) { row.range.value = Number.parseFloat(text); turn(row); }
});
show(null);
