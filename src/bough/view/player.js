// Plays motions on one clock, each on its canvas, with the reference behind it.
"use strict";
(() => {
  const floats = (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  };
  const { parts, links, view, times, frames } = DATA;
  const runs = DATA.runs.map((run) => ({ ...run, poses: floats(run.poses) }));
  const reference = DATA.reference && { ...DATA.reference, poses: floats(DATA.reference.poses) };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const turned = (x, axis, angle) => {
    const c = Math.cos(angle), s = Math.sin(angle), k = dot(axis, x) * (1 - c), t = cross(axis, x);
    return x.map((value, i) => value * c + t[i] * s + axis[i] * k);
  };

  // The view: across, up and towards the viewer, changed by dragging.
  const first = { right: view.right, up: view.up, towards: view.towards };
  let eye = { ...first };
  const turn = (across, upward) => {
    const about = (axis, angle) => Object.keys(eye).forEach((name) => { eye[name] = turned(eye[name], axis, angle); });
    about(first.up, -across);
    about(eye.right, -upward);
  };

  // Pixels for a metre: the whole motion fits into the canvas.
  const zoom = (canvas) => Math.min(canvas.width / view.half[0], canvas.height / view.half[1]) / 2;

  // A point of a frame in the picture, between two rows: pixels to the right and down, and nearness.
  const place = (run, row, frame, point, canvas) => {
    const { poses } = run, before = Math.min(Math.floor(row), run.rows - 1), part = row - before;
    const one = (before * frames + frame) * 12, two = (Math.min(before + 1, run.rows - 1) * frames + frame) * 12;
    const number = (k) => poses[one + k] + part * (poses[two + k] - poses[one + k]), x = [0, 0, 0];
    for (let i = 0; i < 3; ++i)
      x[i] = number(4 * i) * point[0] + number(4 * i + 1) * point[1] + number(4 * i + 2) * point[2] +
        number(4 * i + 3) - view.target[i];
    const scale = zoom(canvas);
    return [canvas.width / 2 + scale * dot(x, eye.right), canvas.height / 2 - scale * dot(x, eye.up), dot(x, eye.towards)];
  };

  // The convex hull of points in the picture, counter-clockwise.
  const hull = (points) => {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = (list) => {
      const out = [];
      for (const p of list) {
        while (out.length > 1) {
          const [a, b] = out.slice(-2);
          if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
          out.pop();
        }
        out.push(p);
      }
      return out.slice(0, -1);
    };
    return [...half(sorted), ...half(sorted.reverse())];
  };

  const coil = (pen, a, b, radius) => {
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1, turns = 12;
    pen.moveTo(a[0], a[1]);
    for (let i = 1; i < turns; ++i) {
      const side = (i % 2 ? 1 : -1) * radius;
      pen.lineTo(a[0] + (dx * i) / turns - (dy / length) * side, a[1] + (dy * i) / turns + (dx / length) * side);
    }
    pen.lineTo(b[0], b[1]);
  };

  // All things of a run at one row, the farthest first.
  const things = (run, row, canvas) => {
    const scale = zoom(canvas), found = [];
    for (const part of parts) {
      const at = part.points.map((point) => place(run, row, part.frame, point, canvas));
      if (part.kind === "mesh") {
        for (const face of part.faces) {
          const corners = face.map((i) => at[i]), [a, b, c] = corners;
          if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0)  // seen from outside
            found.push({ kind: "face", at: corners, depth: (a[2] + b[2] + c[2]) / 3, color: part.color });
        }
        continue;
      }
      const depth = at.reduce((sum, p) => sum + p[2], 0) / at.length;
      found.push({ kind: part.kind, at, depth, width: 2 * scale * part.radius, color: part.color });
    }
    for (const link of links) {
      const a = place(run, row, link.start.frame, link.start.point, canvas);
      const b = place(run, row, link.end.frame, link.end.point, canvas);
      const width = link.style === "spring" ? Math.max(1, canvas.width / 300) : 2 * scale * link.radius;
      found.push({ kind: link.style, at: [a, b], depth: (a[2] + b[2]) / 2, width, radius: scale * link.radius,
                   color: link.color });
    }
    return found.sort((a, b) => a.depth - b.depth);
  };

  const paint = (pen, run, row, canvas, ghost) => {
    for (const thing of things(run, row, canvas)) {
      const { at } = thing, color = ghost || thing.color;
      pen.fillStyle = pen.strokeStyle = color;
      pen.lineWidth = Math.max(thing.width || 1, 1.2);
      pen.lineCap = "round";
      pen.setLineDash(thing.kind === "dashed" ? [6, 5] : []);
      pen.beginPath();
      if (thing.kind === "ball") {
        pen.arc(at[0][0], at[0][1], Math.max(thing.width / 2, 1.5), 0, 2 * Math.PI);
        pen.fill();
      } else if (thing.kind === "solid" || thing.kind === "face") {
        (thing.kind === "face" ? at : hull(at)).forEach((p, i) => (i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
        pen.closePath();
        pen.fill();
        pen.lineWidth = thing.kind === "face" ? 0.6 : 1.2;
        pen.stroke();
      } else {
        if (thing.kind === "spring") coil(pen, at[0], at[1], thing.radius);
        else { pen.moveTo(at[0][0], at[0][1]); pen.lineTo(at[1][0], at[1][1]); }
        pen.stroke();
      }
    }
  };

  const holder = document.getElementById("players");
  const canvases = runs.map((run) => {
    const figure = document.createElement("figure"), canvas = document.createElement("canvas");
    const caption = document.createElement("figcaption");
    caption.style.borderTop = `3px ${run.whole ? "solid" : "dashed"} ${run.color}`;
    figure.append(canvas);
    if (run.label) figure.append(caption);
    holder.append(figure);
    let from = null;
    canvas.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      turn((event.clientX - from[0]) / 120, (event.clientY - from[1]) / 120);
      from = [event.clientX, event.clientY];
      draw();
    });
    canvas.addEventListener("pointerup", () => { from = null; });
    canvas.addEventListener("dblclick", () => { eye = { ...first }; draw(); });
    return { canvas, caption };
  });

  const slider = document.getElementById("time"), now = document.getElementById("now");
  const button = document.getElementById("play"), speed = document.getElementById("speed");
  slider.max = times.length - 1;
  let row = 0;
  const at = (place) => times[0] + (place / Math.max(times.length - 1, 1)) * (times[times.length - 1] - times[0]);
  const draw = () => {
    now.textContent = `t = ${at(row).toFixed(2)} s`;
    runs.forEach((run, i) => {
      const { canvas, caption } = canvases[i], fine = window.devicePixelRatio || 1;
      const width = Math.round(canvas.clientWidth * fine), height = Math.round(canvas.clientHeight * fine);
      if (width && (canvas.width !== width || canvas.height !== height)) [canvas.width, canvas.height] = [width, height];
      const pen = canvas.getContext("2d");
      pen.clearRect(0, 0, canvas.width, canvas.height);
      if (reference && row <= reference.rows - 1) paint(pen, reference, row, canvas, "#d9dee3");
      paint(pen, run, Math.min(row, run.rows - 1), canvas, null);
      caption.textContent = row <= run.rows - 1 ? run.label : `${run.label}: ended at t = ${times[run.rows - 1].toFixed(2)} s`;
    });
  };

  let playing = DATA.playing, clock = 0, last = null;
  const name = () => { button.textContent = playing ? "Pause" : "Play"; };
  name();
  const tick = (stamp) => {
    if (playing && last !== null) {
      clock += ((stamp - last) / 1000) * Number(speed.value);
      const length = times[times.length - 1] - times[0];
      if (length > 0 && clock > length) clock = 0;
      row = Math.min(times.length - 1, (clock / (length || 1)) * (times.length - 1));
      slider.value = row;
      draw();
    }
    last = stamp;
    requestAnimationFrame(tick);
  };
  button.addEventListener("click", () => { playing = !playing; name(); });
  slider.addEventListener("input", () => {
    row = Number(slider.value);
    clock = times[row] - times[0];
    draw();
  });
  window.addEventListener("resize", draw);
  draw();
  requestAnimationFrame(tick);
})();
