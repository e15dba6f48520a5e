// Puts chart, legend, crossings and table together, and keeps them and the address in step with
// the choice.

const explorer = document.getElementById("explorer");
let choice = fromHash(location.hash) || empty();
let lines = [];
let plan;

const search = el("input", { type: "search", placeholder: "Search: sha3 openssl, aes-ni …" });
search.setAttribute("aria-label", "Search MACs, libraries and code paths");
search.value = choice.q;
const presets = el("div", {});
const filters = el("div", { className: "filters" });
const contexts = el("div", {});
const status = el("p", { className: "hint status" });
status.setAttribute("role", "status");
const place = el("div", { className: "chartplace", tabIndex: 0 });
place.setAttribute("role", "application");
place.setAttribute(
  "aria-label",
  "Chart. Arrow keys go along a line and from line to line; " +
    "the table below has the same cells.",
);
const frame = el("div", { className: "frame" }, place);
const legend = el("ul", { className: "legend" });
const notes = el("div", { className: "notes" });
const drawing = el("div", { className: "drawing" }, frame, legend);
const tools = el("div", { className: "tools" });
const lengths = el("div", {});
const tableTools = el("div", { className: "tools" });
const key = el("p", { className: "hint" });
const tablePlace = el("div", { className: "tableplace" });
explorer.append(
  el("p", {
    className: "hint",
    textContent:
      "Choose what to see: chart and table follow, and the address keeps the choice to pass on.",
  }),
  presets,
  el("div", { className: "choose" }, search, filters),
  contexts,
  el("div", { className: "bar" }, status, tools),
  drawing,
  key,
  notes,
  el("div", { className: "bar" }, lengths, tableTools),
  tablePlace,
);

const card = makeCard(place);
const chart = makeChart(place, card, (number) => {
  for (const item of legend.children)
    item.classList.toggle("looked", item.dataset.line === String(number));
});
const table = makeTable(tablePlace, {
  look: (it) => chart.focus(it ? plan.drawn.indexOf(it.drawn) : undefined),
  sort: (sort) => set({ sort }),
});

const legendItem = (it) => {
  const number = plan.drawn.indexOf(it);
  const text = [
    swatch(it),
    el("b", { textContent: it.name }),
    el("small", { textContent: it.under }),
  ];
  const offers = it.line.group.byMac.get(it.line.mac).length;
  const open = button("", undefined, () =>
    set({ ...choice, macs: [data.macs[it.line.mac].name], by: "offer", q: "", now: "", show: "" }),
  );
  open.append(...text);
  open.title = `All ${offers} implementations of ${nameOf(it.line)}`;
  const item = el("li", {}, open);
  item.dataset.line = number;
  item.addEventListener("pointerenter", () => chart.focus(number));
  item.addEventListener("pointerleave", () => chart.focus(undefined));
  item.addEventListener("focusin", () => chart.focus(number));
  item.addEventListener("focusout", () => chart.focus(undefined));
  return item;
};

const drawLegend = () => {
  const named = sortedByEnd(plan).filter((it) => it.ink !== "rest");
  const rest = plan.drawn.length - named.length;
  const items = named.map(legendItem);
  if (rest) items.push(el("li", { className: "hint", textContent: `${rest} more, thin and grey` }));
  legend.replaceChildren(...items);
  key.textContent = [
    plan.drawn.length <= BANDS ? "Bands: 95 % intervals, often narrower than the line." : "",
    plan.several ? "Broken lines: a new key for each message, or a one-shot call." : "",
    plan.bounded ? "Dotted: the lower bound of a line’s MAC on this processor." : "",
    plan.floor ? "Grey, broken: a call that computes nothing." : "",
    plan.crossings.length ? "Numbers: one line overtakes another, as told below." : "",
    plan.crossings.length > RINGS ? `Of these the first ${RINGS} are in the chart.` : "",
  ]
    .filter((it) => it)
    .join(" ");
};

// A number and its unit stay on one line.
const kept = (text) => text.replace(/(\d) ([KMG]?i?B)\b/g, "$1\u00a0$2");

const drawNotes = () => {
  notes.replaceChildren();
  if (!plan.crossings.length) return;
  const list = el(
    "ol",
    { className: "sentences" },
    ...plan.crossings.map((it) =>
      el("li", {
        textContent: `${kept(it.sentence)}${plan.several ? `, ${data.lives[it.group.life].words}` : ""}.`,
      }),
    ),
  );
  notes.append(
    el(
      "details",
      { open: plan.crossings.length < 5 },
      el("summary", { textContent: `Crossovers (${plan.crossings.length})` }),
      list,
    ),
  );
};

const titleOfChoice = () => {
  const [group] = groupsOf(choice);
  const lives = [...new Set(plan.drawn.map((it) => lifeOf(it.line).words))].join("; ");
  const set = data.sets[group.set];
  return [
    `${UNITS[plan.unit].title[0].toUpperCase()}${UNITS[plan.unit].title.slice(1)} over message length`,
    [
      set,
      lives,
      data.regimes.length > 1 ? data.regimes[group.regime].words : "",
      `95 % intervals, run ${data.run}`,
    ]
      .filter((it) => it)
      .join(" · "),
  ];
};

// The controls are made anew with each choice: what was open or had the focus has it again.
const foldsOpen = () => [...explorer.querySelectorAll("details.facet[open]")];
const keepPlace = (build) => {
  const open = foldsOpen().map((it) => [it.dataset.facet, it.querySelector(".boxes")?.scrollTop]);
  const active =
    explorer.contains(document.activeElement) && document.activeElement.dataset.control;
  build();
  for (const [name, top] of open) {
    const fold = explorer.querySelector(`details.facet[data-facet="${name}"]`);
    if (!fold) continue;
    fold.open = true;
    fold.fill();
    fold.querySelector(".boxes").scrollTop = top || 0;
  }
  if (!active || explorer.contains(document.activeElement)) return;
  const own = explorer.querySelector(`[data-control="${CSS.escape(active)}"]`);
  if (own) own.focus({ preventScroll: true });
};
document.addEventListener("click", (event) => {
  const inside = event.composedPath();
  for (const fold of foldsOpen()) if (!inside.includes(fold)) fold.open = false;
});

const drawControls = (groups, lines) =>
  keepPlace(() => {
    presets.replaceChildren(presetControls(choice, groups, set));
    filters.replaceChildren(facetControls(choice, groups, lines, set));
    contexts.replaceChildren(contextControls(choice, groups, set));
    const { lens, one } = columnsOf(lines, choice);
    const options = [["", "all lengths"], ...lens.map((len) => [String(len), bytes(len)])];
    const length = one === undefined ? "" : String(one);
    const pick = (len) => set({ len, sort: "" });
    // A row of more buttons than these would hide the table.
    const control =
      lens.length > 14
        ? select("Table of", options, length, pick)
        : radios("len", "Table of", options, length, pick);
    lengths.replaceChildren(...(lens.length > 1 ? [control] : []));
  });

const drawTable = () => {
  const { one } = columnsOf(lines, choice);
  table.draw(lines, { ...choice, sort: choice.sort || (one === undefined ? "" : "time") });
  tablePlace.hidden = tableTools.hidden = lengths.hidden = !lines.length;
};

const drawStatus = (groups) => {
  const offers = new Set(groups.flatMap((group) => group.offers)).size;
  const macs = new Set(groups.flatMap((group) => [...group.byMac.keys()])).size;
  const count = `${lines.length} ${lines.length === 1 ? "line" : "lines"}`;
  status.textContent = lines.length
    ? `${count}, of ${macs} MACs in ${offers} implementations.`
    : "Nothing fits this choice: take away a word of the search or a library.";
};

const render = () => {
  const groups = groupsOf(choice);
  lines = linesOf(choice);
  plan = planOf(lines, choice);
  drawStatus(groups);
  const isDrawn = lines.length > 0 && plan.lens.length > 1;
  drawing.hidden = tools.hidden = key.hidden = !isDrawn;
  if (isDrawn) {
    chart.draw(plan);
    drawLegend();
  }
  drawNotes();
  drawControls(groups, lines);
  drawTable();
};

function set(patch) {
  choice = { ...choice, ...patch };
  if (!("q" in patch) || patch.q !== search.value.trim()) search.value = choice.q;
  const address = location.href.split("#")[0] + toHash(choice);
  try {
    history.replaceState(null, "", address);
  } catch {
    location.hash = toHash(choice);
  }
  // The order of the table and its length are nothing that the chart shows.
  if (Object.keys(patch).every((it) => it === "sort" || it === "len")) {
    if ("len" in patch) drawControls(groupsOf(choice), lines);
    drawTable();
  } else {
    render();
  }
}

search.addEventListener("input", () => set({ q: search.value.trim(), now: "" }));
window.addEventListener("hashchange", () => {
  const own = fromHash(location.hash);
  if (!own) return;
  choice = own;
  search.value = choice.q;
  render();
  explorer.scrollIntoView();
});

const told = (text) => {
  status.textContent = text;
};
const copy = async (text, what) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = el("textarea", { value: text });
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
  told(`${what} copied.`);
};
const file = (ending) => `macrometer-${data.study}-${data.run}.${ending}`;
const picture = () => pictureOf(plan, ...titleOfChoice());
tools.append(
  button("SVG", undefined, () =>
    save(file("svg"), new Blob([textOf(picture())], { type: "image/svg+xml" })),
  ),
  button("PNG", undefined, async () => save(file("png"), await pngOf(picture()))),
  button("Copy link", undefined, () => copy(location.href, "Link")),
);
tableTools.append(
  button("CSV", undefined, () =>
    save(file("csv"), new Blob([csvOf(table.rows)], { type: "text/csv" })),
  ),
  button("Copy table", undefined, () => copy(tabsOf(table), "Table")),
);

// Paper has all rows and the chart in its own colours.
window.addEventListener("beforeprint", () => {
  table.fill(Infinity);
  if (!drawing.hidden) frame.append(el("div", { className: "printed" }, picture()));
});
window.addEventListener("afterprint", () => frame.querySelector(".printed")?.remove());

// Other colours: the canvas has them only when it is drawn.
const redraw = () => {
  if (!drawing.hidden) chart.draw(plan);
};
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

render();
if (fromHash(location.hash)) explorer.scrollIntoView();
document.documentElement.dataset.explored = "yes";
