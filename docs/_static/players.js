// A click on a poster puts the player of that motion in its place.
document.addEventListener("click", (event) => {
  const poster = event.target.closest("button.bough-player");
  if (!poster) return;
  const frame = document.createElement("iframe");
  frame.src = poster.dataset.player;
  frame.title = poster.getAttribute("aria-label");
  frame.className = "bough-player";
  poster.replaceWith(frame);
});
