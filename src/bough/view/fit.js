// Lets the camera of an exported page see the whole motion in a window of any shape, and adds a button for it.
// The page is made for windows with at least this width over height, with the camera at this distance.
const fitted = (distance, aspect) => {
  let home = null, placed = distance, tries = 600;
  const controls = () => window.__viserMutable?.cameraControl;
  const place = () => {
    const canvas = document.querySelector("canvas"), { from, to } = home;
    const back = Math.max(1, (aspect * canvas.clientHeight) / canvas.clientWidth);
    const at = ["x", "y", "z"].map((axis) => to[axis] + back * (from[axis] - to[axis]));
    controls().setLookAt(...at, to.x, to.y, to.z, false);
    placed = back * distance;
  };
  const untouched = () => Math.abs(controls().distance - placed) < 1e-3 * placed;
  const begin = () => {
    if (!controls() || !untouched()) {  // the scene is not there yet
      if (tries-- > 0) setTimeout(begin, 50);
      return;
    }
    home = { from: controls().getPosition(), to: controls().getTarget() };
    place();
    window.addEventListener("resize", () => { if (untouched()) place(); });
    const button = document.createElement("button");
    button.textContent = "Fit";
    button.style.cssText = "position:fixed;top:.6em;right:.9em;z-index:10;font:14px system-ui,sans-serif;padding:.2em .8em";
    button.addEventListener("click", place);
    document.body.append(button);
  };
  begin();
};
