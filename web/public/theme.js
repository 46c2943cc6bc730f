// Runs before the first paint, so that a chosen theme never flashes the other one. The choice itself is kept by src/state/theme.ts.
try {
  const choice = localStorage.getItem("sitewright.theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  // Storage can be switched off; the system's theme is used then.
}
