import { relative } from "node:path";
import type { Client } from "../../packages/cli/setup/client.js";
import type { Fence } from "../../testing/fences.js";
import type { Tested } from "./client-part.js";
import type { Commented } from "./commented.js";

export function testedClients(clients: readonly Client[], testedOf: (client: Client) => Tested | undefined): string {
  const rows = clients.flatMap((client) => {
    const tested = testedOf(client);
    return tested === undefined ? [] : [[pageLink(client), tested.version, tested.dialects.join(", ")]];
  });
  return table(["Client", "Version", "Dialects"], rows);
}

export function untestedClients(clients: readonly Client[]): string {
  return clients
    .filter(({ isProven }) => !isProven)
    .map(pageLink)
    .join(", ");
}

function pageLink({ name, title }: Client): string {
  return `[${title}](clients/${name}.md)`;
}

/** Every untested block of the guide, with the reason from its mark. */
export function untestedBlocks(fences: readonly Fence[]): string {
  const rows = fences
    .filter(({ mark }) => mark.startsWith("untested: "))
    .map(({ page, mark, firstLine }) => {
      const link = relative("docs/guide", page).replaceAll("\\", "/");
      const words = firstLine.replace(/\s+#.*$/, "").replaceAll("|", "\\|");
      return [`[${link.replace(/^(\.\.\/)*|\.md$/g, "")}](${link})`, `\`${words}\``, mark.slice("untested: ".length)];
    });
  return table(["Where", "Block begins with", "Why"], rows);
}

/** The shared cases that a backend skips, with reasons. */
export function skipsTable(skips: Readonly<Record<string, readonly Skip[]>>): string {
  const rows = Object.entries(skips).flatMap(([backend, each]) =>
    each.map(({ cases, reason }) => [`\`${backend}\``, cases.join(", "), reason]),
  );
  return table(["Backend", "Cannot", "Why"], rows);
}

interface Skip {
  readonly cases: readonly string[];
  readonly reason: string;
}

export function codeList(codes: Iterable<string>): string {
  return [...codes]
    .sort()
    .map((code) => `\`${code}\``)
    .join(", ");
}

export function namesTable(head: string, entries: readonly Commented[], prefix = ""): string {
  return table(
    [head, "Meaning"],
    entries.map(({ name, comment }) => [`\`${prefix}${name}\``, comment]),
  );
}

/** A directive's comment begins with its forms, in double brackets. */
export function directivesTable(entries: readonly Commented[]): string {
  const rows = entries.map(({ name, comment }) => {
    const [, forms, meaning] = /^(\[\[.*\]\]) (.+)$/.exec(comment) ?? [];
    if (forms === undefined || meaning === undefined)
      throw new Error(`The directive ${name} does not say how to write it.`);
    return [
      forms
        .split(", ")
        .map((form) => `\`${form}\``)
        .join(", "),
      meaning,
    ];
  });
  return table(["Directive", "What the simulated model does"], rows);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
