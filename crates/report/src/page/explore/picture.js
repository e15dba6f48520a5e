// The chart as a picture: SVG for files and print, and PNG from it, in the colours of paper.

const SIZE = { width: 960, height: 560, left: 78, right: 300, top: 64, bottom: 56 };

// The page's light inks, whatever the reader's colours are: nothing is painted in between.
const paperInks = () => {
  const root = document.documentElement;
  const kept = root.dataset.theme;
  root.dataset.theme = "light";
  const style = getComputedStyle(root);
  const names = [
    "ink",
    "quiet",
    "grid",
    "axis",
    "paper",
    "rest",
    ...Array.from({ length: INKS }, (_, at) => `series-${at}`),
  ];
  const inks = Object.fromEntries(names.map((name) => [name, inkOf(style, name)]));
  if (kept === undefined) delete root.dataset.theme;
  else root.dataset.theme = kept;
  return inks;
};

const svgNode = (tag, attributes, text) => {
  // The parser gives the namespace.
  const own = (svgNode.root ||= el("template", { innerHTML: "<svg></svg>" }).content.firstChild);
  const node = document.createElementNS(own.namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
};

const pictureOf = (plan, title, under) => {
  const inks = paperInks();
  const { width, left, top } = SIZE;
  const legend = plan.drawn.slice(0, 30);
  const height = Math.max(SIZE.height, top + legend.length * 30 + SIZE.bottom);
  const [right, bottom] = [width - SIZE.right, height - SIZE.bottom];
  const scale =
    ([low, high], [from, to]) =>
    (value) =>
      Number((from + ((to - from) * Math.log(value / low)) / Math.log(high / low)).toFixed(1));
  const x = scale([plan.lens[0], plan.lens.at(-1)], [left + 10, right - 10]);
  const y = scale(plan.range, [bottom, top]);
  const svg = svgNode("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "font-family": FONT,
    role: "img",
    "aria-label": title,
  });
  const put = (tag, attributes, text) => svg.append(svgNode(tag, attributes, text));
  const say = (at, text, more) =>
    put("text", { x: at[0], y: at[1], "font-size": 12, fill: inks.quiet, ...more }, text);
  const trace = (points) => points.map(([px, py], at) => `${at ? "L" : "M"}${px} ${py}`).join("");
  put("rect", { width, height, fill: inks.paper });
  say([20, 26], title, { "font-size": 16, "font-weight": 600, fill: inks.ink });
  say([20, 46], under);
  for (const value of plan.ticks) {
    put("path", { d: `M${left} ${y(value)}H${right}`, stroke: inks.grid });
    say([left - 8, y(value) + 4], UNITS[plan.unit].tick(value), { "text-anchor": "end" });
  }
  let free = -Infinity;
  for (const len of plan.lens) {
    put("path", { d: `M${x(len)} ${top}V${bottom}`, stroke: inks.grid });
    if (x(len) < free) continue;
    free = x(len) + 48;
    say([x(len), bottom + 19], bytes(len), { "text-anchor": "middle" });
  }
  put("path", { d: `M${left} ${bottom}H${right}`, stroke: inks.axis });
  say([(left + right) / 2, bottom + 42], "message length", { "text-anchor": "middle" });
  say([0, 0], UNITS[plan.unit].axis, {
    "text-anchor": "middle",
    transform: `translate(18 ${(top + bottom) / 2}) rotate(-90)`,
  });
  for (const it of plan.drawn) {
    const points = it.points.filter((point) => point);
    const ink = inks[it.ink];
    const place = (point, value) => [x(point.len), y(value)];
    const ended = points.filter((point) => point.low !== undefined);
    if (ended.length > 1 && plan.drawn.length <= BANDS) {
      const outline = ended
        .map((point) => place(point, point.high))
        .concat(ended.toReversed().map((point) => place(point, point.low)));
      put("path", { d: `${trace(outline)}Z`, fill: ink, "fill-opacity": 0.2 });
    }
    put("path", {
      d: trace(points.map((point) => place(point, point.value))),
      fill: "none",
      stroke: ink,
      "stroke-width": it.wide ? 3.5 : it.ink === "rest" ? 1 : 2,
      "stroke-dasharray": it.dash.join(" "),
    });
    const bounds = points.filter((point) => point.bound);
    if (bounds.length > 1) {
      put("path", {
        d: trace(bounds.map((point) => place(point, point.bound))),
        fill: "none",
        stroke: ink,
        "stroke-dasharray": "2 3",
      });
    }
    if (it.ink === "rest") continue;
    for (const point of points) {
      put("path", {
        d: markOf(it.form, ...place(point, point.value), it.wide ? 5 : 3.6),
        fill: ink,
      });
    }
  }
  ringsOf(plan.crossings, x, y, 8).forEach((ring, number) => {
    put("path", { d: `M${ring.x} ${ring.y}V${ring.at}`, stroke: inks.ink });
    put("circle", { cx: ring.x, cy: ring.y, r: 7.5, fill: inks.paper, stroke: inks.ink });
    say([ring.x, ring.y + 4], number + 1, {
      "text-anchor": "middle",
      fill: inks.ink,
      "font-size": 11,
    });
  });
  sortedByEnd(plan)
    .slice(0, 30)
    .forEach((it, number) => {
      const at = top + 12 + number * 30;
      const begin = right + 22;
      put("path", {
        d: `M${begin} ${at - 4}h24`,
        stroke: inks[it.ink],
        "stroke-width": 2,
        "stroke-dasharray": it.dash.join(" "),
      });
      put("path", { d: markOf(it.form, begin + 12, at - 4, 3.6), fill: inks[it.ink] });
      say([begin + 32, at], it.name, { fill: inks.ink });
      const under = it.under.length > 44 ? `${it.under.slice(0, 43)}…` : it.under;
      say([begin + 32, at + 13], under, { "font-size": 10 });
    });
  return svg;
};

// In the order in which lines end at the right, from the top down: as the eye meets them.
const sortedByEnd = (plan) => {
  const end = (it) => {
    const last = it.points.findLast((point) => point);
    return last ? last.value : 0;
  };
  return [...plan.drawn].sort((a, b) => end(b) - end(a));
};

const textOf = (svg) => new XMLSerializer().serializeToString(svg);

const pngOf = (svg) =>
  new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: 2 * image.width, height: 2 * image.height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, "image/png");
    };
    image.onerror = () => reject(new Error("the picture cannot be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(svg))}`;
  });

const save = (name, blob) => {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};
