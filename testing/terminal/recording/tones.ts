import type { Color } from "../styled-rows.js";
import { chrome, shown, shownBehind, type Theme } from "./palette.js";

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
