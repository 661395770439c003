/* mbsym: copied from here */

/* Coordinates moved one by one by hand. The functions of the mechanism close its loops, with mobilities as parameters: a
   speed whose mobility is zero is held. */
function handling(controls, mechanism) {
  const parameters = mechanism.default_parameters ? [mechanism.default_parameters] : [];
  function poses(q) {
    const found = new Float64Array(16*mechanism.NB);
    mechanism.body_poses(...parameters, q, found);
    return found;
  }
  /* Coordinates near q with closed loops, those of the held speeds as they are; null where there are none. */
  function closed(q, held) {
    if (!mechanism.project_position) { return q; }
    const found = new Float64Array(q.length), free = {...mechanism.default_parameters};
    held.forEach(k => { free[`mobility_${k}`] = 0; });
    return mechanism.project_position(free, q, found) === mechanism.OK ? Array.from(found) : null;
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
  /* Speeds that may not move while a slider does, first choice first; where a ball cannot be held as it was asked for, it
     turns as it must. */
  function choices(handle, slider, isHard) {
    const one = handle.quaternion === null ? [handle.v[handle.sliders.indexOf(slider)]] : handle.v;
    const others = controls.handles.flatMap(each => each.v.filter((k, i) => each.independent[i] && !one.includes(k)));
    const found = [[...one, ...others], one];
    return handle.quaternion !== null && isHard ? [...found, []] : found;
  }
  /* The way from q towards a target, in steps short enough to stay where the loops were assembled: how far it led and
     where, and where the last long step began. */
  function way(q, handle, slider, target) {
    const from = value(q, handle, slider), whole = target - from;
    const most = Math.min(1, (slider.unit === "rad" ? 0.05 : 0.02*controls.length)/(Math.abs(whole) || 1));
    let share = 0, step = most, before = null;
    while (share < 1 && step > most/4096) {
      const next = Math.min(1, share + step), tried = placed(q, handle, slider, next === 1 ? target : from + whole*next);
      const offered = choices(handle, slider, step < most/100);
      const found = offered.reduce((done, held) => done || closed(tried, held), null);
      if (found) {
        before = step > most/8 ? q : before;
        q = found;
        share = next;
      }
      step = found ? Math.min(most, 3*step) : step/3;
    }
    return {q, before, reached: share === 1};
  }
  /* q with one number moved as far towards the target as the loops allow; `reached` tells whether it came there. Where bars
     lie in a line there may be no way but from where they did not. */
  let last = {q: null, before: null};
  function moved(q, handle, slider, target) {
    const before = last.q === q ? last.before : null, first = way(q, handle, slider, target);
    const second = first.reached || !before ? first : way(before, handle, slider, target);
    const found = second.reached ? second : first;
    last = {q: found.q, before: found.before || before};
    return found;
  }
  return {poses, closed, moved, value, angles, quaternion};
}
