// What the reader chose: kept in the address, and turned into the lines that are shown.

const FASTEST = 8;
const LISTS = ["macs", "libs", "langs", "paths", "life"];
const empty = () => ({
  show: "",
  macs: [],
  libs: [],
  langs: [],
  paths: [],
  life: [],
  regime: "",
  of: "",
  by: "",
  unit: "",
  len: "",
  sort: "",
  q: "",
  now: "",
});

// `#macs=hmac-sha256,cmac-aes-128&life=prepared`: only what differs from a fresh page.
const toHash = (choice) => {
  const words = (value) => encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%40", "@");
  const parts = [];
  for (const [key, value] of Object.entries(choice)) {
    if (value.length) parts.push(`${key}=${words(LISTS.includes(key) ? value.join(",") : value)}`);
  }
  return parts.length ? `#${parts.join("&")}` : "";
};

// Undefined where the address holds no choice, but an anchor or nothing.
const fromHash = (hash) => {
  if (!hash.includes("=")) return undefined;
  const choice = empty();
  for (const part of hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    if (at < 0 || !Object.hasOwn(choice, key)) continue;
    let value;
    try {
      value = decodeURIComponent(part.slice(at + 1));
    } catch {
      continue;
    }
    choice[key] = LISTS.includes(key) ? value.split(",").filter((it) => it) : value;
  }
  return choice;
};

// The groups that are shown: one for each key life that is chosen, or the first.
const groupsOf = (choice) => {
  const set = Number(choice.of) || 0;
  const ofSet = data.groups.filter((group) => group.set === set);
  const among = ofSet.length ? ofSet : data.groups;
  const is = (group) => data.regimes[group.regime].name === choice.regime;
  const regime = (among.find(is) || among[0]).regime;
  const own = among.filter((group) => group.regime === regime);
  const chosen = own.filter((group) => choice.life.includes(data.lives[group.life].name));
  return chosen.length ? chosen : own.slice(0, 1);
};

// Macs by how far they are behind the best of all, over all lengths.
const byDistance = (group) => {
  const distance = (mac) => {
    let sum = 0;
    let count = 0;
    group.lens.forEach((_, column) => {
      const cell = bestOf(group, group.byMac.get(mac), column);
      if (cell && cell.ratio) {
        sum += Math.log(cell.ratio.value);
        count += 1;
      }
    });
    return count ? sum / count : Infinity;
  };
  group.ordered ||= [...group.byMac.keys()]
    .map((mac) => [distance(mac), mac])
    .sort((a, b) => a[0] - b[0])
    .map(([, mac]) => mac);
  return group.ordered;
};

// Who is first at each length, among macs of a group.
const firsts = (group, macs) =>
  group.lens.flatMap((_, column) => {
    const own = macs.map((mac) => bestOf(group, group.byMac.get(mac), column));
    const ranked = own.filter((cell) => cell && cell.rank).sort((a, b) => a.rank - b.rank);
    return ranked.length ? [ranked[0].offer.mac] : [];
  });
const isSound = (mac) => !data.macs[mac].caution;

// Those that are first somewhere, of all or without caveats, and the next on average.
const fastest = (group) => {
  const all = byDistance(group);
  const first = [...firsts(group, all), ...firsts(group, all.filter(isSound))];
  const own = [...new Set([...first, ...all])].slice(0, Math.max(FASTEST, new Set(first).size));
  return all.filter((mac) => own.includes(mac));
};

const presetOf = (choice) => {
  if (choice.now) return "now";
  if (choice.macs.length || choice.q) return "";
  return choice.show || (used.length ? "used" : "fastest");
};

// Macs in wide use before all others: so they have colours among many.
const usedFirst = (group) => {
  const own = used.filter((mac) => group.byMac.has(mac));
  return [...new Set([...own, ...byDistance(group)])];
};

// The macs of a group that are asked for, in the order of their colours.
const macsOf = (choice, group) => {
  const all = usedFirst(group);
  if (choice.q) return all;
  if (choice.macs.length) return all.filter((mac) => choice.macs.includes(data.macs[mac].name));
  const preset = presetOf(choice);
  if (preset === "used") return all.filter((mac) => used.includes(mac));
  return preset === "all" ? all : fastest(group);
};

// A search as it was typed: a comma means "or", a space "and". No words are no search.
const wordsOf = (search) => {
  const all = search.split(",").map((words) => spelled(words).split(" ").filter((it) => it));
  return all.filter((words) => words.length);
};

const isFound = (search, offer) => {
  const all = wordsOf(search);
  return !all.length || all.some((words) => words.every((word) => offer.text.includes(word)));
};

const isMade = (choice, offer) => {
  const library = data.libraries[offer.library];
  const has = (list, value) => !list.length || list.includes(value);
  return (
    has(choice.libs, library.of) &&
    has(choice.langs, library.language) &&
    has(choice.paths, data.kernels[offer.kernel]) &&
    isFound(choice.q, offer)
  );
};

// One line for each mac, through its fastest implementation, or for each implementation.
const byOf = (choice) => choice.by || (choice.macs.length === 1 && !choice.q ? "offer" : "mac");

const line = (group, mac, rows, about) => {
  const cells = group.lens.map((_, column) => bestOf(group, rows, column));
  const sources = new Set(cells.filter((it) => it).map((it) => it.offer.source));
  const own = [...sources];
  const who =
    own.length > 2 ? `${own.slice(0, 2).join(", ")} and ${own.length - 2} more` : own.join(", ");
  const key = rows.length === 1 ? `${group.offers[rows[0]]}` : `m${mac}`;
  return {
    group,
    mac,
    rows,
    cells,
    who,
    sources: own.length,
    key: about ? `${key}${about}` : key,
    about,
  };
};

// The line of today's call, of others for the same mac, and of what could take its place.
const linesOfNow = (choice, group) => {
  const [name, library] = choice.now.split("@");
  const mac = data.macs.findIndex((it) => it.name === name);
  const rows = group.byMac.get(mac) || [];
  const is = (row) => data.offers[group.offers[row]].of === library;
  const own = rows.filter(is);
  const lines = [];
  if (own.length) lines.push(line(group, mac, own, "today"));
  const others = rows.filter((row) => !is(row));
  if (others.length) lines.push(line(group, mac, others, "same MAC elsewhere"));
  for (const other of used.filter((it) => it !== mac && group.byMac.has(it)).slice(0, 7)) {
    const same = group.byMac.get(other).filter(is);
    if (same.length) lines.push(line(group, other, same, "same library"));
  }
  const first = firsts(group, byDistance(group).filter(isSound)).filter((it) => it !== mac);
  const times = (it) => first.filter((other) => other === it).length;
  for (const other of [...new Set(first)].sort((a, b) => times(b) - times(a)).slice(0, 2)) {
    lines.push(line(group, other, group.byMac.get(other), "fastest without caveats"));
  }
  return lines;
};

const linesOf = (choice) => {
  const lines = [];
  for (const group of groupsOf(choice)) {
    if (choice.now) {
      lines.push(...linesOfNow(choice, group));
      continue;
    }
    for (const mac of macsOf(choice, group)) {
      const fits = (row) => isMade(choice, data.offers[group.offers[row]]);
      const rows = group.byMac.get(mac).filter(fits);
      if (!rows.length) continue;
      if (byOf(choice) === "mac") lines.push(line(group, mac, rows));
      else for (const row of rows) lines.push(line(group, mac, [row]));
    }
  }
  // One colour for a mac, or for an implementation, over all key lives.
  const keys = [...new Set(lines.map((it) => it.key))];
  for (const it of lines) it.place = keys.indexOf(it.key);
  return lines.filter((it) => it.cells.some((cell) => cell));
};
