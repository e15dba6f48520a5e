// Fills the matrix of the first page and searches it. Without it machines, MACs and providers are
// lists of links.
(() => {
  "use strict";
  const root = document.documentElement;
  const content = document.getElementById("values");
  if (!content) {
    root.dataset.ready = "yes";
    return;
  }
  const { macs, links, values } = JSON.parse(content.textContent);
  const matrix = document.getElementById("matrix");
  const head = matrix.tHead.rows[0];
  macs.forEach((mac, at) => {
    const cell = head.appendChild(document.createElement("th"));
    cell.scope = "col";
    const link = cell.appendChild(document.createElement("a"));
    link.href = links[at];
    link.textContent = mac;
  });
  const rows = [...matrix.tBodies[0].rows];
  rows.forEach((row, at) => {
    for (const value of values[at] || []) {
      const cell = row.insertCell();
      cell.textContent = value === null ? "–" : (value / 100).toFixed(2);
      if (value === 100) cell.className = "best";
      if (value === null || value >= 500) cell.className = "far";
    }
  });

  // Each word must be in what a row or a link says.
  const finder = document.getElementById("finder");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const items = [...document.querySelectorAll("#macs li, #providers li")];
  const text = (it) => `${it.cells ? it.cells[0].textContent : it.textContent} ${it.dataset.words || ""}`.toLowerCase();
  const texts = new Map([...rows, ...items].map((it) => [it, text(it)]));
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = (it) => words.every((word) => texts.get(it).includes(word));
    const machines = rows.filter(isFound).length;
    const others = items.filter(isFound).length;
    // What was looked for among the others leaves the matrix as it is.
    const isOfOthers = machines === 0 && others > 0;
    for (const row of rows) row.hidden = !isOfOthers && !isFound(row);
    for (const item of items) item.hidden = !isFound(item);
    found.textContent = words.length ? `${machines} machines, ${others} MACs and providers` : "";
  };
  search.addEventListener("input", show);
  finder.hidden = false;
  root.dataset.ready = "yes";
})();
