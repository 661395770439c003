/* mbsym: copied from here */

/* Closed loops, as mbsym closes them: damped Newton steps on all closure rows, whose damping is the size of the gap, which
   keeps convergence quadratic where rows depend on each other (Fan and Yuan, Computing 74, 2005). Gaps are judged by what
   they are the sum of: by their size, and by the roundings of coordinates up to a hundredth of it. */
const CLOSED = 1e-9, ACCEPTED = 256*Number.EPSILON, COARSE = 0.01;
function closing(controls, functions) {
  const {nv, quaternions} = controls;
  /* Metres, or the power of a thousand of them that fits the mechanism, by speed. */
  const unit = 10**(3*Math.round(Math.log10(controls.length || 1)/3)), units = new Array(nv).fill(1);
  controls.handles.forEach(handle => handle.v.forEach((k, i) => {
    if (handle.quaternion === null ? handle.sliders[i].unit === "m" : i > 2) { units[k] = unit; }
  }));
  function within({residual, size, rounding}, part) {
    return residual.every((r, k) => {
      return Math.abs(r) <= part*size[k] + Math.min(Math.min(part, ACCEPTED)*rounding[k], COARSE*size[k]);
    });
  }
  /* Residuals and their derivatives in parts of what they are measured by. */
  function measured(at) {
    const {residual, residual_jacobian: jacobian, size} = at;
    return {
      at, residual: residual.map((r, k) => r/(size[k] || 1)),
      jacobian: jacobian.map((x, k) => x*units[k % nv]/(size[Math.floor(k/nv)] || 1))
    };
  }
  function normalised(q) {
    quaternions.forEach(k => {
      const n = Math.hypot(q[k], q[k + 1], q[k + 2], q[k + 3]) || 1;
      for (let i = k; i < k + 4; i += 1) { q[i] /= n; }
    });
    return q;
  }
  function size(values) { return values.reduce((most, x) => Math.max(most, Math.abs(x)), 0); }
  /* Solves A x = b for a symmetric positive definite A, in place. */
  function solve(a, b) {
    const n = b.length;
    for (let j = 0; j < n; j += 1) {
      for (let k = 0; k < j; k += 1) { for (let i = j; i < n; i += 1) { a[i][j] -= a[i][k]*a[j][k]; } }
      const root = Math.sqrt(Math.max(a[j][j], 1e-300));
      for (let i = j; i < n; i += 1) { a[i][j] /= root; }
    }
    for (let i = 0; i < n; i += 1) { for (let k = 0; k < i; k += 1) { b[i] -= a[i][k]*b[k]; } b[i] /= a[i][i]; }
    for (let i = n - 1; i >= 0; i -= 1) { for (let k = i + 1; k < n; k += 1) { b[i] -= a[k][i]*b[k]; } b[i] /= a[i][i]; }
    return b;
  }
  /* The step that closes the linearised gap with the least motion of the free speeds. */
  function step(residual, jacobian, free, factor) {
    const m = residual.length, most = size(jacobian) || 1;
    const damping = factor*Math.min(size(residual), 1)*0.1*most;
    const a = Array.from({length: m}, (_, i) => Array.from({length: m}, (_, j) => {
      let sum = i === j ? damping*damping + 1e-13*most*most : 0;
      if (j <= i) { free.forEach(k => { sum += jacobian[nv*i + k]*jacobian[nv*j + k]; }); }
      return sum;
    }));
    const x = solve(a, residual.slice()), v = new Array(nv).fill(0);
    free.forEach(k => { for (let i = 0; i < m; i += 1) { v[k] -= jacobian[nv*i + k]*x[i]; } });
    const longest = size(v);
    return v.map((x, k) => units[k]*(longest > 0.5 ? 0.5*x/longest : x));
  }
  /* Coordinates near q with closed loops, those of the held speeds as they are; null where there are none. */
  function closed(q, held) {
    const free = Array.from({length: nv}, (_, k) => k).filter(k => !held.includes(k));
    let {at, residual, jacobian} = measured(functions.closure_gap(q)), gap = size(residual), factor = 1;
    for (let count = 0; count < 60 && gap > 1e-15 && free.length; count += 1) {
      const moved = functions.position_rate(q, step(residual, jacobian, free, factor)).qdot.map((x, k) => x + q[k]);
      const tried = measured(functions.closure_gap(normalised(moved))), left = size(tried.residual);
      if (left < gap) {
        factor = left < 0.5*gap ? Math.max(0.2*factor, 1e-6) : factor;
        q = moved;
        ({at, residual, jacobian} = tried);
        gap = left;
      } else if (within(at, ACCEPTED) || factor > 1e9) {
        break;
      } else {
        factor *= 8;
      }
    }
    return within(at, CLOSED) ? q : null;
  }
  /* The three angles x, y, z of the turns that make a quaternion, about axes that turn with the body, and back. */
  function angles([w, x, y, z]) {
    const sine = Math.max(-1, Math.min(1, 2*(x*z + w*y)));
    if (Math.abs(sine) > 1 - 1e-12) { return [2*Math.atan2(x, w), Math.asin(sine), 0]; }
    return [Math.atan2(2*(w*x - y*z), 1 - 2*(x*x + y*y)), Math.asin(sine), Math.atan2(2*(w*z - x*y), 1 - 2*(y*y + z*z))];
  }
  function quaternion([a, b, c]) {
    const [ca, cb, cc] = [a, b, c].map(x => Math.cos(x/2)), [sa, sb, sc] = [a, b, c].map(x => Math.sin(x/2));
    return [ca*cb*cc - sa*sb*sc, sa*cb*cc + ca*sb*sc, ca*sb*cc - sa*cb*sc, ca*cb*sc + sa*sb*cc];
  }
  function value(q, handle, slider) {
    return slider.q === null ? angles(q.slice(handle.quaternion, handle.quaternion + 4))[slider.angle] : q[slider.q];
  }
  function placed(q, handle, slider, target) {
    const moved = q.slice();
    if (slider.q !== null) { moved[slider.q] = target; return moved; }
    const turned = angles(q.slice(handle.quaternion, handle.quaternion + 4));
    turned[slider.angle] = target;
    moved.splice(handle.quaternion, 4, ...quaternion(turned));
    return moved;
  }
  /* Speeds that may not move while a slider does, first choice first. */
  function choices(handle, slider) {
    const one = handle.quaternion === null ? [handle.v[handle.sliders.indexOf(slider)]] : handle.v;
    const others = controls.handles.flatMap(each => each.v.filter((k, i) => each.independent[i] && !one.includes(k)));
    const found = [[...one, ...others], one];
    return handle.quaternion === null ? found : [...found, []];
  }
  /* q with one number moved as far towards the target as the loops allow, in steps short enough to stay where it was
     assembled; `reached` tells whether it came there. */
  function moved(q, handle, slider, target) {
    const from = value(q, handle, slider), way = target - from;
    const step = slider.unit === "rad" ? 0.05 : 0.02*controls.length;
    const count = Math.max(1, Math.ceil(Math.abs(way)/step)), offered = choices(handle, slider);
    for (let k = 1; k <= count; k += 1) {
      let found = null, far = 1, near = 0;
      const at = share => from + way*(k - 1 + share)/count;
      const attempt = share => offered.reduce((done, held) => done || closed(placed(q, handle, slider, at(share)), held), null);
      found = attempt(1);
      if (found) { q = found; continue; }
      for (let half = 0; half < 12; half += 1) {
        const middle = (near + far)/2, tried = attempt(middle);
        if (tried) { found = tried; near = middle; } else { far = middle; }
      }
      return {q: found || q, reached: false};
    }
    return {q, reached: true};
  }
  return {closed, moved, value, angles, quaternion, normalised};
}
