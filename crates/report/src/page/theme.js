// Switches colours, and keeps the first error for who tests the page.
(() => {
  "use strict";
  const root = document.documentElement;
  window.addEventListener("error", (event) => { root.dataset.error = event.message; });

  // Colours: the reader's choice before the system's, kept where the browser keeps things.
  const theme = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const key = "macrometer-theme";
  const kept = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const keep = (name) => { try { localStorage.setItem(key, name); } catch { /* private */ } };
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = dark() ? "Light colours" : "Dark colours"; };
  if (kept()) root.dataset.theme = kept();
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    keep(root.dataset.theme);
    label();
  });
  system.addEventListener("change", label);
  label();
})();
