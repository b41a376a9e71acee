// Dark or light: what the system says, unless the reader chose.
const KEY = "lockstep-theme";

export function restoreTheme() {
  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen) document.documentElement.dataset["theme"] = chosen;
  } catch { /* a page opened from a file may have no storage */ }
}

export function switchTheme() {
  const dark = document.documentElement.dataset["theme"]
    ? document.documentElement.dataset["theme"] === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const chosen = dark ? "light" : "dark";
  document.documentElement.dataset["theme"] = chosen;
  try { localStorage.setItem(KEY, chosen); } catch { /* likewise */ }
}
