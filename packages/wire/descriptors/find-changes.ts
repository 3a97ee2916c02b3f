import known from "./known-fields.json" with { type: "json" };
import { readBundle } from "./read-bundle.js";

/** Each item names a message or an enum, and one of its fields or values. */
export interface Changes {
  /** What Curlew does not know, in messages that it reads or sends. */
  readonly added: readonly string[];
  /** What has another form, or is gone. */
  readonly changed: Readonly<Record<"sent" | "read", readonly string[]>>;
}

/** Compares the descriptors in a bundle with those that Curlew knows. @throws Error when they cannot be read */
export function findChanges(bundle: string): Changes {
  const { types: theirs } = readBundle(bundle);
  const added: string[] = [];
  const changedIn = (part: Readonly<Record<string, string>>) =>
    Object.entries(part).flatMap(([type, list]) => {
      const forms = theirs.get(type) ?? new Map<string, string>();
      const items = list
        .split("; ")
        .map((item): [string, string] => [item.replace(/ .*/, ""), item.replace(/^\S+ ?/, "")]);
      const mine = new Map(items);
      for (const [number, form] of forms)
        if (!mine.has(number) && !mine.has("*")) added.push(`${type} ${number} ${form}`);
      // What is left out may have any form.
      const others = items.filter(([number, form]) => form !== "" && forms.get(number) !== form);
      return others.map(([number, form]) => `${type} ${number} ${form} is now ${forms.get(number) ?? "gone"}`);
    });
  return { changed: { sent: changedIn(known.sent), read: changedIn(known.read) }, added };
}
