// What a reader would see of a page at its present width and theme; run inside the page.
() => {
  const width = document.documentElement.clientWidth;
  const seen = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const name = (e) => `${e.tagName.toLowerCase()}.${[...e.classList].join(".")} "${(e.textContent || "").trim().slice(0, 40)}"`;
  // Beyond an edge is within reach where code, a table or a formula scrolls by itself.
  const withinReach = (e) => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
      if (p.matches("pre, table, .math") && ["auto", "scroll"].includes(getComputedStyle(p).overflowX)) return true;
    }
    return false;
  };
  const cuts = (overflow) => ["hidden", "clip"].includes(overflow);
  const clipped = [];
  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    // One pixel is how words are kept for screen readers alone; dialogs and drawers wait outside.
    if (box.width <= 1 || box.height <= 1 || !seen(e) || e.closest("dialog:not([open]), .skip-link, mjx-assistive-mml, svg *")) continue;
    const style = getComputedStyle(e);
    const beyond = box.right > width + 1 || box.left < -1;
    const cut = e.clientWidth > 1 &&
      ((cuts(style.overflowX) && e.scrollWidth > e.clientWidth + 1) ||
       (cuts(style.overflowY) && e.scrollHeight > e.clientHeight + 1));
    if ((beyond && !withinReach(e)) || cut) clipped.push(name(e));
  }
  const rgba = (color) => {
    const found = color.match(/[\d.]+/g).map(Number);
    return [...found.slice(0, 3).map((c) => (color.startsWith("color(") ? 255 * c : c)), found[3] ?? 1];
  };
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const background = (e) => {
    for (let p = e; p; p = p.parentElement) {
      const color = rgba(getComputedStyle(p).backgroundColor);
      if (color[3] > 0.5) return color;
    }
    return [255, 255, 255, 1];
  };
  const faint = [];
  for (const e of document.querySelectorAll("article *")) {
    const words = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (!words || !seen(e) || e.getBoundingClientRect().width <= 1) continue;
    const [a, b] = [luminance(rgba(getComputedStyle(e).color)), luminance(background(e))];
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 3) faint.push(name(e));
  }
  const shown = (e) => { const box = e.getBoundingClientRect(); return box.width > 4 && box.height > 4; };
  const pictures = [...document.images].filter(seen);
  const formulas = [...document.querySelectorAll(".math")].filter(seen);
  return {
    clipped, faint,
    n_pictures: pictures.length,
    n_formulas: formulas.length,
    blank: [
      ...pictures.filter((e) => !e.naturalWidth || !shown(e)).map((e) => e.src),
      ...formulas.filter((e) => !e.querySelector("mjx-container svg") || !shown(e.querySelector("svg"))).map(name),
    ],
  };
}
