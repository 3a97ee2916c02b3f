import type { GrowingText, Section } from "./growing-text.js";

/** Shows a megabyte within a few seconds without slow frames. */
const CHARS_PER_FRAME = 4_000;

/** Renders a growing text by appending once per frame. Uses only text nodes, so that model output is never markup. */
export class TextPainter {
  readonly #text: GrowingText;
  readonly #root: HTMLElement;
  readonly #unsubscribe: () => void;
  #frame = 0;
  /** Position of the next character to paint: section, block, character. */
  #section = 0;
  #block = 0;
  #char = 0;
  #sectionElement: HTMLElement | undefined;
  #node: Text | undefined;

  constructor(text: GrowingText, root: HTMLElement) {
    this.#text = text;
    this.#root = root;
    this.#unsubscribe = text.subscribe(() => this.#request());
    this.#request();
  }

  stop(): void {
    this.#unsubscribe();
    cancelAnimationFrame(this.#frame);
    this.#root.replaceChildren();
  }

  #request(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    this.#frame = 0;
    let left = CHARS_PER_FRAME;
    while (left > 0) {
      const section = this.#text.sections[this.#section];
      const block = section?.blocks[this.#block];
      if (section !== undefined && block !== undefined && this.#char < block.length) {
        left -= this.#add(section, block.slice(this.#char, this.#char + left));
      } else if (!this.#goOn(section)) return;
    }
    this.#request();
  }

  #add(section: Section, text: string): number {
    this.#sectionElement ??= this.#root.appendChild(newSection(section));
    this.#node ??= this.#sectionElement.appendChild(newBlock()).appendChild(document.createTextNode(""));
    this.#node.appendData(text);
    this.#char += text.length;
    return text.length;
  }

  /** Advances to the next block or section. Returns whether there is one. */
  #goOn(section: Section | undefined): boolean {
    if (section === undefined) return false;
    if (this.#block + 1 < section.blocks.length) this.#block++;
    else if (this.#section + 1 < this.#text.sections.length) {
      this.#section++;
      this.#block = 0;
      this.#sectionElement = undefined;
    } else return false;
    this.#char = 0;
    this.#node = undefined;
    return true;
  }
}

const classes = { prose: "playground-prose", code: "playground-code framed sunken pad-3" };

function newSection({ kind, language }: Section): HTMLElement {
  const element = document.createElement("div");
  element.className = classes[kind];
  if (language !== "") element.dataset.language = language;
  return element;
}

function newBlock(): HTMLElement {
  const element = document.createElement("div");
  element.className = "playground-block";
  element.dir = "auto";
  return element;
}
