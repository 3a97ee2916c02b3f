const STORED_AS = "curlew.theme";
const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export function storedTheme(): Theme {
  try {
    return themes.find((each) => each === localStorage.getItem(STORED_AS)) ?? "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  try {
    localStorage.setItem(STORED_AS, theme);
  } catch {
    // then it holds until the page is closed
  }
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
}
