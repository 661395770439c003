/* mbsym: copied from here */

/* Solid parts, drawn by the graphics hardware in the same perspective, between the floor and what is drawn in ink. */
function solids(scene, canvas, colours) {
  const gl = scene.parts.length ? canvas.getContext("webgl", {antialias: true, preserveDrawingBuffer: true}) : null;
  if (!gl) { return null; }
  const meshes = scene.meshes.map(unpacked);
  const program = gl.createProgram();
  [[gl.VERTEX_SHADER, `
    attribute vec3 at, normal;
    uniform mat4 pose;
    uniform mat3 turn;
    uniform vec3 center, right, above, eye;
    uniform vec4 view;
    uniform float radius;
    varying vec3 bright;
    void main() {
      vec3 d = (pose*vec4(at, 1.0)).xyz - center, n = turn*normal;
      float w = 6.0 - dot(d, eye)/radius;
      gl_Position = vec4(view.x*dot(d, right) + view.z*w, view.y*dot(d, above) + view.w*w, 1.004*w - 0.4008, w);
      bright = vec3(dot(n, right), dot(n, above), dot(n, eye));
    }`], [gl.FRAGMENT_SHADER, `
    precision mediump float;
    varying vec3 bright;
    uniform vec4 color;
    uniform float plain;
    void main() {
      vec3 n = normalize(bright);
      n *= n.z < 0.0 ? -1.0 : 1.0;
      float key = max(dot(n, vec3(-0.42, 0.66, 0.62)), 0.0), fill = max(dot(n, vec3(0.7, 0.1, 0.7)), 0.0);
      float shine = pow(max(dot(n, vec3(-0.235, 0.369, 0.899)), 0.0), 40.0);
      vec3 lit = color.rgb*(0.42 + 0.1*n.y + 0.52*key + 0.16*fill) + vec3(0.10*shine + 0.02);
      gl_FragColor = plain > 0.5 ? color : vec4(lit*color.a, color.a);
    }`]].forEach(([kind, text]) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  });
  gl.linkProgram(program);
  gl.useProgram(program);
  meshes.forEach(mesh => {
    mesh.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, mesh.data, gl.STATIC_DRAW);
  });
  const place = {};
  ["pose", "turn", "center", "right", "above", "eye", "view", "radius", "color", "plain"].forEach(name => {
    place[name] = gl.getUniformLocation(program, name);
  });
  const at = gl.getAttribLocation(program, "at"), normal = gl.getAttribLocation(program, "normal");
  const items = [...scene.parts, ...scene.stretched].map(part => ({...part, color: part.color || own(part, colours)}));
  const order = items.map((item, k) => k).sort((a, b) => (items[a].color[3] < 1) - (items[b].color[3] < 1) || a - b);

  function view(cam) {
    gl.uniform3fv(place.center, cam.center);
    gl.uniform3fv(place.right, cam.right);
    gl.uniform3fv(place.above, cam.above);
    gl.uniform3fv(place.eye, cam.eye);
    gl.uniform1f(place.radius, cam.radius);
    const w = 2*cam.scale*DISTANCE;
    gl.uniform4f(place.view, w/cam.width, w/cam.height, 2*cam.shift[0]/cam.width, -2*cam.shift[1]/cam.height);
    [at, normal].forEach(each => gl.enableVertexAttribArray(each));
  }
  function paint(item, m, color) {
    const mesh = meshes[item.mesh], size = [0, 1, 2].map(k => m[k]*m[k] + m[4 + k]*m[4 + k] + m[8 + k]*m[8 + k] || 1);
    gl.uniformMatrix4fv(place.pose, false,
      [m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, m[3], m[7], m[11], 1]);
    gl.uniformMatrix3fv(place.turn, false, [0, 1, 2].flatMap(k => [m[k]/size[k], m[4 + k]/size[k], m[8 + k]/size[k]]));
    gl.uniform4fv(place.color, color);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(normal, 3, gl.FLOAT, false, 24, 12);
    gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
  }
  function clear() {
    gl.clearColor(0, 0, 0, 0);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
  }
  let target = null;
  return {
    items,
    vertices: items.map(item => meshes[item.mesh].at),
    /* Draws the parts that are shown, each where its matrix puts it. */
    draw(cam, ratio, matrices, shown) {
      canvas.width = Math.round(cam.width*ratio);
      canvas.height = Math.round(cam.height*ratio);
      gl.viewport(0, 0, canvas.width, canvas.height);
      clear();
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.uniform1f(place.plain, 0);
      view(cam);
      order.forEach(k => {
        if (!shown(items[k])) { return; }
        gl.depthMask(items[k].color[3] === 1);
        paint(items[k], matrices[k], items[k].color);
      });
    },
    /* The part that is seen at a place of the stage: all are drawn with their numbers for colours, and one dot is read. */
    under(cam, matrices, shown, x, y) {
      if (!target) {
        target = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, target);
        const colour = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
        gl.bindRenderbuffer(gl.RENDERBUFFER, colour);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA4, 1, 1);
        gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, 1, 1);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, colour);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.viewport(-Math.round(x), -Math.round(cam.height - y), cam.width, cam.height);
      clear();
      gl.disable(gl.BLEND);
      gl.uniform1f(place.plain, 1);
      view(cam);
      items.forEach((item, k) => {
        const number = k + 1;
        if (shown(item)) { paint(item, matrices[k], [number & 15, number >> 4 & 15, number >> 8 & 15, 15].map(v => v/15)); }
      });
      const dot = new Uint8Array(4);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, dot);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      const [r, g, b] = Array.from(dot, v => Math.round(v/17));
      return r + 16*g + 256*b ? items[r + 16*g + 256*b - 1] : null;
    },
  };
}
/* A body's own colour, a little brighter than ink; centres of mass stand out. */
function own(part, colours) {
  const colour = part.body ? colours[(part.body - 1)%colours.length] : "#9ea8b3";
  const pale = part.role === "mass" ? [0.95, 0] : [1, 0.1];
  return [...[1, 3, 5].map(k => pale[1] + (pale[0] - pale[1])*parseInt(colour.slice(k, k + 2), 16)/255), 1];
}
/* Corners of the faces with their normals, those of neighbours joined where they bend by less than 40 degrees. */
function unpacked(mesh) {
  const raw = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  const steps = new DataView(raw(mesh.vertices)), places = new DataView(raw(mesh.faces));
  const n = steps.byteLength/6, m = places.byteLength/6;
  const at = new Float32Array(3*n), corner = new Uint16Array(3*m), normals = new Float32Array(3*m);
  for (let k = 0; k < 3*n; k += 1) { at[k] = mesh.low[k%3] + mesh.span[k%3]*steps.getUint16(2*k, true)/65535; }
  for (let k = 0; k < 3*m; k += 1) { corner[k] = places.getUint16(2*k, true); }
  const around = Array.from({length: n}, () => []);
  for (let f = 0; f < m; f += 1) {
    const [a, b, c] = [0, 1, 2].map(i => at.subarray(3*corner[3*f + i], 3*corner[3*f + i] + 3));
    const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]], w = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    normals.set([u[1]*w[2] - u[2]*w[1], u[2]*w[0] - u[0]*w[2], u[0]*w[1] - u[1]*w[0]], 3*f);
    [0, 1, 2].forEach(i => around[corner[3*f + i]].push(f));
  }
  const size = f => Math.hypot(normals[3*f], normals[3*f + 1], normals[3*f + 2]) || 1e-30;
  const data = new Float32Array(18*m);
  for (let k = 0; k < 3*m; k += 1) {
    const f = (k - k%3)/3, own = normals.subarray(3*f, 3*f + 3), sum = [0, 0, 0];
    around[corner[k]].forEach(g => {
      const other = normals.subarray(3*g, 3*g + 3);
      if (dot(own, other) > 0.77*size(f)*size(g)) { sum[0] += other[0]; sum[1] += other[1]; sum[2] += other[2]; }
    });
    const length = Math.hypot(...sum) || 1;
    data.set([...at.subarray(3*corner[k], 3*corner[k] + 3), sum[0]/length, sum[1]/length, sum[2]/length], 6*k);
  }
  return {count: 3*m, data, at};
}
