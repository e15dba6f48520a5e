// The table of the lines that are chosen: all lengths, or everything known at one of them. Rows are
// made when they are needed.

const ROWS = 40;

// Small words under the name of a line: what to beware of, who computes it, which key.
const underOf = (it, { one, several }) => [
  data.macs[it.mac].caution,
  one === undefined && it.sources === 1 ? it.who : undefined,
  several ? lifeOf(it).words : undefined,
  it.about,
];

// Each column sorts by `of` and shows `text`; figures also have their ends, and who computes them.
const columnsOf = (lines, choice) => {
  const lens = [...new Set(lines.flatMap((it) => it.group.lens))].sort((a, b) => a - b);
  const one = lens.length === 1 ? lens[0] : lens.find((len) => String(len) === choice.len);
  const cellOf = (it, len) => it.cells[it.group.lens.indexOf(len)];
  const several = new Set(lines.map((it) => it.group.life)).size > 1;
  const mac = { key: "mac", head: "MAC", left: true, of: nameOf };
  const column = (len, key, head, of, more) => {
    const measured = (it, tell) => {
      const own = cellOf(it, len);
      return own && tell(own);
    };
    const { text, ends, from, ...kept } = more || {};
    return {
      ...kept,
      key,
      head,
      of: (it) => measured(it, of),
      text: (it) => measured(it, text || of),
      ends: (it) => measured(it, ends || (() => undefined)),
      from: (it) => (from && it.sources > 1 ? measured(it, from) : undefined),
    };
  };
  const endsOf = (own) => own.ends || "no interval";
  if (one === undefined) {
    const time = { text: (own) => own.text, ends: endsOf, from: (own) => own.offer.source };
    const times = lens.map((len) => column(len, String(len), bytes(len), (own) => own.ns, time));
    return { lens, several, columns: [mac, ...times] };
  }
  const at = (...words) => column(one, ...words);
  const digits = (key, head, of) => at(key, head, of, { text: (own) => three(of(own)) });
  const time = { text: (own) => own.text, ends: endsOf, bold: true };
  const ratio = { text: (own) => own.ratio?.text, ends: (own) => own.ratio?.ends, bold: true };
  const bound = digits("bound", "× bound", (own) => own.toBound);
  return {
    lens,
    one,
    several,
    columns: [
      mac,
      at("rank", "rank", (own) => own.rank),
      at("from", "from", (own) => own.offer.source, { left: true }),
      at("time", "time", (own) => own.ns, time),
      at("ratio", "× best", (own) => own.ratio?.value, ratio),
      at("verdict", "verdict", (own) => own.verdict, { left: true }),
      digits("cycles", "cycles est.", (own) => own.cycles),
      digits("per-byte", "per byte", (own) => own.perByte),
      ...(lines.some((it) => cellOf(it, one)?.toBound) ? [bound] : []),
      digits("speed", "MiB/s", (own) => own.speed),
      at("n", "n", (own) => own.samples, { text: (own) => `${own.samples} in ${own.launches}` }),
    ],
  };
};

// By the column that is chosen: those without a value come last.
const sorted = (lines, columns, choice) => {
  const down = choice.sort.startsWith("-");
  const key = choice.sort.replace(/^-/, "");
  const column = columns.find((it) => it.key === key);
  if (!column) return lines;
  const rank = columns.find((it) => it.key === "rank");
  const known = (value) => value !== undefined && value !== null;
  const order = (a, b) => {
    const [x, y] = [column.of(a), column.of(b)];
    if (!known(x) || !known(y)) return known(y) - known(x);
    const by = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    // Times that are printed alike stand by their ranks.
    return (down ? -by : by) || (rank ? rank.of(a) - rank.of(b) : 0);
  };
  return [...lines].sort(order);
};

const swatch = (drawn) => {
  const box = svgNode("svg", { class: "swatch", viewBox: "0 0 26 12", "aria-hidden": "true" });
  box.append(
    svgNode("path", {
      d: "M1 6h24",
      "stroke-width": drawn.wide ? 3.5 : 2,
      "stroke-dasharray": drawn.dash.join(" "),
    }),
  );
  box.append(svgNode("path", { d: markOf(drawn.form, 13, 6, 3.6), class: "form" }));
  box.style.color = `var(--${drawn.ink})`;
  return box;
};

const makeTable = (place, change) => {
  const head = el("thead");
  const body = el("tbody");
  const caption = el("caption", { className: "hidden" });
  const table = el("table", { className: "explored stack" }, caption, head, body);
  const scroll = el("div", { className: "scroll", tabIndex: 0 }, table);
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Table of what is chosen");
  const more = el("button", { type: "button", className: "more" });
  place.append(scroll, more);
  const own = { rows: [], columns: [], made: 0 };

  const small = (text) => el("small", { textContent: text });
  const entry = (column, it) => {
    const text = column.text(it);
    const known = text !== undefined && text !== null && text !== "";
    const cell = el("td", { textContent: known ? text : ABSENT });
    cell.className = column.left ? "l" : column.bold ? "v" : "";
    cell.dataset.label = column.head;
    cell.append(...[column.ends(it), column.from(it)].filter((word) => word).map(small));
    return cell;
  };
  const row = (it) => {
    const cells = own.columns.map((column) => {
      if (column.key !== "mac") return entry(column, it);
      const name = el("th", { scope: "row" }, el("span", {}, swatch(it.drawn), nameOf(it)));
      name.append(
        ...underOf(it, own)
          .filter((word) => word)
          .map(small),
      );
      return name;
    });
    const made = el("tr", {}, ...cells);
    if (own.one !== undefined && it.cells[it.group.lens.indexOf(own.one)]?.tied)
      made.className = "tied";
    made.addEventListener("pointerenter", () => change.look(it));
    made.addEventListener("pointerleave", () => change.look(undefined));
    return made;
  };
  // Enough rows for a screen; for print and on demand all of them.
  own.fill = (count) => {
    const until = Math.min(own.rows.length, count);
    const added = document.createDocumentFragment();
    for (; own.made < until; own.made += 1) added.append(row(own.rows[own.made]));
    body.append(added);
    more.hidden = own.made >= own.rows.length;
    more.textContent = `Show all ${own.rows.length} rows`;
  };
  more.addEventListener("click", () => own.fill(Infinity));

  own.draw = (lines, choice) => {
    const { columns, one, several } = columnsOf(lines, choice);
    Object.assign(own, { columns, one, several, rows: sorted(lines, columns, choice), made: 0 });
    caption.textContent =
      one === undefined ? "Time of a message with its 95 % interval" : `Messages of ${bytes(one)}`;
    const heads = columns.map((column) => {
      const down = choice.sort === `-${column.key}`;
      const up = choice.sort === column.key;
      const button = el("button", { type: "button", textContent: column.head });
      button.addEventListener("click", () => change.sort(up ? `-${column.key}` : column.key));
      button.dataset.key = column.key;
      const cell = el("th", { scope: "col", className: column.left ? "l" : "" }, button);
      if (up || down) cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      return cell;
    });
    const active = document.activeElement?.dataset?.key;
    head.replaceChildren(el("tr", {}, ...heads));
    if (active) head.querySelector(`[data-key="${CSS.escape(active)}"]`)?.focus();
    body.replaceChildren();
    own.fill(ROWS);
  };
  return own;
};

// What is shown, for other programs: a row a cell, in nanoseconds, as exact as it is printed.
const CSV = [
  "run",
  "mac",
  "provider",
  "code_path",
  "language",
  "regime",
  "key_life",
  "len_bytes",
  "samples",
  "launches",
  "median_ns",
  "low_ns",
  "high_ns",
  "confidence",
  "rank",
  "ratio_to_best",
  "ratio_low",
  "ratio_high",
  "cycles_estimated",
  "cycles_per_byte_estimated",
  "mib_per_s",
];

const csvOf = (lines) => {
  const exact = (value) => (typeof value === "number" ? Number(value.toPrecision(12)) : value);
  const field = (value) => {
    const text = value === undefined || value === null ? "" : String(exact(value));
    // No spreadsheet takes it for a formula.
    const safe = /^[=+\-@\t\r]/.test(text) && typeof value === "string" ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows = lines
    .flatMap((it) => it.cells.filter((cell) => cell))
    .map((cell) => [
      data.run,
      data.macs[cell.offer.mac].name,
      data.libraries[cell.offer.library].name,
      data.kernels[cell.offer.kernel],
      data.libraries[cell.offer.library].language,
      data.regimes[cell.group.regime].name,
      data.lives[cell.group.life].name,
      cell.len,
      cell.samples,
      cell.launches,
      cell.ns,
      cell.low,
      cell.high,
      data.confidence,
      cell.rank,
      cell.ratio?.value,
      cell.ratio?.low,
      cell.ratio?.high,
      cell.cycles,
      cell.perByte,
      cell.speed,
    ]);
  return [CSV, ...rows].map((row) => row.map(field).join(",")).join("\n") + "\n";
};

// The table as it stands, with tabs between its columns, as spreadsheets take it.
const tabsOf = (own) => {
  const text = (column, it) => {
    if (column.key === "mac")
      return [nameOf(it), ...underOf(it, own)].filter((it) => it).join(", ");
    const more = [column.ends(it), column.from(it)].filter((word) => word);
    return `${column.text(it) ?? ""}${more.length ? ` (${more.join(", ")})` : ""}`;
  };
  const rows = own.rows.map((it) => own.columns.map((column) => text(column, it)));
  return [own.columns.map((column) => column.head), ...rows]
    .map((row) => row.join("\t"))
    .join("\n");
};
