// The cells of the run, read from its columns. Numbers are printed as everywhere else: a value and
// the ends of its interval are whole numbers that share their decimals.

// Text as it is searched: `HMAC-SHA-256` and `hmac_sha256` are the same word.
const spelled = (text) =>
  text
    .toLowerCase()
    .replace(/[-_/]/g, "")
    .replace(/\s+/g, " ");

const data = JSON.parse(document.getElementById("explorer-data").textContent);
const ABSENT = "–";
const UNITS_NS = { n: 1, µ: 1e3, m: 1e6, s: 1e9 };
const UNIT_WORDS = { n: "ns", µ: "µs", m: "ms", s: "s" };

data.offers = data.offers.map(([mac, library, kernel], id) => {
  const own = { id, mac, library, kernel, of: data.libraries[library].of };
  const { name, plain } = data.libraries[library];
  own.source = plain ? `${name}[${data.kernels[kernel]}]` : name;
  const words = [
    data.macs[mac].called,
    data.macs[mac].name,
    own.source,
    data.kernels[kernel],
    data.libraries[library].language,
  ];
  own.text = spelled(words.join(" "));
  return own;
});
for (const group of data.groups) {
  group.rowOf = new Map(group.offers.map((offer, row) => [offer, row]));
  group.byMac = new Map();
  group.offers.forEach((offer, row) => {
    const { mac } = data.offers[offer];
    if (!group.byMac.has(mac)) group.byMac.set(mac, []);
    group.byMac.get(mac).push(row);
  });
}
const used = data.macs
  .map((mac, id) => ({ id, used: mac.used }))
  .filter((mac) => mac.used !== undefined)
  .sort((a, b) => a.used - b.used)
  .map((mac) => mac.id);

// Three significant digits, as `format::three` has them.
const three = (value) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return ABSENT;
  if (value === 0) return "0";
  const magnitude = (x) => Math.floor(Math.log10(Math.abs(x)));
  const scale = 10 ** (2 - magnitude(value));
  const rounded = Math.round(value * scale) / scale;
  return value.toFixed(Math.max(0, 2 - magnitude(rounded)));
};

const bytes = (len) => {
  for (const [size, sign] of [
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
  ]) {
    if (len >= size && len % (size / 2) === 0) {
      return len % size === 0 ? `${len / size} ${sign}` : `${Math.floor(len / size)}.5 ${sign}`;
    }
  }
  return `${len} B`;
};

const time = (ns) => {
  for (const [sign, size] of [
    ["ns", 1],
    ["µs", 1e3],
    ["ms", 1e6],
  ]) {
    if (ns < 999.5 * size) return `${three(ns / size)} ${sign}`;
  }
  return `${three(ns / 1e9)} s`;
};

// A value and its ends out of scaled columns; undefined where there is none.
const figure = (columns, at) => {
  const value = columns.value[at];
  if (value === null || value === undefined) return undefined;
  const decimals = parseInt(columns.decimals[at], 16);
  const print = (whole) => (whole / 10 ** decimals).toFixed(decimals);
  const own = { text: print(value), value: value / 10 ** decimals };
  if (columns.below[at] !== null) {
    const ends = [value - columns.below[at], value + columns.above[at]];
    own.ends = ends.map(print).join("–");
    [own.low, own.high] = ends.map((it) => it / 10 ** decimals);
  }
  return own;
};

// The cell of a row of a group at one of its lengths; undefined where nothing was measured.
const cellAt = (group, row, column) => {
  const at = row * group.lens.length + column;
  const own = figure(group.time, at);
  if (!own) return undefined;
  const unit = group.unit[at];
  const scale = UNITS_NS[unit];
  const ratio = figure(group.ratio, at);
  const rank = group.rank[at];
  return {
    group,
    at,
    offer: data.offers[group.offers[row]],
    len: group.lens[column],
    text: `${own.text} ${UNIT_WORDS[unit]}`,
    ends: own.ends,
    ns: own.value * scale,
    low: own.low === undefined ? undefined : own.low * scale,
    high: own.high === undefined ? undefined : own.high * scale,
    ratio: ratio || (rank === 1 ? { text: "1", value: 1 } : undefined),
    rank,
    tie_group: group.tie_group[at],
    tied: group.tied[at] === "=",
    verdict: data.verdicts[group.verdict[at]],
    samples: group.samples[at],
    launches: group.launches[at],
    over: group.over[at],
    cycles: group.cycles[at],
    perByte: group.per_byte[at],
    toBound: group.to_bound[at],
    speed: group.mib_per_s[at],
    notes: data.note_sets[group.note_set[at]],
    why: group.why_wide[at],
    keyLen: group.key_len[at],
    p50: group.p50[at],
    p99: group.p99[at],
    calls: group.calls[at],
  };
};

// The best of some rows at a length: by its place in the ranking, which the run's launches decide.
const bestOf = (group, rows, column) => {
  let best;
  for (const row of rows) {
    const at = row * group.lens.length + column;
    if (group.time.value[at] === null) continue;
    const place = group.rank[at] === null ? Infinity : group.rank[at];
    if (!best || place < best.place) best = { row, place };
  }
  return best && cellAt(group, best.row, column);
};

const pathOf = (cell) => {
  const { offer, group, len, keyLen } = cell;
  const own = [
    data.macs[offer.mac].name,
    data.libraries[offer.library].name,
    data.kernels[offer.kernel],
    data.regimes[group.regime].name,
    data.lives[group.life].name,
    len,
  ];
  return own.join("/") + (keyLen === undefined ? "" : `/key-${keyLen}`);
};
