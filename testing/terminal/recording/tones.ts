import type { Color } from "../styled-rows.js";

type Theme = "light" | "dark";
type Rgb = readonly [red: number, green: number, blue: number];

/** The parts of the picture that no escape names. */
const chrome = {
  light: { text: "#24292f", window: "#ffffff", bar: "#f3f4f6", border: "#d0d7de", faint: "#6e7781", cap: "#ffffff" },
  dark: { text: "#d6dde6", window: "#0f141b", bar: "#171d26", border: "#2b3440", faint: "#7d8896", cap: "#232c38" },
} as const;

/** The 16 colours that belong to the theme: black, red, green, yellow, blue, magenta, cyan, white, and the same brighter. */
const ansi: Record<Theme, readonly string[]> = {
  light: [
    ...["#24292f", "#c4262e", "#1a7f37", "#8a5a00", "#0757ba", "#8250df", "#0f6f85", "#57606a"],
    ...["#6e7781", "#c4262e", "#1a7f37", "#8a5a00", "#0757ba", "#8250df", "#0f6f85", "#24292f"],
  ],
  dark: [
    ...["#3b4654", "#ff7b72", "#56d364", "#e3b341", "#79b8ff", "#d2a8ff", "#56d4dd", "#c3ccd6"],
    ...["#7d8896", "#ff9d96", "#7ee787", "#f2cc60", "#a5d3ff", "#e2c5ff", "#7ce3ea", "#ffffff"],
  ],
};

/** Text of less contrast than this, to the window, is hard to read. */
const LEAST_CONTRAST = 3.5;
const ALMOST_BLACK = 12;

/** The colour in this theme. Mixed colours are made for one theme: in the other, an unreadable one has its lightness inverted. */
function shown(color: Exclude<Color, undefined>, theme: Theme): string {
  if (typeof color === "number" && color < 16) return ansi[theme][color] ?? chrome[theme].text;
  const rgb = typeof color === "number" ? indexed(color) : color;
  const isReadable = contrast(rgb, parse(chrome[theme].window)) >= LEAST_CONTRAST;
  return hex(isReadable ? rgb : turned(rgb));
}

/** The colour of an area. Programs that mix their own assume a dark terminal, unless they can query it. */
function shownBehind(color: Exclude<Color, undefined>, theme: Theme): string {
  if (typeof color === "number" && color < 16) return ansi[theme][color] ?? chrome[theme].window;
  const rgb = typeof color === "number" ? indexed(color) : color;
  // Almost black is what they take for the terminal's own background, which would end at the edge of the screen.
  if (Math.max(...rgb) <= ALMOST_BLACK) return chrome[theme].window;
  return hex(theme === "dark" ? rgb : turned(rgb));
}

/** The colours from 16 on: a cube of six steps each way, and greys. */
function indexed(color: number): Rgb {
  const grey = 8 + (color - 232) * 10;
  if (color >= 232) return [grey, grey, grey];
  const step = (at: number) => (at === 0 ? 0 : 55 + at * 40);
  const place = color - 16;
  return [step(Math.floor(place / 36)), step(Math.floor(place / 6) % 6), step(place % 6)];
}

function turned([red, green, blue]: Rgb): Rgb {
  const sum = Math.max(red, green, blue) + Math.min(red, green, blue);
  // The hue stays: all three move by as much as the lightness does.
  const move = 255 - sum;
  return [red + move, green + move, blue + move];
}

function contrast(one: Rgb, other: Rgb): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(color: string): Rgb {
  const number = Number.parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function hex(rgb: Rgb): string {
  return `#${rgb.map((part) => Math.min(255, Math.max(0, part)).toString(16).padStart(2, "0")).join("")}`;
}

type Tone = readonly [light: string, dark: string];

/** The colours of one picture: each has a short class, and the sheet says what it is in each theme. */
export class Tones {
  readonly #tones = new Map<string, { readonly name: string; readonly tone: Tone }>();

  text(color: Color): string {
    return color === undefined ? this.part("text") : this.#name(both((theme) => shown(color, theme)));
  }

  behind(color: Color): string {
    return color === undefined ? this.part("window") : this.#name(both((theme) => shownBehind(color, theme)));
  }

  part(name: keyof (typeof chrome)["light"]): string {
    return this.#name(both((theme) => chrome[theme][name]));
  }

  /** A class fills; with `s` before it, it strokes. */
  sheet(): string {
    const tones = [...this.#tones.values()];
    const rules = (theme: 0 | 1) => tones.map(({ name, tone }) => `--${name}:${tone[theme]}`).join(";");
    // A path has no fill unless its class says so, so that a stroked one stays empty.
    const uses = tones.map(({ name }) => `.${name}{fill:var(--${name})}.s${name}{stroke:var(--${name})}`).join("");
    return `:root{${rules(0)}}@media(prefers-color-scheme:dark){:root{${rules(1)}}}path{fill:none}${uses}`;
  }

  #name(tone: Tone): string {
    const key = tone.join(" ");
    const known = this.#tones.get(key) ?? { name: `c${this.#tones.size.toString(36)}`, tone };
    this.#tones.set(key, known);
    return known.name;
  }
}

function both(of: (theme: Theme) => string): Tone {
  return [of("light"), of("dark")];
}
