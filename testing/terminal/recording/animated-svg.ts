import type { Frame } from "./film.js";
import { cell, escaped, rowMarkup } from "./row.js";
import { Tones } from "./tones.js";

interface Picture {
  readonly columns: number;
  readonly rows: number;
  /** For screen readers. */
  readonly title: string;
  readonly description: string;
}

/** The window around the screen. */
const window = { bar: 38, side: 20, top: 14, bottom: 16, corner: 10 } as const;
const FONT = `ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace`;

/**
 * A film of a terminal that needs no script and no font: every row has the times at which it is visible. With reduced motion, only
 * the last frame is shown.
 */
export function animatedSvg(frames: readonly Frame[], { columns, rows, title, description }: Picture): string {
  const tones = new Tones();
  const lengthMs = lengthOf(frames);
  const times = new Times(lengthMs);
  const width = columns * cell.width + 2 * window.side;
  const height = window.bar + window.top + rows * cell.height + window.bottom;
  const screen = rowsOf(frames, tones, times);
  const cursor = cursorOf(frames, tones, times);
  const caps = capsOf(frames, width, tones, times);
  const captions = captionsOf(frames, width, tones, times);
  const frame = windowAround(width, height, tones);
  const style = [
    tones.sheet(),
    `text{font-family:${FONT};font-size:15px;white-space:pre}`,
    ".b{font-weight:700}.d{opacity:.62}.i{font-style:italic}.u{text-decoration:underline}.m{text-anchor:middle}",
    `.a{visibility:hidden;animation:${lengthMs / 1_000}s step-end infinite}.z{visibility:visible}`,
    times.sheet(),
    "@media(prefers-reduced-motion:reduce){.a{animation-duration:0s}}",
  ].join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve"><title>${escaped(title)}</title><desc>${escaped(description)}</desc><style>
${style}
</style>
${frame}
<g transform="translate(${window.side} ${window.bar + window.top})">
${cursor}${screen}
</g>
${captions}
${caps}
</svg>
`;
}

/** Rows that come more than once are defined once. */
function rowsOf(frames: readonly Frame[], tones: Tones, times: Times): string {
  const spans = spansOf(frames, ({ rows }) => {
    const drawn = rows.map((runs, row) => [row, rowMarkup(runs, tones)] as const).filter(([, markup]) => markup !== "");
    return new Map(drawn.map(([row, markup]) => [`${row} ${markup}`, { row, markup }]));
  });
  const uses = new Map<string, number>();
  for (const { thing } of spans) uses.set(thing.markup, (uses.get(thing.markup) ?? 0) + 1);
  const shared = [...uses].filter(([, count]) => count > 1).map(([markup], index) => [markup, `r${index}`] as const);
  const ids = new Map(shared);
  const definitions = shared.map(([markup, id]) => `<g id="${id}">${markup}</g>`).join("\n");
  const rows = spans.map((span) => {
    const { row, markup } = span.thing;
    const id = ids.get(markup);
    const top = row * cell.height;
    if (id !== undefined) return `<use href="#${id}"${top === 0 ? "" : ` y="${top}"`}${times.during(span)}/>`;
    return `<g${top === 0 ? "" : ` transform="translate(0 ${top})"`}${times.during(span)}>${markup}</g>`;
  });
  return `<defs>${definitions}</defs>\n${rows.join("\n")}`;
}

function cursorOf(frames: readonly Frame[], tones: Tones, times: Times): string {
  const spans = spansOf(frames, ({ cursor }) =>
    cursor === undefined ? new Map() : new Map([[`${cursor.row} ${cursor.column}`, cursor]]),
  );
  const tone = tones.part("faint");
  const place = ({ row, column }: { row: number; column: number }) =>
    `x="${column * cell.width}" y="${row * cell.height + 2}" width="${cell.width}" height="${cell.height - 3}"`;
  return spans
    .map((span) => `<rect ${place(span.thing)} class="${tone} ${times.classes(span)}" style="${times.name(span)}"/>\n`)
    .join("");
}

/** The keys that are pressed, in the bar of the window. */
function capsOf(frames: readonly Frame[], width: number, tones: Tones, times: Times): string {
  const spans = spansOf(frames, ({ key }) => (key === undefined ? new Map<string, string>() : new Map([[key, key]])));
  return spans
    .map((span) => {
      const wide = span.thing.length * 8 + 20;
      const left = width - window.side - wide + 6;
      const cap = `<rect x="${left}" y="8" width="${wide}" height="22" rx="5" class="${tones.part("cap")} s${tones.part("border")}"/>`;
      const text = `<text x="${left + wide / 2}" y="23.5" class="m b ${tones.part("text")}" style="font-size:13px">${escaped(span.thing)}</text>`;
      return `<g${times.during(span)}>${cap}${text}</g>`;
    })
    .join("\n");
}

/** The captions, in the place of a window title. */
function captionsOf(frames: readonly Frame[], width: number, tones: Tones, times: Times): string {
  const spans = spansOf(frames, ({ caption }) => (caption === "" ? new Map() : new Map([[caption, caption]])));
  const place = `x="${width / 2}" y="24" style="font-size:14px;`;
  return spans
    .map((span) => {
      const classes = `m b ${tones.part("text")} ${times.classes(span)}`.trim();
      return `<text ${place}${times.name(span)}" class="${classes}">${escaped(span.thing)}</text>`;
    })
    .join("\n");
}

function windowAround(width: number, height: number, tones: Tones): string {
  const { bar, corner } = window;
  const inner = `x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="${corner}"`;
  const lights = ["#ff5f57", "#febc2e", "#28c840"].map(
    (color, index) => `<circle cx="${22 + index * 20}" cy="19" r="6" fill="${color}"/>`,
  );
  return [
    `<rect ${inner} class="${tones.part("window")}"/>`,
    `<path d="M.5 ${bar}V${corner + 0.5}a${corner} ${corner} 0 0 1 ${corner}-${corner}H${width - corner - 0.5}a${corner} ${corner} 0 0 1 ${corner} ${corner}V${bar}z" class="${tones.part("bar")}"/>`,
    `<path d="M0 ${bar}H${width}" class="s${tones.part("border")}"/>`,
    `<rect ${inner} fill="none" class="s${tones.part("border")}"/>`,
    ...lights,
  ].join("\n");
}

/** When things are seen, as keyframes. Things that come and go together share them. */
class Times {
  readonly #names = new Map<string, string>();
  readonly #lengthMs: number;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** The attributes of something that is seen during this span. */
  during(span: Span<unknown>): string {
    const classes = this.classes(span);
    return classes === "" ? "" : ` class="${classes}" style="${this.name(span)}"`;
  }

  classes({ fromMs, toMs }: Span<unknown>): string {
    if (fromMs === 0 && toMs === this.#lengthMs) return "";
    return toMs === this.#lengthMs ? "a z" : "a";
  }

  /** The style attribute of something that is seen during this span. */
  name({ fromMs, toMs }: Span<unknown>): string {
    if (fromMs === 0 && toMs === this.#lengthMs) return "";
    const key = `${this.#percent(fromMs)} ${this.#percent(toMs)}`;
    const name = this.#names.get(key) ?? `k${this.#names.size.toString(36)}`;
    this.#names.set(key, name);
    return `animation-name:${name}`;
  }

  sheet(): string {
    return [...this.#names]
      .map(([key, name]) => {
        const [from, to] = key.split(" ");
        const start = from === "0" ? "" : "0%{visibility:hidden}";
        const end = to === "100" ? "" : `${to}%{visibility:hidden}`;
        return `@keyframes ${name}{${start}${from}%{visibility:visible}${end}}`;
      })
      .join("\n");
  }

  #percent(ms: number): string {
    return String(Math.round((ms / this.#lengthMs) * 100_000) / 1_000);
  }
}

/** Something that is on the screen from one moment to another. */
interface Span<Thing> {
  readonly thing: Thing;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The same things in neighbouring frames are one span. */
function spansOf<Thing>(frames: readonly Frame[], thingsIn: (frame: Frame) => ReadonlyMap<string, Thing>) {
  const done: Span<Thing>[] = [];
  let open = new Map<string, Span<Thing>>();
  let nowMs = 0;
  for (const frame of frames) {
    const next = new Map<string, Span<Thing>>();
    for (const [name, thing] of thingsIn(frame)) {
      next.set(name, { thing, fromMs: open.get(name)?.fromMs ?? nowMs, toMs: nowMs + frame.holdMs });
    }
    done.push(...[...open].filter(([name]) => !next.has(name)).map(([, span]) => span));
    open = next;
    nowMs += frame.holdMs;
  }
  return [...done, ...open.values()];
}

function lengthOf(frames: readonly Frame[]): number {
  return frames.reduce((sum, { holdMs }) => sum + holdMs, 0);
}
