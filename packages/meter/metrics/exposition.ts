import type { Histogram } from "./event-counters.js";

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

/** Writes Prometheus' text format. `npm run test:monitoring` validates it with Prometheus. */
export class Exposition {
  static readonly contentType = "text/plain; version=0.0.4; charset=utf-8";
  readonly #lines: string[] = [];

  /** The name ends in `_total`. */
  counter(name: string, help: string, samples: number | Iterable<Sample>): void {
    this.#family(name, "counter", help, samples);
  }

  gauge(name: string, help: string, samples: number | Iterable<Sample>): void {
    this.#family(name, "gauge", help, samples);
  }

  histogram(name: string, help: string, histogram: Histogram): void {
    this.#head(name, "histogram", help);
    const counts = histogram.cumulated();
    for (const [at, count] of counts.entries()) {
      this.#sample(`${name}_bucket`, { le: String(histogram.bounds[at] ?? "+Inf") }, count);
    }
    this.#sample(`${name}_sum`, {}, histogram.sum);
    this.#sample(`${name}_count`, {}, counts.at(-1) ?? 0);
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  #family(name: string, type: string, help: string, samples: number | Iterable<Sample>): void {
    this.#head(name, type, help);
    if (typeof samples === "number") this.#sample(name, {}, samples);
    else for (const [labels, value] of samples) this.#sample(name, labels, value);
  }

  #head(name: string, type: string, help: string): void {
    this.#lines.push(
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} ${type}`,
    );
  }

  #sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeValue(text)}"`);
    this.#lines.push(`${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`);
  }
}

function escapeValue(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
