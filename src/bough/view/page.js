// The frame of an exported page: motions to choose from, cameras that see everything in a window of any shape,
// a frame to follow, plots under the picture that move with it, and keys.
"use strict";
const boughPage = (page) => {
  const make = (tag, parent, text = "") => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const button = (parent, text, hint, action) => {
    const element = make("button", parent, text);
    element.type = "button";
    element.title = hint;
    element.addEventListener("click", () => { action(); element.blur(); });  // so that the space bar still plays
    return element;
  };
  const tools = document.getElementById("bough-tools");

  // --- motions: another one is chosen by the address, which the script of the head reads ---
  const motions = Object.keys(window.boughSettings), choice = document.getElementById("bough-motions");
  if (motions.length > 1)
    for (const name of motions) {
      const chosen = button(choice, name, `show "${name}"`, () => {
        window.location.hash = encodeURIComponent(name);
        window.location.reload();
      });
      chosen.setAttribute("aria-pressed", name === window.boughMotion);
    }

  // --- time and speed: those of the bar under the picture, whose parts take new values as React gave them to it ---
  const bar = () => document.querySelector("#root [role=slider]");
  const part = (element, fits) => {
    const key = Object.keys(element ?? {}).find((each) => each.startsWith("__reactFiber$"));
    for (let fiber = key && element[key]; fiber; fiber = fiber.return)
      if (fiber.memoizedProps?.onChange && fits(fiber.memoizedProps)) return fiber.memoizedProps;
    return null;
  };
  // To repeat a motion viser takes back all it was told, its lights too: it would prepare those it has by itself and, at once,
  // these again, which takes a machine without a graphics card most of a second.
  const keepLights = () => {
    const key = Object.keys(bar() ?? {}).find((each) => each.startsWith("__reactFiber$"));
    for (let fiber = key && bar()[key]; fiber; fiber = fiber.return) {
      const lights = fiber.memoizedProps?.value?.useEnvironment;
      if (!lights?.set) continue;
      const set = lights.set;
      lights.set = (wanted, ...rest) => { if (wanted?.environmentMap !== null) set(wanted, ...rest); };
      return;
    }
  };
  // The clock of the player is a reference among the hooks of the component that has the bar.
  let clock = null;
  const findClock = () => {
    const key = Object.keys(bar() ?? {}).find((each) => each.startsWith("__reactFiber$"));
    for (let fiber = key && bar()[key]; fiber; fiber = fiber.return)
      for (let hook = typeof fiber.type === "function" && fiber.memoizedState; hook?.next !== undefined; hook = hook.next)
        if (Number.isFinite(hook.memoizedState?.current?.currentTime)) { clock = hook.memoizedState; return; }
  };
  const now = () => clock?.current.currentTime ?? Number(bar()?.getAttribute("aria-valuenow") ?? 0);
  const seek = (time) => {
    const slider = part(bar(), (props) => typeof props.value === "number" && props.max > 0);
    slider?.onChange(Math.min(Math.max(time, 0), slider.max));
  };
  const faster = (places) => {
    for (const field of document.querySelectorAll("#root input")) {
      const select = part(field, (props) => Array.isArray(props.data) && props.data.includes("1x"));
      const wanted = select?.data[select.data.indexOf(select.value) + places];
      if (wanted) select.onChange(wanted);
      if (select) return;
    }
  };

  // --- cameras, in the axes of the model: each with the distances at which it sees everything, by width over height ---
  const controls = () => window.__viserMutable?.cameraControl;
  const node = (name) => window.__viserMutable?.nodeRefFromName?.[name];
  let side = page.camera, placed = page.distance, tries = 600, shift = null;
  const needed = ({ aspects, distances }, aspect) => {
    const k = Math.max(1, aspects.findIndex((each) => each >= aspect)), last = aspects.length - 1;
    if (aspect >= aspects[last]) return distances[last];
    if (aspect <= aspects[0]) return (distances[0] * aspects[0]) / aspect;
    const part = (aspect - aspects[k - 1]) / (aspects[k] - aspects[k - 1]);
    return distances[k - 1] + part * (distances[k] - distances[k - 1]);  // convex in between: never too near
  };
  const place = () => {
    const canvas = document.querySelector("canvas"), { to, towards } = page.cameras[side];
    // everything is to be seen below the buttons, which lie above the scene
    const above = Math.min(tools.getBoundingClientRect().bottom / canvas.clientHeight, 0.3), below = 1 - above;
    placed = needed(page.cameras[side], canvas.clientWidth / (below * canvas.clientHeight)) / below;
    const { camera } = controls(), root = node(""), Vector = camera.position.constructor;
    root.updateWorldMatrix(true, false);
    const world = (point) => new Vector(...point).applyMatrix4(root.matrixWorld).add(shift ?? new Vector());
    const target = world(to), at = world(to.map((value, i) => value + placed * towards[i]));
    const ahead = target.clone().sub(at).normalize();
    const up = camera.up.clone().addScaledVector(ahead, -camera.up.dot(ahead)).normalize();
    for (const point of [target, at]) point.addScaledVector(up, above * placed * Math.tan((camera.fov * Math.PI) / 360));
    controls().setLookAt(at.x, at.y, at.z, target.x, target.y, target.z, false);
    sides.forEach(({ name, element }) => element.setAttribute("aria-pressed", name === side));
  };
  const untouched = () => Math.abs(controls().distance - placed) < 1e-3 * placed;
  const look = (name) => { side = name; place(); };
  const sides = Object.keys(page.cameras).map((name, i) =>
    ({ name, element: button(tools, name, `from this side (${i + 1})`, () => look(name)) }));
  const fit = () => place();

  // --- a frame to follow: the camera moves as its node does; a frame that was followed when the page was made stands still ---
  const select = make("select", tools);
  select.setAttribute("aria-label", "follow");
  for (const name of ["", ...Object.keys(page.frames)]) {
    const option = make("option", select, name ? `follow ${name}` : "follow nothing");
    option.value = name;
  }
  select.value = page.follow ?? "";
  select.addEventListener("change", () => { before = null; select.blur(); });
  let before = null;
  const followed = () => {
    if (select.value === (page.follow ?? "")) return null;
    return node(select.value ? page.frames[select.value] : "/scene");
  };
  const follow = () => {
    const body = followed();
    if (!body || !controls()) { before = null; return; }
    body.updateWorldMatrix(true, false);
    const at = controls().getPosition().setFromMatrixPosition(body.matrixWorld);
    if (before && !at.equals(before)) {
      const step = at.clone().sub(before), eye = controls().getPosition().add(step), to = controls().getTarget().add(step);
      controls().setLookAt(eye.x, eye.y, eye.z, to.x, to.y, to.z, false);
      shift = (shift ?? at.clone().set(0, 0, 0)).add(step);
    }
    before = at;
  };

  // --- the plots ---
  const numbers = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const short = (value) => {
    if (!Number.isFinite(value)) return "";
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  };
  const ticks = (low, high, count) => {
    const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough, out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push(k * step);
    return out;
  };
  const LEFT = 52, BELOW = 18, ABOVE = 6, RIGHT = 8;
  const plot = (data) => {
    const figure = make("figure", document.getElementById("bough-plots"));
    const caption = make("figcaption", figure), frame = make("div", figure), canvas = make("canvas", frame), line = make("i", frame);
    make("b", caption, data.title);
    make("span", caption, data.log ? `log10 of ${data.label}` : data.label);
    const t = numbers(data.t), marks = numbers(data.marks), lines = data.lines.map((line) => ({ ...line, values: numbers(line.values) }));
    for (const line of lines)
      if (line.name && line.color !== "#cfd6dc") make("span", caption, line.name).style.color = line.color;
    if (data.others) make("span", caption, data.others).style.color = "#8a949d";
    const all = lines.flatMap((line) => [...line.values]).filter(Number.isFinite);
    let low = Math.min(...all), high = Math.max(...all);
    if (!all.length) [low, high] = [0, 1];
    const margin = 0.06 * (high - low) || 0.06 * Math.abs(high) || 1;
    [low, high] = data.span ?? [low - margin, high + margin];  // of lines that stand still, so that they look it
    const first = t[0], last = t[t.length - 1] > first ? t[t.length - 1] : first + 1;
    const fine = () => window.boughPixels ?? window.devicePixelRatio ?? 1;
    let width = 0, height = 0;  // asking the page for them takes a layout
    const x = (time) => LEFT + ((time - first) / (last - first)) * (width - LEFT - RIGHT);
    const y = (value) => ABOVE + ((high - value) / (high - low)) * (height - ABOVE - BELOW);
    const draw = () => {
      [width, height] = [canvas.clientWidth, canvas.clientHeight];
      canvas.width = Math.round(width * fine());
      canvas.height = Math.round(height * fine());
      const pen = canvas.getContext("2d");
      pen.scale(fine(), fine());
      pen.font = "11px system-ui, sans-serif";
      pen.lineWidth = 1;
      const rule = (x1, y1, x2, y2) => { pen.beginPath(); pen.moveTo(x1, y1); pen.lineTo(x2, y2); pen.stroke(); };
      for (const value of ticks(low, high, Math.max(2, height / 40))) {
        pen.strokeStyle = "#e8ecef";
        rule(LEFT, y(value), width - RIGHT, y(value));
        pen.fillStyle = "#6a7680";
        pen.textAlign = "right";
        pen.textBaseline = "middle";
        pen.fillText(short(value), LEFT - 5, y(value));
      }
      for (const time of ticks(first, last, Math.max(2, width / 90))) {
        pen.textAlign = "center";
        pen.textBaseline = "top";
        pen.fillText(`${short(time)} s`, Math.min(x(time), width - 14), height - BELOW + 4);
      }
      for (const line of lines) {
        pen.strokeStyle = line.color;
        pen.lineWidth = 1.4;
        pen.beginPath();
        let down = false;
        line.values.forEach((value, i) => {
          if (!Number.isFinite(value)) { down = false; return; }
          if (down) pen.lineTo(x(t[i]), y(value)); else pen.moveTo(x(t[i]), y(value));
          down = true;
        });
        pen.stroke();
      }
      pen.strokeStyle = "#4a555e";
      pen.lineWidth = 1;
      for (const time of marks) rule(x(time), height - BELOW - 4, x(time), height - BELOW + 3);
      delete canvas.dataset.time;  // the line is to be moved too
    };
    new ResizeObserver(draw).observe(canvas);
    const show = (time) => {  // the line alone moves: the plot under it is drawn once for each size of the window
      if (canvas.dataset.time === String(time)) return;
      line.style.transform = `translateX(${x(time)}px)`;
      canvas.dataset.time = time;
    };
    const scrub = (event) => {
      if (!event.buttons) return;
      const at = event.clientX - canvas.getBoundingClientRect().left;
      seek(((at - LEFT) / (canvas.clientWidth - LEFT - RIGHT)) * (last - first));
    };
    canvas.addEventListener("pointerdown", scrub);
    canvas.addEventListener("pointermove", scrub);
    return show;
  };
  const plots = page.plots.map(plot);

  // --- keys ---
  const KEYS = [["space", "play or pause"], [", .", "one picture back or on"], ["< >", "slower or faster"], ["home", "to the start"],
                ["f", "fit: see everything"], ["1 2 3 …", "cameras"], ["?", "this list"]];
  const help = make("div", document.body);
  help.id = "bough-keys";
  help.hidden = true;
  for (const [key, what] of KEYS) {
    const row = make("div", help);
    make("kbd", row, key);
    row.append(what);
  }
  const actions = {
    ",": () => seek(now() - page.step), ".": () => seek(now() + page.step + 1e-6), "<": () => faster(-1), ">": () => faster(1),
    Home: () => seek(0), f: fit, F: fit, "?": () => { help.hidden = !help.hidden; },
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (/^[1-9]$/.test(event.key) && sides[event.key - 1]) look(sides[event.key - 1].name);
    else actions[event.key]?.();
  });

  // --- the scale of the colours of forces ---
  if (page.largest > 0) {
    const scale = make("div", document.body, "pull 0");
    scale.id = "bough-scale";
    make("i", scale);
    scale.append(`${short(page.largest)} N`);
  }

  // --- without a graphics card: few pixels while something moves, fewer if it is slow, and smooth edges at rest ---
  const REST = 300, SLOW = 27, LEAST = 0.55;  // ms without a change; pictures a second; least pixels for one of the screen
  const OPENING = 2000;  // ms in which a page is slow, as its shaders are compiled
  let pixels = 0.8, changed = 0, shown = null, opened = null, since = 0, count = 0, set = null;
  const resolution = (stamp) => {
    const state = `${now()} ${controls().camera.matrixWorld.elements}`, settings = window.__viserTestpoints?.devSettings;
    if (state !== shown) [shown, changed] = [state, stamp];
    const rests = stamp - changed > REST;
    window.boughPlays = !rests;
    opened ??= stamp;
    if (rests || stamp - opened < OPENING) [since, count] = [stamp, 0];
    else if (++count && stamp - since > 2000) {
      if ((count / (stamp - since)) * 1000 < SLOW) pixels = Math.max(LEAST, 0.85 * pixels);
      [since, count] = [stamp, 0];
    }
    const wanted = rests ? 2 * window.boughPixels : pixels;
    if (settings && wanted !== set) settings.set({ fixedDpr: set = wanted });  // every call asks React to look again
  };

  const tick = (stamp) => {
    follow();
    if (plots.length) {
      const time = page.begin + now();
      plots.forEach((show) => show(time));
    }
    if (window.boughSoftware) resolution(stamp);
    requestAnimationFrame(tick);
  };
  const begin = () => {
    if (!controls() || !node("") || !untouched()) {  // the scene is not there yet
      if (tries-- > 0) setTimeout(begin, 50);
      return;
    }
    findClock();
    keepLights();
    const { scene, backgroundMaterial } = window.__viserMutable;  // a picture behind the scene, which is empty and costs as much
    scene.traverse((each) => { if (each.material && each.material === backgroundMaterial) each.visible = false; });
    button(tools, "Fit", "see everything (f)", fit);
    button(tools, "?", "keys", actions["?"]);
    place();
    window.addEventListener("resize", () => { if (untouched()) place(); });
    requestAnimationFrame(tick);
  };
  begin();
};
