// Picks what is shown, filters tables. Without it everything is shown.
(() => {
  "use strict";
  const root = document.documentElement;

  // What can be picked is read off the views themselves.
  const views = [...document.querySelectorAll(".view")];
  const topics = document.getElementById("picker").dataset.topics.split(" ");
  const groups = new Map();
  const sizes = new Map();
  // A view may be of several topics: each shows it, and the others name them.
  const of = (view) => view.dataset.group.split(" ");
  const alone = views.filter((view) => of(view).length === 1);
  // In the order of the study, whichever section shows a topic first.
  const place = (view) => topics.indexOf(view.dataset.group);
  for (const view of alone.sort((a, b) => place(a) - place(b))) {
    groups.set(view.dataset.group, view.dataset.label);
    if (view.dataset.size) sizes.set(view.dataset.size, view.dataset.sizeLabel);
  }
  const order = [...sizes.keys()].sort((a, b) => a - b);
  const has = (group, size) =>
    views.some((view) => of(view).includes(group) && view.dataset.size === size);
  const picked = { group: groups.keys().next().value, size: undefined };

  const show = () => {
    const own = order.filter((size) => has(picked.group, size));
    if (!own.includes(picked.size)) picked.size = own.includes("64") ? "64" : own[0];
    for (const view of views) {
      const { size } = view.dataset;
      view.hidden = !of(view).includes(picked.group) || (size !== undefined && size !== picked.size);
    }
    for (const section of document.querySelectorAll("section")) {
      const inside = [...section.querySelectorAll(".view")];
      let empty = section.querySelector(".empty");
      if (inside.length && !empty) {
        empty = document.createElement("p");
        empty.className = "empty hint";
        empty.textContent = "Nothing of this kind for what is picked above.";
        section.append(empty);
      }
      if (empty) empty.hidden = inside.some((view) => !view.hidden);
    }
    draw(own);
  };

  const picker = document.getElementById("picker");
  const radios = (name, title, entries, chosen, pick) => {
    const set = document.createElement("fieldset");
    const legend = set.appendChild(document.createElement("legend"));
    const track = set.appendChild(document.createElement("div"));
    legend.textContent = title;
    track.className = "track";
    for (const [value, text] of entries) {
      const box = track.appendChild(document.createElement("label"));
      const input = box.appendChild(document.createElement("input"));
      const span = box.appendChild(document.createElement("span"));
      Object.assign(input, { type: "radio", name, value, checked: value === chosen });
      span.textContent = text;
      input.addEventListener("change", () => pick(value));
    }
    return set;
  };
  const select = (name, title, entries, chosen, pick) => {
    const set = document.createElement("fieldset");
    const box = set.appendChild(document.createElement("label"));
    box.append(title + " ");
    const list = box.appendChild(document.createElement("select"));
    list.name = name;
    for (const [value, text] of entries) {
      list.append(new Option(text, value, false, value === chosen));
    }
    list.addEventListener("change", () => pick(list.value));
    return set;
  };
  const control = (name, title, entries, chosen, pick) => {
    const long = entries.map((entry) => entry[1]).join("").length > 90;
    return (long ? select : radios)(name, title, entries, chosen, pick);
  };
  const draw = (own) => {
    const active = document.activeElement && document.activeElement.name;
    picker.replaceChildren();
    if (groups.size > 1) {
      const pick = (group) => { picked.group = group; show(); };
      picker.append(control("group", "Show", [...groups], picked.group, pick));
    }
    if (own.length > 1) {
      const entries = own.map((size) => [size, sizes.get(size)]);
      const pick = (size) => { picked.size = size; show(); };
      picker.append(control("size", "Length", entries, picked.size, pick));
    }
    picker.hidden = !picker.children.length;
    // The controls were made anew: the keyboard must not lose its place.
    const again = active &&
      picker.querySelector(`select[name="${active}"], input[name="${active}"]:checked`);
    if (again) again.focus({ preventScroll: true });
  };

  // A link to a view that is not shown picks it.
  const follow = () => {
    // A choice of the explorer is no anchor.
    const name = location.hash.includes("=") ? "" : decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    const view = target && target.closest(".view");
    if (!view) return;
    if (!of(view).includes(picked.group)) picked.group = of(view)[0];
    if (view.dataset.size) picked.size = view.dataset.size;
    show();
    target.scrollIntoView();
  };

  // Long tables: only the fastest offer of each MAC, and a word to search for.
  const filters = { word: "", all: false };
  const sieve = () => {
    for (const table of document.querySelectorAll("table.ranking")) {
      const fastestOnly = !filters.all && table.dataset.rows > 24;
      let among = 0;
      for (const row of table.tBodies[0].rows) {
        const other = row.classList.contains("other") && fastestOnly;
        // Who is left out takes no place.
        const rank = row.querySelector(".rank");
        if (rank && !other) {
          rank.dataset.ofAll ??= rank.textContent;
          rank.textContent = fastestOnly ? ++among : rank.dataset.ofAll;
        }
        row.hidden = other || !row.textContent.toLowerCase().includes(filters.word);
      }
    }
  };
  const tables = [...document.querySelectorAll("table.ranking")];
  if (tables.some((table) => table.dataset.rows > 8)) {
    const bar = document.createElement("div");
    bar.className = "filter";
    const search = bar.appendChild(document.createElement("input"));
    Object.assign(search, { type: "search", placeholder: "Filter: sha256, openssl, …" });
    search.setAttribute("aria-label", "Filter the ranking");
    search.addEventListener("input", () => {
      filters.word = search.value.trim().toLowerCase();
      sieve();
    });
    if (tables.some((table) => table.dataset.rows > 24)) {
      const box = bar.appendChild(document.createElement("label"));
      const every = box.appendChild(document.createElement("input"));
      every.type = "checkbox";
      box.append(" every offer, not only the fastest of each MAC");
      every.addEventListener("change", () => { filters.all = every.checked; sieve(); });
    }
    // A study of sessions has no such section: its first table stands in another.
    const hint = document.querySelector("#ranking > .hint") ||
      tables[0].closest("section").querySelector(".hint");
    if (hint) hint.after(bar);
    sieve();
  }

  if (views.length) show();
  window.addEventListener("hashchange", follow);
  follow();
  root.dataset.ready = "yes";
})();
