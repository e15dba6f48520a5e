// One cell in full: beside its point in the chart, and as a sentence for who hears the page.

// A node with properties and children; names of others come in as text only.
const el = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children.filter((child) => child !== undefined && child !== ""));
  return node;
};

const timeOf = (cell) => `${cell.text} (${cell.ends ? `95 % ${cell.ends}` : "no interval"})`;
const samplesOf = (cell) => {
  const count = (number, what) =>
    `${number} ${what}${number === 1 ? "" : what === "launch" ? "es" : "s"}`;
  const over = cell.over === "b" ? ", interval over blocks" : "";
  return `${count(cell.samples, "sample")} in ${count(cell.launches, "launch")}${over}`;
};
const ratioOf = (cell) => {
  if (!cell.ratio) return ABSENT;
  return cell.ratio.ends ? `${cell.ratio.text} (95 % ${cell.ratio.ends})` : cell.ratio.text;
};

const factsOf = (cell) => {
  const library = data.libraries[cell.offer.library];
  const group = cell.group;
  const facts = [
    ["time", timeOf(cell)],
    ["× fastest", `${ratioOf(cell)}${cell.verdict && cell.rank !== 1 ? `, ${cell.verdict}` : ""}`],
    ["n", samplesOf(cell)],
    [
      "per byte",
      [
        cell.len ? `${three(cell.ns / cell.len)} ns` : "",
        cell.perByte === null ? "" : `${three(cell.perByte)} cycles est.`,
        cell.speed === null ? "" : `${three(cell.speed)} MiB/s`,
      ]
        .filter((it) => it)
        .join(" · "),
    ],
    ["bound", cell.toBound ? `${three(cell.toBound)} × its lower bound` : ""],
    [
      "single calls",
      cell.p50 === null ? "" : `p50 ${time(cell.p50)}, p99 ${time(cell.p99)} of ${cell.calls}`,
    ],
    ["code path", data.kernels[cell.offer.kernel]],
    ["library", [library.name, library.version].join(" ")],
    ["file", library.path],
    ["language", library.language],
    ["key", data.lives[group.life].words],
    ["calls", data.regimes.length > 1 ? data.regimes[group.regime].words : ""],
    ["wide", cell.why || ""],
    ["warnings", cell.notes.map((note) => data.notes[note]).join("; ")],
    ["cell", pathOf(cell)],
    ["run", data.run],
  ];
  return facts.filter(([, value]) => value);
};

const titleOf = (cell) => {
  const { called, caution } = data.macs[cell.offer.mac];
  return `${called}${caution ? ` (${caution})` : ""}, ${bytes(cell.len)}`;
};

const makeCard = (place) => {
  const box = el("div", { className: "cell", hidden: true });
  box.setAttribute("aria-hidden", "true");
  const said = el("p", { className: "said" });
  said.setAttribute("aria-live", "polite");
  place.after(said);
  place.parentElement.append(box);
  return {
    show(drawn, point, { x, y }) {
      const { cell } = point;
      const facts = factsOf(cell).map(([name, value]) =>
        el("div", {}, el("dt", { textContent: name }), el("dd", { textContent: value })),
      );
      box.replaceChildren(
        el("p", {}, el("b", { textContent: titleOf(cell) }), ` ${cell.offer.source}`),
        el("dl", {}, ...facts),
      );
      if (drawn.line.about) box.firstChild.append(` · ${drawn.line.about}`);
      box.hidden = false;
      // Beside the point, on the side where there is room.
      const room = place.parentElement.clientWidth;
      const left = x + 18 + box.offsetWidth > room ? x - 18 - box.offsetWidth : x + 18;
      box.style.left = `${Math.max(0, Math.min(left, room - box.offsetWidth))}px`;
      box.style.top = `${Math.max(0, y - box.offsetHeight / 3)}px`;
      if (document.activeElement === place) {
        said.textContent = `${titleOf(cell)}, ${cell.offer.source}: ${timeOf(cell)}, ${samplesOf(cell)}`;
      }
    },
    hide() {
      box.hidden = true;
    },
  };
};
