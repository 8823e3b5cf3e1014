// Before the client of viser: what it would do too often, or at a cost that a machine without a graphics card cannot pay.
"use strict";
(() => {
  // It looks for the next picture 120 times a second, and draws its bar each time; a recording has half as many at most.
  const every = window.setInterval.bind(window), clear = window.clearInterval.bind(window);
  window.setInterval = (action, delay, ...values) => every(action, delay < 16 ? 1000 / 60 : delay, ...values);

  const probe = document.createElement("canvas").getContext("webgl2");
  const told = probe?.getExtension("WEBGL_debug_renderer_info");
  const renderer = told ? probe.getParameter(told.UNMASKED_RENDERER_WEBGL) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  window.boughSoftware = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
  if (!window.boughSoftware) return;

  // Without a graphics card the processor computes every pixel. While something moves, the picture has fewer of them and
  // rough edges, which would take three quarters of its time; the script of the page draws it finely when it rests.
  const context = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    const plain = { ...options, antialias: false, preserveDrawingBuffer: false };
    return context.call(this, kind, kind.startsWith("webgl") ? plain : options);
  };
  const fine = window.boughPixels = window.devicePixelRatio;
  Object.defineProperty(window, "devicePixelRatio", { get: () => Math.min(fine, 0.8) });

  // viser draws whenever the screen could show it, twice for each picture of a recording: once is enough. The next picture is
  // looked for just before it is drawn, so that none is left out and none is drawn twice.
  // Pictures are due at even times: one that comes late does not delay those after it, which a pause between two would do.
  const PERIOD = 1000 / 30, EARLY = 5;  // ms between two pictures, and how much earlier than due one may be drawn
  const frame = window.requestAnimationFrame.bind(window);
  const looking = new Map();
  let waiting = new Map(), due = new Map(), asked = false, time = 0, next = 1;
  // as the browser does: an error ends one of them, and the others still run
  const run = (action, ...values) => { try { action?.(...values); } catch (error) { window.reportError(error); } };
  const draw = (now) => {
    if (now < time - EARLY) { frame(draw); return; }
    [due, waiting, asked, time] = [waiting, new Map(), false, Math.max(time + PERIOD, now)];
    for (const look of looking.values()) run(look);
    for (const id of [...due.keys()]) run(due.get(id), now);  // nothing if another one has cancelled it
    if (looking.size) ask();
  };
  const ask = () => { if (!asked) { asked = true; frame(draw); } };
  window.requestAnimationFrame = (action) => { waiting.set(next, action); ask(); return next++; };
  window.cancelAnimationFrame = (id) => { waiting.delete(id); due.delete(id); };
  window.setInterval = (action, delay, ...values) => {
    if (!(delay < 16)) return every(action, delay, ...values);
    const id = every(() => {}, 1e9);  // a number that no other timer has
    looking.set(id, () => action(...values));
    ask();
    return id;
  };
  window.clearInterval = (id) => { looking.delete(id); clear(id); };

  // React lays out the bar of the player anew for every picture, which takes as long as all the rest of the page. While a motion
  // plays it waits a little: what moves in the scene does not pass through it. A click does not wait.
  const SPARE = 200;  // ms between two layouts
  const Channel = window.MessageChannel;
  let laid = 0;
  window.MessageChannel = class extends Channel {
    constructor() {
      super();
      const post = this.port2.postMessage.bind(this.port2);
      this.port2.postMessage = (message, ...rest) => {
        if (message !== null || !window.boughPlays) { post(message, ...rest); return; }  // the scheduler of React sends null
        const pause = Math.max(0, laid + SPARE - performance.now());
        setTimeout(() => { laid = performance.now(); post(null); }, pause);
      };
    }
  };

  // viser prepares a photograph of surroundings before it reads that a page has none, which takes the start of a motion a fifth of
  // a second: it never arrives.
  const fetched = window.fetch.bind(window);
  const photograph = (url) => typeof url === "string" && url.startsWith("data:image/jpeg;base64,") && url.length > 1e4;
  window.fetch = (from, ...rest) => photograph(from?.url ?? from) ? new Promise(() => {}) : fetched(from, ...rest);

  // Light without reflections, whose colours differ by less than what the eye sees, and lines of the grid in one colour. A text
  // that is not found is left alone: the picture is the same then, and slower.
  const lit = `void plainDirect(const in IncidentLight light, const in vec3 at, const in vec3 n, const in vec3 eye, const in vec3 coat,
    const in PhysicalMaterial m, inout ReflectedLight r) {
    r.directDiffuse += saturate(dot(n, light.direction)) * light.color * BRDF_Lambert(m.diffuseContribution);
  }
  void plainIndirect(const in vec3 light, const in vec3 at, const in vec3 n, const in vec3 eye, const in vec3 coat,
    const in PhysicalMaterial m, inout ReflectedLight r) {
    r.indirectDiffuse += light * BRDF_Lambert(m.diffuseContribution);
  }
  #define RE_Direct plainDirect`;
  const lines = `float line(vec2 r, vec2 wide, float thickness) {
    vec2 away = abs(fract(r - 0.5) - 0.5) / wide;
    return saturate(thickness - min(away.x, away.y));
  }
  void main() {
    vec2 wide = fwidth(localPosition.xz);
    float fine = line(localPosition.xz / cellSize, wide / cellSize, cellThickness);
    float coarse = line(localPosition.xz / sectionSize, wide / sectionSize, sectionThickness);
    float alpha = (fine + coarse) * mix(0.75, 1.0, coarse);
    if (alpha <= 0.0) discard;
    gl_FragColor = vec4(sqrt(cellColor), alpha);
  }`;
  const simpler = (text) => {
    if (text.includes("getGrid(cellSize")) return text.slice(0, text.lastIndexOf("void main()")) + lines;
    return text
      .replace(/#define RE_Direct\s+RE_Direct_Physical/, () => lit)
      .replace(/#define RE_IndirectDiffuse\s+RE_IndirectDiffuse_Physical/, "#define RE_IndirectDiffuse plainIndirect")
      .replace(/#define RE_IndirectSpecular\s+RE_IndirectSpecular_Physical/, "");
  };
  const source = WebGL2RenderingContext.prototype.shaderSource;
  WebGL2RenderingContext.prototype.shaderSource = function (shader, text) { source.call(this, shader, simpler(text)); };
})();
