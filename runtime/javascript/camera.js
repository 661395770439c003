/* mbsym: copied from here */

/* Where the eye stands and what it sees: points in central perspective, six radii away. */
const DISTANCE = 6;
function dot(a, b) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }
function mix(a, x, b, y, c, z) { return [0, 1, 2].map(k => a*x[k] + b*y[k] + c*z[k]); }
function camera(view, up, azimuth, elevation, sphere, size) {
  const [first, second] = view.axes;
  const c = Math.cos(elevation), s = Math.sin(elevation), ca = Math.cos(azimuth), sa = Math.sin(azimuth);
  return {
    eye: mix(c*ca, first, c*sa, second, s, up),
    right: mix(-sa, first, ca, second, 0, up),
    above: mix(-s*ca, first, -s*sa, second, c, up),
    center: sphere.center, radius: sphere.radius, width: size[0], height: size[1],
    scale: 0.44*Math.min(size[0], size[1])/sphere.radius, shift: [0, 0],
  };
}
function projected(cam, p) {
  const d = [p[0] - cam.center[0], p[1] - cam.center[1], p[2] - cam.center[2]];
  const w = cam.scale*DISTANCE/Math.max(DISTANCE - dot(d, cam.eye)/cam.radius, 0.2);
  return [cam.width/2 + cam.shift[0] + w*dot(d, cam.right), cam.height/2 + cam.shift[1] - w*dot(d, cam.above)];
}
/* Lowest and highest of both coordinates of points on the stage. */
function bounds(cam, points) {
  const seen = points.map(p => projected(cam, p));
  return [0, 1].map(k => [Math.min(...seen.map(p => p[k])), Math.max(...seen.map(p => p[k]))]);
}
/* The camera moved and magnified until points fill the stage, but no farther than the start fills half of it. */
function fitted(cam, all, start) {
  const room = points => {
    const [x, y] = bounds(cam, points).map(([low, high]) => Math.max(high - low, 1e-6));
    return Math.min(0.84*cam.width/x, 0.78*cam.height/y);
  };
  const whole = room(all), half = room(start)/1.5, held = whole >= half ? all : start;
  const near = {...cam, scale: cam.scale*Math.max(whole, half)};
  const shift = bounds(near, held).map(([low, high], k) => [cam.width, cam.height][k]/2 - (low + high)/2);
  return {zoom: Math.max(whole, half), shift};
}
