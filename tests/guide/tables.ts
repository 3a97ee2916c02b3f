import { relative } from "node:path";
import type { Client } from "../../src/setup/client.js";
import type { Fence } from "../../testing/fences.js";
import type { Tested } from "./client-part.js";

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

/** Every block of the guide that no test uses, with the reason that stands in its fence. */
export function untestedBlocks(fences: readonly Fence[]): string {
  const rows = fences
    .filter(({ mark }) => mark.startsWith("untested "))
    .map(({ page, mark, firstLine }) => {
      const link = relative("docs/guide", page).replaceAll("\\", "/");
      const words = firstLine.replace(/\s+#.*$/, "").replaceAll("|", "\\|");
      return [`[${link.replace(/^(\.\.\/)*|\.md$/g, "")}](${link})`, `\`${words}\``, mark.slice("untested ".length)];
    });
  return table(["Where", "Block begins with", "Why"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
