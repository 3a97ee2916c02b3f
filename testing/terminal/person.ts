import type { Film } from "./recording/film.js";
import type { Key, Terminal } from "./terminal.js";

/** Uses a terminal as people do: looks, and then types or presses. A film may be made of it. */
export class Person {
  readonly terminal: Terminal;
  readonly #film: Film | undefined;

  constructor(terminal: Terminal, film?: Film) {
    this.terminal = terminal;
    this.#film = film;
    film?.add(terminal);
  }

  /** Begins a new part, which the film shows as its caption. */
  begins(part: string): void {
    if (this.#film !== undefined) this.#film.caption = part;
  }

  /** Waits until the screen shows all of this. */
  async sees(...expected: (string | RegExp)[]): Promise<string> {
    let screen = "";
    for (const each of expected) screen = await this.terminal.until(each);
    await this.#film?.show(this.terminal);
    return screen;
  }

  async types(text: string): Promise<void> {
    if (this.#film === undefined) return this.terminal.type(text);
    for (const [index, character] of [...text].entries()) {
      await this.terminal.type(character);
      await this.#film.showTyped(this.terminal, index === text.length - 1);
    }
  }

  async presses(...keys: Key[]): Promise<void> {
    for (const key of keys) {
      this.#film?.showPress(key);
      await this.terminal.press(key);
    }
  }
}
