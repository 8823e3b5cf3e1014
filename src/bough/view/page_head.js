// Before the client of viser: what it would do too often, or at a cost that a machine without a graphics card cannot pay.
"use strict";
(() => {
  // It looks for the next picture 120 times a second, and draws its bar each time; a recording has half as many at most.
  const every = window.setInterval.bind(window);
  window.setInterval = (action, delay, ...values) => every(action, delay < 16 ? 1000 / 60 : delay, ...values);

  // Without a graphics card the processor computes every pixel: smooth edges take three quarters of its time.
  const probe = document.createElement("canvas").getContext("webgl2");
  const told = probe?.getExtension("WEBGL_debug_renderer_info");
  const renderer = told ? probe.getParameter(told.UNMASKED_RENDERER_WEBGL) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  window.boughSoftware = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
  if (!window.boughSoftware) return;
  const context = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    const plain = { ...options, antialias: false, preserveDrawingBuffer: false };
    return context.call(this, kind, kind.startsWith("webgl") ? plain : options);
  };
  const fine = window.devicePixelRatio;
  Object.defineProperty(window, "devicePixelRatio", { get: () => Math.min(fine, 0.8) });
})();
