/* mbsym: copied from here */

/* The stage: what is drawn of a mechanism whose bodies are where `pose` says, twelve numbers a body, rows of [R | r]. */
const scene = JSON.parse(document.getElementById("scene").textContent);
const bodies = scene.bodies, up = scene.up, [first, second] = scene.view.axes;
const colours = scene.colours;
const control = name => document.getElementById(name);
const checked = name => control(name).checked;
const canvas = control("view"), front = canvas.getContext("2d"), back = control("floor").getContext("2d");
const ground = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const painter = solids(scene, control("solid"), colours);
const matrices = [...scene.parts, ...scene.stretched].map(() => new Float64Array(12));
let pose = new Float64Array(12*bodies.length), floor = scene.floor, sphere = scene;
let azimuth, elevation, zoom, shift, moved, cam, pen = front, ink = {};

/* Places of points of bodies, label 0 being ground. */
function frame(label) { return label ? pose.subarray(12*label - 12, 12*label) : ground; }
function place(label, p) {
  const m = frame(label);
  return [0, 4, 8].map(k => m[k]*p[0] + m[k + 1]*p[1] + m[k + 2]*p[2] + m[k + 3]);
}
function product(a, b, out) {
  for (let i = 0; i < 12; i += 4) {
    for (let j = 0; j < 4; j += 1) {
      out[i + j] = a[i]*b[j] + a[i + 1]*b[4 + j] + a[i + 2]*b[8 + j] + (j === 3 ? a[i + 3] : 0);
    }
  }
}
function arrange() {
  scene.parts.forEach((part, k) => product(frame(part.body), part.at, matrices[k]));
  scene.stretched.forEach((part, k) => {
    const [a, b] = part.ends.map(([label, ...p]) => place(label, p)), d = [0, 1, 2].map(i => b[i] - a[i]);
    const length = Math.hypot(...d) || 1e-9, z = d.map(x => x/length), small = z.map(Math.abs);
    const least = small.indexOf(Math.min(...small)), side = cross([0, 1, 2].map(i => i === least ? 1 : 0), z);
    const n = Math.hypot(...side), x = side.map(s => part.width*s/n), y = cross(z, x);
    [0, 1, 2].forEach(i => { matrices[scene.parts.length + k].set([x[i], y[i], d[i], (a[i] + b[i])/2], 4*i); });
  });
}
function cross(a, b) { return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]; }
/* The height of the lowest vertex of what moves. */
function lowest() {
  let low = Infinity;
  scene.parts.forEach((part, k) => {
    if (!part.body || !painter) { return; }
    const m = matrices[k], at = painter.vertices[k], c = [0, 1, 2].map(j => up[0]*m[j] + up[1]*m[4 + j] + up[2]*m[8 + j]);
    const base = up[0]*m[3] + up[1]*m[7] + up[2]*m[11];
    for (let i = 0; i < at.length; i += 3) { low = Math.min(low, base + c[0]*at[i] + c[1]*at[i + 1] + c[2]*at[i + 2]); }
  });
  return low;
}

function aim() {
  cam = camera(scene.view, up, azimuth, elevation, sphere, [canvas.clientWidth, canvas.clientHeight]);
  cam.scale *= zoom;
  cam.shift = shift;
}
function home() {
  azimuth = scene.view.azimuth*Math.PI/180;
  elevation = scene.view.elevation*Math.PI/180;
  zoom = 1;
  shift = [0, 0];
  moved = false;
  aim();
  if (sphere === scene) { ({zoom, shift} = fitted(cam, scene.hull, scene.start)); }
  aim();
}
function project(p) { return projected(cam, p); }

function path(points, close) {
  pen.beginPath();
  points.forEach((p, k) => { const [x, y] = project(p); if (k) { pen.lineTo(x, y); } else { pen.moveTo(x, y); } });
  if (close) { pen.closePath(); }
}
function line(points, colour, thickness) {
  pen.strokeStyle = colour;
  pen.lineWidth = thickness;
  path(points, false);
  pen.stroke();
}
function disc(p, radius, fill, edge) {
  const [x, y] = project(p);
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2*Math.PI);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = 1.4;
  pen.stroke();
}
function text(words, x, y) {
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = ink.ink;
  pen.fillText(words, x, y);
}
function axes(label, length, thickness, named) {
  const o = place(label, [0, 0, 0]);
  [["x", "#d03030", [length, 0, 0]], ["y", "#2a9a2a", [0, length, 0]], ["z", "#4a6ae0", [0, 0, length]]].forEach(([name, colour, p]) => {
    const end = place(label, p), [x, y] = project(end), [ox, oy] = project(o);
    line([o, end], colour, thickness);
    if (named && Math.hypot(x - ox, y - oy) > 12) { text(name, x + 4, y - 4); }
  });
}
/* A length of 1, 2 or 5 that is at most that long. */
function nice(length) {
  const size = Math.pow(10, Math.floor(Math.log10(length))), share = length/size;
  return size*(share >= 5 ? 5 : share >= 2 ? 2 : 1);
}
function drawFloor() {
  if (floor === null) { return; }
  const step = nice(sphere.radius/2), n = 12, level = [first, second].map(e => Math.round(dot(sphere.center, e)/step)*step);
  if (Math.abs(elevation) < 0.1) {
    const [, y] = project(mix(level[0], first, level[1], second, floor, up));
    pen.globalAlpha = 0.6;
    pen.fillStyle = ink.grid;
    pen.fillRect(0, y, cam.width, cam.height);
    pen.globalAlpha = 1;
    pen.fillStyle = ink.ground;
    pen.fillRect(0, y, cam.width, 1.4);
    return;
  }
  for (let k = -n; k <= n; k += 1) {
    const a = level[0] + k*step, b = level[1] + k*step, ends = [-n*step, n*step];
    line(ends.map(t => mix(a, first, level[1] + t, second, floor, up)), ink.grid, 1);
    line(ends.map(t => mix(level[0] + t, first, b, second, floor, up)), ink.grid, 1);
  }
}
function drawScale() {
  const length = nice(150/cam.scale), across = length*cam.scale, x = 18, y = cam.height - 16;
  pen.strokeStyle = ink.ink;
  pen.lineWidth = 1.4;
  pen.beginPath();
  [[x, y - 4], [x, y], [x + across, y], [x + across, y - 4]].forEach(([a, b], k) => k ? pen.lineTo(a, b) : pen.moveTo(a, b));
  pen.stroke();
  const [unit, factor] = length < 0.01 ? ["mm", 1000] : length < 1 ? ["cm", 100] : length < 1000 ? ["m", 1] : ["km", 0.001];
  text(`${Number((length*factor).toPrecision(3))} ${unit}`, x + 6, y - 7);
}
/* Joints, lines and centres of mass in ink: where they are asked for, and where there is no graphics hardware. */
function drawLines() {
  scene.links.forEach(link => {
    pen.setLineDash(link.kind === "slide" ? [3, 4] : link.kind === "spring" ? [8, 3, 2, 3] : []);
    line([place(link.first, link.first_point), place(link.second, link.second_point)], ink.line, 1.6);
    pen.setLineDash([]);
  });
  /* Far bodies first, so that near ones cover them. */
  const order = bodies.map((body, k) => [dot(place(k + 1, body.center), cam.eye), k]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  order.forEach(([, k]) => {
    const body = bodies[k], colour = colours[k%colours.length], there = p => place(k + 1, p);
    body.lines.forEach((points, n) => {
      const moved = points.map(there);
      if (n === 0 && body.filled) {
        path(moved, true);
        pen.globalAlpha = 0.18;
        pen.fillStyle = colour;
        pen.fill();
        pen.globalAlpha = 1;
      }
      line(moved, colour, n === 0 ? 4 : 1.5);
    });
    body.joints.forEach(p => disc(there(p), 4, ink.paper, ink.node));
    disc(there(body.center), 2.6, colour, ink.paper);
  });
  scene.ground.forEach(p => {
    const [x, y] = project(p);
    pen.fillStyle = ink.node;
    pen.fillRect(x - 3, y - 3, 6, 6);
  });
}
function drawBoxes() {
  bodies.forEach((body, k) => {
    const colour = colours[k%colours.length], corners = body.box.map(p => place(k + 1, p));
    (corners.length ? scene.faces : []).forEach(face => {
      path(face.map(i => corners[i]), true);
      pen.globalAlpha = 0.09;
      pen.fillStyle = colour;
      pen.fill();
      pen.globalAlpha = 0.4;
      pen.strokeStyle = colour;
      pen.lineWidth = 1;
      pen.stroke();
      pen.globalAlpha = 1;
    });
  });
}
const shownPart = part => checked("solids") && (part.role !== "joint" || checked("joints"));

function draw() {
  const ratio = window.devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
  ["ink", "paper", "grid", "ground", "line", "node"].forEach(name => { ink[name] = style.getPropertyValue("--" + name); });
  [back, front].forEach(each => {
    each.canvas.width = Math.round(canvas.clientWidth*ratio);
    each.canvas.height = Math.round(canvas.clientHeight*ratio);
    each.setTransform(ratio, 0, 0, ratio, 0, 0);
    each.lineJoin = each.lineCap = "round";
  });
  aim();
  arrange();
  pen = back;
  drawFloor();
  pen = front;
  axes(0, 0.16*sphere.radius, 1.6, true);
  drawScale();
  if (painter) { painter.draw(cam, ratio, matrices, shownPart); }
  if (checked("boxes")) { drawBoxes(); }
  if (checked("lines")) { drawLines(); }
  bodies.forEach((body, k) => {
    if (checked("frames")) { axes(k + 1, 0.1*sphere.radius, 1.4, false); }
    if (checked("names")) { const [x, y] = project(place(k + 1, body.center)); text(body.name, x + 7, y - 7); }
  });
}

let pointed = false;
function hint(event) {
  const box = control("stage").getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  const part = painter && painter.under(cam, matrices, shownPart, x, y), label = control("hint");
  label.hidden = !part || !part.name;
  if (label.hidden) { return; }
  label.textContent = part.role === "joint" ? `joint ${part.name}` : part.name;
  label.style.left = Math.min(x + 14, cam.width - label.offsetWidth - 4) + "px";
  label.style.top = Math.max(y - 26, 4) + "px";
}
canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); control("hint").hidden = true; });
canvas.addEventListener("pointerleave", () => { control("hint").hidden = true; });
canvas.addEventListener("pointermove", event => {
  if (!event.buttons) {
    if (!pointed) { pointed = true; requestAnimationFrame(() => { pointed = false; hint(event); }); }
    return;
  }
  moved = true;
  if (event.shiftKey || event.buttons & 2) {
    shift = [shift[0] + event.movementX, shift[1] + event.movementY];
  } else {
    azimuth -= 0.008*event.movementX;
    elevation = Math.min(1.55, Math.max(-1.55, elevation + 0.008*event.movementY));
  }
  draw();
});
canvas.addEventListener("contextmenu", event => event.preventDefault());
canvas.addEventListener("wheel", event => {
  moved = true;
  zoom = Math.min(200, Math.max(0.02, zoom*Math.exp(-0.0012*event.deltaY)));
  draw();
  event.preventDefault();
}, {passive: false});
["solids", "joints", "lines", "boxes", "frames", "names"].forEach(name => control(name).addEventListener("change", draw));
control("home").addEventListener("click", () => { home(); draw(); });
window.addEventListener("resize", () => { if (!moved) { home(); } draw(); });
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
control("solids").parentElement.hidden = !painter;
control("lines").checked = !painter;
control("joints").parentElement.hidden = !painter || !scene.parts.some(part => part.role === "joint");
