// The table of the lines that are chosen: all lengths, or everything known at one of them. Rows are
// made when they are needed.

const ROWS = 40;

const columnsOf = (lines, choice) => {
  const lens = [...new Set(lines.flatMap((it) => it.group.lens))].sort((a, b) => a - b);
  const one = lens.length === 1 ? lens[0] : lens.find((len) => String(len) === choice.len);
  const cellOf = (it, len) => it.cells[it.group.lens.indexOf(len)];
  const several = new Set(lines.map((it) => it.group.life)).size > 1;
  const life = { key: "life", head: "key", left: true, wraps: true, of: (it) => lifeOf(it).words };
  const names = [{ key: "mac", head: "MAC", left: true, of: nameOf }, ...(several ? [life] : [])];
  if (one === undefined) {
    return {
      lens,
      columns: [
        ...names,
        ...lens.map((len) => ({
          key: String(len),
          head: bytes(len),
          cell: (it) => cellOf(it, len),
          of: (it) => cellOf(it, len)?.ns,
          text: (it) => cellOf(it, len)?.text,
          small: (it, own) => [
            own.ends || "no interval",
            it.sources > 1 ? own.offer.source : undefined,
          ],
        })),
      ],
    };
  }
  const column = (key, head, of, text, left) => ({
    key,
    head,
    left,
    of: (it) => {
      const own = cellOf(it, one);
      return own && of(own);
    },
    text: (it) => {
      const own = cellOf(it, one);
      return own && (text || of)(own);
    },
  });
  return {
    lens,
    one,
    columns: [
      ...names,
      column("rank", "#", (own) => own.rank),
      column("from", "from", (own) => own.offer.source, undefined, true),
      {
        ...column(
          "time",
          "time",
          (own) => own.ns,
          (own) => own.text,
        ),
        bold: true,
      },
      column(
        "ends",
        "95 %",
        (own) => own.low,
        (own) => own.ends || ABSENT,
      ),
      {
        ...column(
          "ratio",
          "× best",
          (own) => own.ratio?.value,
          (own) => own.ratio?.text,
        ),
        bold: true,
      },
      column(
        "ratio-ends",
        "95 %",
        (own) => own.ratio?.low,
        (own) => own.ratio?.ends || "",
      ),
      column("verdict", "verdict", (own) => own.verdict, undefined, true),
      column(
        "cycles",
        "cycles est.",
        (own) => own.cycles,
        (own) => three(own.cycles),
      ),
      column(
        "per-byte",
        "a byte",
        (own) => own.perByte,
        (own) => three(own.perByte),
      ),
      ...(lines.some((it) => cellOf(it, one)?.toBound)
        ? [
            column(
              "bound",
              "× bound",
              (own) => own.toBound,
              (own) => three(own.toBound),
            ),
          ]
        : []),
      column(
        "speed",
        "MiB/s",
        (own) => own.speed,
        (own) => three(own.speed),
      ),
      column(
        "n",
        "n",
        (own) => own.samples,
        (own) => `${own.samples} in ${own.launches}`,
      ),
    ],
  };
};

// By the column that is chosen: those without a value come last.
const sorted = (lines, columns, choice) => {
  const down = choice.sort.startsWith("-");
  const key = choice.sort.replace(/^-/, "");
  const column = columns.find((it) => it.key === key);
  if (!column) return lines;
  const known = (value) => value !== undefined && value !== null;
  const order = (a, b) => {
    const [x, y] = [column.of(a), column.of(b)];
    if (!known(x) || !known(y)) return known(y) - known(x);
    const by = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return down ? -by : by;
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

  const entry = (column, it) => {
    const text = column.text ? column.text(it) : column.of(it);
    const known = text !== undefined && text !== null && text !== "";
    const cell = el("td", {
      textContent: known ? text : column.key === "ratio-ends" ? "" : ABSENT,
    });
    if (column.left) cell.className = column.wraps ? "l wraps" : "l";
    if (column.bold) cell.className = "v";
    cell.dataset.label = column.head;
    const measured = column.cell && column.cell(it);
    if (measured) {
      for (const small of column.small(it, measured)) {
        if (small) cell.append(el("small", { textContent: small }));
      }
    }
    return cell;
  };
  const row = (it) => {
    const { caution } = data.macs[it.mac];
    const cells = own.columns.map((column) => {
      if (column.key !== "mac") return entry(column, it);
      const name = el("th", { scope: "row" }, el("span", {}, swatch(it.drawn), nameOf(it)));
      for (const small of [
        caution,
        own.one === undefined && it.sources === 1 ? it.who : undefined,
        it.about,
      ]) {
        if (small) name.append(el("small", { textContent: small }));
      }
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
    const { columns, one } = columnsOf(lines, choice);
    Object.assign(own, { columns, one, rows: sorted(lines, columns, choice), made: 0 });
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
    const value = column.text ? column.text(it) : column.of(it);
    const ends = column.cell?.(it)?.ends;
    return `${value ?? ""}${ends ? ` (${ends})` : ""}`;
  };
  const rows = own.rows.map((it) => own.columns.map((column) => text(column, it)));
  return [own.columns.map((column) => column.head), ...rows]
    .map((row) => row.join("\t"))
    .join("\n");
};
