import type { Random } from "../replay/random.js";

const words = ["lorem", "ipsum", "dolor", "sit", "amet", "tempor", "magna", "aliqua"] as const;

/**
 * The content of a day. Every piece is marked, so it can be recognised in the upstream bytes of any build. A piece seen twice
 * was sent again.
 */
export class Pieces {
  /** Bytes of content that was sent again. */
  bytesAgain = 0;
  readonly #sizes: number[] = [];
  readonly #seen: number[] = [];

  make(random: Random, maxBytes: number): string {
    const id = String(this.#sizes.length).padStart(6, "0");
    let text = `{{p${id} `;
    for (const end = random.between(40, maxBytes); text.length < end; ) text += `${random.pick(words)} `;
    this.#sizes.push(text.length + 2);
    this.#seen.push(0);
    return `${text}}}`;
  }

  /** Counts the pieces in an upstream message. */
  count(payload: Uint8Array): void {
    const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("latin1");
    for (const [, digits] of text.matchAll(/\{\{p(\d{6}) /g)) {
      const id = Number(digits);
      const before = this.#seen[id];
      if (before === undefined) continue;
      if (before > 0) this.bytesAgain += this.#sizes[id] ?? 0;
      this.#seen[id] = before + 1;
    }
  }

  /** The pieces of a text that never went upstream. */
  lost(text: string): string[] {
    const found = [...text.matchAll(/\{\{(p(\d{6})) /g)];
    return found.flatMap(([, name = "", digits]) => (this.#seen[Number(digits)] === 0 ? [name] : []));
  }
}

/** A text without its pieces. */
export function withoutPieces(text: string): string {
  return text.replace(/ ?\{\{p\d{6} [a-z ]*\}\}/g, "");
}
