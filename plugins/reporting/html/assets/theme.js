(() => {
  const root = document.documentElement, key = "retrocypher-theme", order = ["automatic", "light", "dark"];
  let now = "automatic";
  // A browser may keep pages from storing anything; then the choice lasts as long as the page.
  try { now = order.includes(localStorage.getItem(key)) ? localStorage.getItem(key) : now; } catch {}
  const button = document.getElementById("theme");
  const show = () => {
    if (now === "automatic") root.removeAttribute("data-theme"); else root.dataset.theme = now;
    if (button) button.textContent = `Theme: ${now}`;
  };
  show();
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    now = order[(order.indexOf(now) + 1) % order.length];
    try { localStorage.setItem(key, now); } catch {}
    show();
  });
})();
