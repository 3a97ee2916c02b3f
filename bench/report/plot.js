// Draws a bar chart as an SVG that needs no library and is readable on light and dark backgrounds.
const WIDTH = 860;
const LABEL_WIDTH = 330;
const BAR_HEIGHT = 14;
const GROUP_GAP = 12;
const TOP = 46;
const colours = ["#8a8f98", "#4c9be8", "#e8833a", "#5ab56e"];

/** `groups` are `{ label, values }` with one `{ median, min, max }` for each of `series`; the whiskers are the range. */
export function barPlot({ title, series, groups, unit = "" }) {
  const largest = Math.max(...groups.flatMap(({ values }) => values.map((value) => value?.max ?? 0)));
  const scale = (WIDTH - LABEL_WIDTH - 90) / largest;
  const groupHeight = series.length * BAR_HEIGHT + GROUP_GAP;
  const height = TOP + groups.length * groupHeight + 10;
  const parts = groups.flatMap(({ label, values }, group) => {
    const top = TOP + group * groupHeight;
    const middle = top + (series.length * BAR_HEIGHT) / 2 + 4;
    return [
      text(LABEL_WIDTH - 8, middle, label, 'text-anchor="end"'),
      ...values.map((value, index) => (value === undefined ? "" : bar(value, index, top + index * BAR_HEIGHT))),
    ];
  });
  function bar({ median, min, max }, index, y) {
    const [from, end, low, high] = [0, median, min, max].map((value) => round(LABEL_WIDTH + value * scale));
    const centre = y + BAR_HEIGHT / 2;
    return (
      `<rect x="${from}" y="${y + 1}" width="${round(end - from)}" height="${BAR_HEIGHT - 2}" fill="${colours[index]}"/>` +
      `<path d="M${low} ${centre}H${high}" stroke="#777" stroke-width="1.5"/>` +
      text(high + 6, y + 11, `${figure(median)}${unit}`)
    );
  }
  const legend = series.map((name, index) => {
    const x = LABEL_WIDTH + index * 130;
    return `<rect x="${x}" y="28" width="10" height="10" fill="${colours[index]}"/>${text(x + 15, 37, name)}`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#777">`,
    `<title>${escaped(title)}</title>`,
    text(8, 18, title, 'font-size="14" font-weight="600"'),
    ...legend,
    ...parts,
    "</svg>",
  ]
    .filter((part) => part !== "")
    .join("\n")}\n`;
}

function text(x, y, content, more = "") {
  return `<text x="${round(x)}" y="${round(y)}"${more === "" ? "" : ` ${more}`}>${escaped(content)}</text>`;
}

function escaped(content) {
  return String(content).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function figure(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function round(value) {
  return Math.round(value * 10) / 10;
}
