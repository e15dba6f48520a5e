// The chart on the page: uPlot draws axes, lines and bands; forms, bounds and crossings are drawn
// over them. It is read by pointer and by keyboard.

const FONT = getComputedStyle(document.body).fontFamily;
// With more lines than these, bands and forms would hide the lines.
const BANDS = 40;
const NEAR = 40;

// Of three series a line, the line is the first; the others are the ends of its intervals.
const seriesOf = (plan, style) => {
  const series = [{}];
  const columns = [plan.lens];
  const bands = [];
  const many = plan.drawn.length > BANDS;
  for (const it of plan.drawn) {
    const ink = inkOf(style, it.ink);
    const width = it.wide ? 3.5 : it.ink === "rest" ? 1 : 2;
    const points = { show: false };
    series.push({ stroke: ink, width, dash: it.dash, points });
    columns.push(it.points.map((point) => (point ? point.value : null)));
    if (many) continue;
    for (const end of ["high", "low"]) {
      series.push({ stroke: "#0000", width: 0, points });
      columns.push(
        it.points.map((point) => (point && point[end] !== undefined ? point[end] : null)),
      );
    }
    bands.push({ series: [series.length - 2, series.length - 1], fill: `${ink}38` });
  }
  return { series, columns, bands, step: many ? 1 : 3 };
};

const axesOf = (plan, style) => {
  const [quiet, grid, axis] = ["quiet", "grid", "axis"].map((name) => inkOf(style, name));
  const base = {
    stroke: quiet,
    font: `12px ${FONT}`,
    labelFont: `12px ${FONT}`,
    labelSize: 20,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: axis, width: 1, size: 5 },
    filter: (_, splits) => splits,
  };
  // Labels that would touch their neighbour are left out; their grid line stays.
  const lengths = (u, splits) => {
    let free = -Infinity;
    return splits.map((len) => {
      const at = u.valToPos(len, "x");
      if (at < free) return "";
      free = at + 50;
      return bytes(len);
    });
  };
  return [
    { ...base, label: "message length", size: 32, splits: () => plan.lens, values: lengths },
    {
      ...base,
      label: UNITS[plan.unit].axis,
      size: 56,
      splits: () => plan.ticks,
      values: (_, splits) => splits.map(UNITS[plan.unit].tick),
    },
  ];
};

const makeChart = (place, card, onFocus) => {
  const chart = { plan: undefined, u: undefined, focused: undefined, at: undefined };
  let step = 1;

  const path = (u, points) => {
    let begun = "";
    for (const [x, y] of points) begun += `${begun ? "L" : "M"}${x} ${y}`;
    return new Path2D(begun);
  };
  const over = (u) => {
    const { ctx } = u;
    const { plan } = chart;
    const style = getComputedStyle(document.documentElement);
    const ratio = devicePixelRatio;
    const x = (len) => u.valToPos(len, "x", true);
    const y = (value) => u.valToPos(value, "y", true);
    const alpha = (number) => (chart.focused === undefined || chart.focused === number ? 1 : 0.15);
    ctx.save();
    plan.drawn.forEach((it, number) => {
      ctx.globalAlpha = alpha(number);
      ctx.strokeStyle = ctx.fillStyle = inkOf(style, it.ink);
      const whole = it.points.filter((point) => point);
      if (it.ink !== "rest" || chart.focused === number) {
        for (const point of whole) {
          ctx.fill(
            new Path2D(markOf(it.form, x(point.len), y(point.value), (it.wide ? 5 : 3.6) * ratio)),
          );
        }
      }
      const bounds = whole.filter((point) => point.bound);
      if (bounds.length && plan.drawn.length <= BANDS) {
        ctx.lineWidth = ratio;
        ctx.setLineDash([2 * ratio, 3 * ratio]);
        const ends =
          bounds.length > 1
            ? bounds.map((point) => [x(point.len), y(point.bound)])
            : [
                [x(bounds[0].len) - 12 * ratio, y(bounds[0].bound)],
                [x(bounds[0].len), y(bounds[0].bound)],
              ];
        ctx.stroke(path(u, ends));
        ctx.setLineDash([]);
      }
    });
    ctx.globalAlpha = chart.focused === undefined ? 1 : 0.3;
    if (plan.floor) {
      ctx.strokeStyle = inkOf(style, "quiet");
      ctx.lineWidth = 1.2 * ratio;
      ctx.setLineDash([4 * ratio, 4 * ratio]);
      const known = plan.lens.map((len, at) => [len, plan.floor[at]]).filter((it) => it[1] > 0);
      ctx.stroke(
        path(
          u,
          known.map(([len, ns]) => [x(len), y(ns)]),
        ),
      );
      ctx.setLineDash([]);
    }
    ctx.font = `600 ${11 * ratio}px ${FONT}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ringsOf(plan.crossings, x, y, 8 * ratio).forEach(({ x: cx, y: cy, at }, number) => {
      ctx.fillStyle = inkOf(style, "paper");
      ctx.strokeStyle = inkOf(style, "ink");
      ctx.lineWidth = 1.2 * ratio;
      ctx.stroke(
        path(u, [
          [cx, cy],
          [cx, at],
        ]),
      );
      const ring = new Path2D(markOf("circle", cx, cy, 7.5 * ratio));
      ctx.fill(ring);
      ctx.stroke(ring);
      ctx.fillStyle = inkOf(style, "ink");
      ctx.fillText(number + 1, cx, cy + 0.5 * ratio);
    });
    ctx.restore();
  };

  const size = () => {
    const width = Math.max(place.clientWidth, 240);
    return { width, height: Math.round(Math.min(Math.max(width * 0.62, 300), 470)) };
  };

  // Lines that are not looked at step back.
  chart.focus = (number) => {
    if (number === chart.focused || !chart.u) return;
    chart.focused = number;
    chart.u.series.forEach((series, at) => {
      const own = Math.floor((at - 1) / step);
      series.alpha = number === undefined || own === number ? 1 : 0.15;
    });
    chart.u.redraw(false);
    onFocus(number);
  };
  chart.show = (number, column) => {
    const point = chart.plan.drawn[number] && chart.plan.drawn[number].points[column];
    if (!point) {
      chart.leave();
      return;
    }
    chart.at = { number, column };
    chart.focus(number);
    const box = chart.u.over;
    card.show(chart.plan.drawn[number], point, {
      x: box.offsetLeft + chart.u.valToPos(point.len, "x"),
      y: box.offsetTop + chart.u.valToPos(point.value, "y"),
    });
  };
  chart.leave = () => {
    chart.at = undefined;
    chart.focus(undefined);
    card.hide();
  };

  const nearest = (u) => {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0) {
      if (!place.contains(document.activeElement)) chart.leave();
      return;
    }
    let best = { distance: NEAR };
    chart.plan.drawn.forEach((it, number) =>
      it.points.forEach((point, column) => {
        if (!point) return;
        const distance = Math.hypot(
          u.valToPos(point.len, "x") - left,
          u.valToPos(point.value, "y") - top,
        );
        if (distance < best.distance) best = { distance, number, column };
      }),
    );
    if (best.number === undefined) chart.leave();
    else if (!chart.at || chart.at.number !== best.number || chart.at.column !== best.column) {
      chart.show(best.number, best.column);
    }
  };

  chart.draw = (plan) => {
    chart.plan = plan;
    chart.focused = chart.at = undefined;
    card.hide();
    if (chart.u) chart.u.destroy();
    const style = getComputedStyle(document.documentElement);
    const { series, columns, bands, step: own } = seriesOf(plan, style);
    step = own;
    const [first, last] = [plan.lens[0], plan.lens.at(-1)];
    const pad = (last / first) ** 0.03;
    chart.u = new uPlot(
      {
        ...size(),
        series,
        bands,
        axes: axesOf(plan, style),
        padding: [12, 14, 0, 0],
        legend: { show: false },
        hooks: { draw: [over], setCursor: [nearest] },
        cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
        scales: {
          x: { time: false, distr: 3, log: 2, range: () => [first / pad, last * pad] },
          y: { distr: 3, log: 10, range: () => plan.range },
        },
      },
      columns,
      place,
    );
  };
  new ResizeObserver(() => {
    if (chart.u && Math.abs(place.clientWidth - chart.u.width) > 1) chart.u.setSize(size());
  }).observe(place);

  // Left and right along the line, up and down to the line above or below at that length.
  const move = (event) => {
    const { plan } = chart;
    if (!plan || !plan.drawn.length) return;
    const at = chart.at || { number: 0, column: 0 };
    const has = (number, column) => plan.drawn[number].points[column];
    const along = (from, by) => {
      let column = from;
      while (column >= 0 && column < plan.lens.length && !has(at.number, column)) column += by;
      return { number: at.number, column };
    };
    const across = (by) => {
      const order = plan.drawn
        .map((_, number) => number)
        .filter((number) => has(number, at.column))
        .sort((a, b) => has(b, at.column).value - has(a, at.column).value);
      const next = order.indexOf(at.number) + by;
      return { number: order[next], column: at.column };
    };
    const moves = {
      ArrowLeft: () => along(at.column - 1, -1),
      ArrowRight: () => along(at.column + 1, 1),
      ArrowUp: () => across(-1),
      ArrowDown: () => across(1),
      Home: () => along(0, 1),
      End: () => along(plan.lens.length - 1, -1),
    };
    if (event.key === "Escape") {
      chart.leave();
      return;
    }
    if (!moves[event.key]) return;
    event.preventDefault();
    const next =
      chart.at || ["Home", "End"].includes(event.key) ? moves[event.key]() : moves.Home();
    if (plan.drawn[next.number] && has(next.number, next.column))
      chart.show(next.number, next.column);
  };
  place.addEventListener("keydown", move);
  place.addEventListener("blur", () => chart.leave());
  return chart;
};
