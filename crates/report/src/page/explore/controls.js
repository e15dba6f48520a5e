// What the reader chooses with: presets, a search, lists of MACs, libraries, languages and code
// paths, key lives, and the unit. Each hands on what it changes in the choice.

const distinct = (values) => [...new Set(values)].filter((it) => it);
const named = (values) =>
  distinct(values)
    .sort()
    .map((it) => [it, it]);

const button = (text, pressed, act) => {
  const made = el("button", { type: "button", textContent: text });
  made.dataset.control = text;
  if (pressed !== undefined) made.setAttribute("aria-pressed", pressed);
  made.addEventListener("click", act);
  return made;
};

const select = (title, options, value, act, hint) => {
  const list = el("select", {});
  list.dataset.control = title;
  if (hint) list.append(new Option(hint, ""));
  for (const [own, text] of options) list.append(new Option(text, own, false, own === value));
  list.value = value;
  list.addEventListener("change", () => act(list.value));
  return el("label", {}, `${title} `, list);
};

// One of some, as a row of radio buttons that wraps.
const radios = (name, title, options, value, act) => {
  const track = el("div", { className: "track" });
  for (const [own, text] of options) {
    const input = el("input", { type: "radio", name, value: own, checked: own === value });
    input.dataset.control = `${name}=${own}`;
    input.addEventListener("change", () => act(own));
    track.append(el("label", {}, input, el("span", { textContent: text })));
  }
  return el("fieldset", { className: name }, el("legend", { textContent: title }), track);
};

// Some of many, behind a fold: its boxes are made when it is opened.
const facet = (title, options, chosen, act) => {
  const count =
    chosen.length && chosen.length < options.length
      ? `${chosen.length} of ${options.length}`
      : `all ${options.length}`;
  const fold = el(
    "details",
    { className: "facet" },
    el("summary", {}, `${title} `, el("small", { textContent: count })),
  );
  fold.dataset.facet = fold.firstChild.dataset.control = title;
  fold.fill = () => {
    if (fold.children.length > 1) return;
    const boxes = options.map(([value, text]) => {
      const box = el("input", { type: "checkbox", value, checked: chosen.includes(value) });
      box.dataset.control = `${title}=${value}`;
      box.addEventListener("change", () => {
        const own = boxes.map((label) => label.firstChild);
        act(own.filter((it) => it.checked).map((it) => it.value));
      });
      return el("label", {}, box, ` ${text}`);
    });
    const list = el("div", { className: "boxes" }, ...boxes);
    const all = button(`All ${title}`, undefined, () => act([]));
    fold.append(el("div", { className: "fold" }, list, all));
  };
  fold.addEventListener("toggle", () => fold.open && fold.fill());
  fold.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !fold.open) return;
    fold.open = false;
    fold.firstChild.focus();
  });
  return fold;
};

const macOptions = (groups) =>
  [...new Set(groups.flatMap(usedFirst))].map((mac) => {
    const { name, called, caution } = data.macs[mac];
    return [name, caution ? `${called} (${caution})` : called];
  });

// Who computes a mac in these groups.
const librariesOf = (groups, mac) => {
  const offers = groups.flatMap((group) => group.offers).map((offer) => data.offers[offer]);
  const own = offers.filter((offer) => data.macs[offer.mac].name === mac);
  return distinct(own.map((offer) => offer.of)).sort();
};

const presetControls = (choice, groups, set) => {
  const preset = presetOf(choice);
  const row = el("div", { className: "presets" });
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Ready-made choices");
  const fresh = (patch) =>
    set({
      ...empty(),
      life: choice.life,
      regime: choice.regime,
      of: choice.of,
      unit: choice.unit,
      len: choice.len,
      ...patch,
    });
  const ready = [
    ["used", "What people use"],
    ["fastest", "Fastest"],
    ["all", "Every MAC"],
  ];
  for (const [name, text] of ready.filter(([name]) => name !== "used" || used.length)) {
    row.append(button(text, preset === name, () => fresh({ show: name })));
  }
  const options = macOptions(groups);
  const one = choice.macs.length === 1 && byOf(choice) === "offer" ? choice.macs[0] : "";
  row.append(
    select(
      "One MAC, all libraries",
      options,
      one,
      (mac) => fresh(mac ? { macs: [mac], by: "offer" } : {}),
      "choose a MAC",
    ),
  );
  const [mac, library] = choice.now.split("@");
  const today = el("div", { className: "today" });
  const call = (own) => {
    const has = librariesOf(groups, own);
    fresh(own ? { now: `${own}@${has.includes(library) ? library : has[0]}` } : {});
  };
  today.append(select("My call today", options, mac, call, "choose a MAC"));
  if (choice.now) {
    const has = librariesOf(groups, mac).map((it) => [it, it]);
    today.append(select("from", has, library, (own) => fresh({ now: `${mac}@${own}` })));
  }
  row.append(today);
  return row;
};

const facetControls = (choice, groups, lines, set) => {
  const offers = groups.flatMap((group) => group.offers).map((offer) => data.offers[offer]);
  const shown = distinct(lines.map((it) => data.macs[it.mac].name));
  const macs = macOptions(groups);
  const row = el("div", { className: "facets" });
  row.append(
    facet("MACs", macs, shown.length === macs.length ? [] : shown, (own) =>
      set({ macs: own, show: own.length ? "" : "all", now: "", q: "" }),
    ),
  );
  for (const [title, key, values] of [
    ["Libraries", "libs", offers.map((it) => it.of)],
    ["Languages", "langs", offers.map((it) => data.libraries[it.library].language)],
    ["Code paths", "paths", offers.map((it) => data.kernels[it.kernel])],
  ]) {
    const options = named(values);
    if (options.length > 1) {
      row.append(facet(title, options, choice[key], (own) => set({ [key]: own, now: "" })));
    }
  }
  return row;
};

const contextControls = (choice, groups, set) => {
  const row = el("div", { className: "contexts" });
  if (data.sets.length > 1) {
    const own = data.sets.map((text, at) => [String(at), text]);
    row.append(select("Of", own, String(groups[0].set), (of) => set({ of })));
  }
  const inSet = data.groups.filter((group) => group.set === groups[0].set);
  const regimes = distinct(inSet.map((group) => data.regimes[group.regime]));
  if (regimes.length > 1) {
    const own = regimes.map((it) => [it.name, it.words]);
    row.append(
      select("Calls", own, data.regimes[groups[0].regime].name, (regime) => set({ regime })),
    );
  }
  const lives = distinct(
    inSet
      .filter((group) => group.regime === groups[0].regime)
      .map((group) => data.lives[group.life]),
  );
  if (lives.length > 1) {
    const chosen = groups.map((group) => data.lives[group.life].name);
    const own = lives.map(({ name, words }) => {
      const box = el("input", { type: "checkbox", checked: chosen.includes(name), value: name });
      box.dataset.control = `life=${name}`;
      box.addEventListener("change", () => {
        const next = lives
          .map((it) => it.name)
          .filter((it) => (it === name ? box.checked : chosen.includes(it)));
        set({ life: next });
      });
      return el("label", {}, box, el("span", { textContent: words }));
    });
    row.append(
      el(
        "fieldset",
        { className: "lives" },
        el("legend", { textContent: "Key" }),
        el("div", { className: "track" }, ...own),
      ),
    );
  }
  if (!choice.now) {
    row.append(
      radios(
        "by",
        "A line for",
        [
          ["mac", "the fastest of each MAC"],
          ["offer", "every implementation"],
        ],
        byOf(choice),
        (by) => set({ by }),
      ),
    );
  }
  const units = Object.entries(UNITS).filter(([unit]) =>
    groups.some((group) => unit !== "cycles" || group.per_byte.some((it) => it !== null)),
  );
  row.append(
    select(
      "Chart of",
      units.map(([unit, it]) => [unit, it.title]),
      unitOf(choice),
      (unit) => set({ unit }),
    ),
  );
  return row;
};
