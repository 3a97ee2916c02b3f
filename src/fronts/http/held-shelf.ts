import type { Shelf } from "../../gateway/index.js";
import type { MemoryHold } from "./request-memory.js";

/** What a request takes from the shelf is held like what it brought itself, however often it looks there. */
export function heldShelf(shelf: Shelf, hold: MemoryHold): Shelf {
  const held = new Set<string>();
  return {
    get(id) {
      const text = shelf.get(id);
      if (!held.has(id)) hold.take(text?.length ?? 0);
      held.add(id);
      return text;
    },
    put: (id, text) => shelf.put(id, text),
    delete: (id) => shelf.delete(id),
  };
}
