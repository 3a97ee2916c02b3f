import type { Model } from "../backends/backend.js";

/** The name that people use: Cursor's own `default` is called `auto` everywhere but on the wire. */
export function shownName({ id }: Pick<Model, "id">): string {
  return id === "default" ? "auto" : id;
}
