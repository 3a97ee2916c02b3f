/** How far PageUp and PageDown go. */
const PAGE = 7;

/** Where a key leads from a bar, by the keys of sliders. Undefined for keys that mean nothing here. */
export function walkColumns(key: string, from: number, count: number): number | "leave" | undefined {
  if (key === "Escape") return "leave";
  const step = stepOf(key, count);
  return step === undefined ? undefined : Math.min(Math.max(from + step, 0), count - 1);
}

function stepOf(key: string, count: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return -1;
    case "ArrowRight":
    case "ArrowUp":
      return 1;
    case "PageDown":
      return -PAGE;
    case "PageUp":
      return PAGE;
    case "Home":
      return -count;
    case "End":
      return count;
    default:
      return undefined;
  }
}
