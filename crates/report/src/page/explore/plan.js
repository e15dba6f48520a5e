// What is to be drawn, whoever draws it: values, ticks and inks of the lines that are chosen. The
// chart on the page and the picture for print and files are made of the same plan.

const tick = (value) => {
  const [scaled, sign] =
    value >= 999.5e6
      ? [value / 1e9, " G"]
      : value >= 999.5e3
        ? [value / 1e6, " M"]
        : value >= 9995
          ? [value / 1e3, " k"]
          : [value, ""];
  return `${Number(three(scaled))}${sign}`;
};
const tickTime = (ns) => {
  for (const [sign, size] of [
    ["ns", 1],
    ["µs", 1e3],
    ["ms", 1e6],
  ]) {
    if (ns < 999.5 * size) return `${Number(three(ns / size))} ${sign}`;
  }
  return `${Number(three(ns / 1e9))} s`;
};

// Each tells its value of a cell, for the time in nanoseconds that is handed in: so ends too.
const perByte = (cell, ns) => (cell.len ? ns / cell.len : undefined);
const UNITS = {
  byte: { title: "time per byte", axis: "ns per byte", of: perByte, tick },
  time: { title: "time per message", axis: "time per message", of: (_, ns) => ns, tick: tickTime },
  cycles: {
    title: "core cycles per byte",
    axis: "estimated core cycles per byte",
    tick,
    of: (cell, ns) => (cell.perByte === null ? undefined : (cell.perByte * ns) / cell.ns),
  },
  speed: {
    title: "MiB per second",
    axis: "MiB per second",
    tick,
    up: true,
    of: (cell, ns) => (cell.speed * cell.ns) / ns,
  },
  ratio: { title: "× the fastest", axis: "time ÷ that of the fastest of all", tick },
};
const unitOf = (choice) => (UNITS[choice.unit] ? choice.unit : "byte");

// A value with its ends in a unit; undefined where the cell has none.
const valueOf = (cell, unit) => {
  if (!cell) return undefined;
  if (unit === "ratio") return cell.ratio;
  const of = (ns) => (ns === undefined ? undefined : UNITS[unit].of(cell, ns));
  const value = of(cell.ns);
  if (!(value > 0)) return undefined;
  const ends = [of(cell.low), of(cell.high)].sort((a, b) => a - b);
  return { value, low: ends[0], high: ends[1] };
};

// Inks and forms: neighbours differ in both, so that lines are told apart without colour too.
const INKS = 12;
const FORMS = ["circle", "square", "triangle", "diamond"];
const COLOURED = 24;
const DASHES = { prepared: [], "new-key": [7, 4], "one-shot": [2, 3] };
const inkOf = (style, name) => style.getPropertyValue(`--${name}`).trim();
const markOf = (form, x, y, r) => {
  if (form === "square") return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;
  if (form === "triangle") return `M${x} ${y - r * 1.2}L${x + r * 1.2} ${y + r}H${x - r * 1.2}Z`;
  if (form === "diamond")
    return `M${x} ${y - r * 1.3}L${x + r * 1.3} ${y}L${x} ${y + r * 1.3}L${x - r * 1.3} ${y}Z`;
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
};

const nameOf = (it) => data.macs[it.mac].called;
const lifeOf = (it) => data.lives[it.group.life];
// Decades, with 2 and 5 where there are few of them.
const logTicks = (low, high) => {
  const few = Math.log10(high / low) < 4.2;
  const steps =
    Math.log10(high / low) < 0.8
      ? [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]
      : few
        ? [1, 2, 5]
        : [1];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const step of steps) {
      const value = Number((step * 10 ** power).toPrecision(3));
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
    }
  }
  return ticks;
};

// Crossings of the lines that are shown, where each is the line that the crossing is about.
const crossingsOf = (lines, unit) => {
  const found = [];
  for (const group of new Set(lines.map((it) => it.group))) {
    const own = lines.filter((it) => it.group === group);
    const of = (offer, len) =>
      own.find((it) => {
        const cell = it.cells[group.lens.indexOf(len)];
        return cell && cell.offer.id === offer;
      });
    for (const crossing of group.crossings) {
      const below = of(crossing.below, crossing.from);
      const above = of(crossing.above, crossing.to);
      if (!below || !above || below === above) continue;
      const at = [crossing.from, crossing.to].map((len) => {
        const value = valueOf(below.cells[group.lens.indexOf(len)], unit);
        return value && Math.log(value.value);
      });
      const share = Math.log(crossing.at / crossing.from) / Math.log(crossing.to / crossing.from);
      const value = Math.exp(at[0] + (at[1] - at[0]) * share);
      found.push({ ...crossing, below, above, x: crossing.at, value, group });
    }
  }
  return found.sort((a, b) => b.lead - a.lead || a.at - b.at);
};

const planOf = (lines, choice) => {
  const unit = unitOf(choice);
  const lens = [...new Set(lines.flatMap((it) => it.group.lens))]
    .filter((len) => len > 0)
    .sort((a, b) => a - b);
  const several = new Set(lines.map((it) => it.group.life)).size > 1;
  // Of one mac only who computes it tells lines apart.
  const alone = lines.length > 1 && new Set(lines.map((it) => it.mac)).size === 1;
  const drawn = lines
    .map((it) => {
      const points = lens.map((len) => {
        const cell = it.cells[it.group.lens.indexOf(len)];
        const own = valueOf(cell, unit);
        return own && { ...own, cell, len, bound: boundOf(cell, own.value, unit) };
      });
      const form = FORMS[(it.place + Math.floor(it.place / INKS)) % FORMS.length];
      const under = [alone ? "" : it.who, several ? lifeOf(it).words : "", it.about];
      it.drawn = {
        line: it,
        points,
        form,
        ink: it.place < COLOURED ? `series-${it.place % INKS}` : "rest",
        dash: (several && DASHES[lifeOf(it).name]) || [],
        wide: it.about === "today",
        name: alone ? it.who : nameOf(it),
        under: under.filter((word) => word).join(" · "),
      };
      return it.drawn;
    })
    .sort((a, b) => (b.ink === "rest") - (a.ink === "rest"));
  const floor =
    unit === "time" && lines.length
      ? lens.map((len) => lines[0].group.floor[lines[0].group.lens.indexOf(len)])
      : undefined;
  const values = drawn
    .flatMap((it) => it.points)
    .filter((it) => it)
    .flatMap((it) => [
      it.value,
      it.bound,
      it.low && Math.max(it.low, it.value / 4),
      it.high && Math.min(it.high, it.value * 4),
    ])
    .concat(floor || [])
    .filter((it) => it > 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const pad = Math.max((most / least) ** 0.04, 1.03);
  const range = [least / pad, most * pad];
  return {
    unit,
    lens,
    drawn,
    floor,
    range,
    ticks: logTicks(...range),
    several,
    crossings: crossingsOf(lines, unit),
    bounded:
      drawn.length <= BANDS && drawn.some((it) => it.points.some((point) => point && point.bound)),
  };
};

// Where the numbers of crossings stand: above their place where others are there already. More
// than these would hide the lines; the list below the chart has all.
const RINGS = 9;
const ringsOf = (crossings, x, y, size) => {
  const rings = [];
  for (const it of crossings.slice(0, RINGS)) {
    const ring = { x: x(it.x), y: y(it.value), at: y(it.value) };
    while (rings.some((other) => Math.hypot(other.x - ring.x, other.y - ring.y) < 2 * size))
      ring.y -= size;
    rings.push(ring);
  }
  return rings;
};

// What the mac cannot do better than, where that is known: in the unit of the chart.
const boundOf = (cell, value, unit) => {
  if (!cell.toBound || unit === "ratio") return undefined;
  return UNITS[unit].up ? value * cell.toBound : value / cell.toBound;
};
