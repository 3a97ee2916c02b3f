import { defaultOf } from "../../packages/cli/config/flags.js";
import { flagName, type Setting, type SettingsTable, variablesOf } from "../../packages/cli/config/table.js";

/** Introduces each group before its table. */
const introductions: Readonly<Record<string, string>> = {
  "Server and access": "Where the gateway listens, who may use it, and what it logs.",
  "Your Cursor account":
    "Whose subscription is used. `curlew login` sets up all of it, so most people need none of these.",
  "Backends: how Curlew talks to Cursor":
    "Which way turns take to Cursor, and which way they take when that fails: [backends.md](backends.md).",
  "Network: where Cursor is, and how to get there":
    "For networks that need a proxy or block HTTP/2, and for a simulated Cursor: [networks.md](networks.md).",
  "Models and tools": "What models are called, what they may do, and what is corrected on the way.",
  "Time limits and storage": "How long things are kept open or kept at all.",
};

/** Every setting by group; common ones first. */
export function settingsSections(table: SettingsTable): string {
  const groups = [...new Set(Object.values(table).map(({ group }) => group))];
  return groups
    .map((group) => {
      const inGroup = Object.entries(table).filter(([, setting]) => setting.group === group);
      const common = inGroup.filter(([, { use }]) => use === "common");
      const rare = inGroup.filter(([, { use }]) => use === "rare");
      const rows = [...common, ...rare].map(([name, setting]) => settingRow(name, setting));
      return [
        `### ${group}`,
        "",
        ...(introductions[group] === undefined ? [] : [introductions[group], ""]),
        "| Setting | Flag | Environment | Default | Meaning |",
        "|---|---|---|---|---|",
        ...rows,
      ].join("\n");
    })
    .join("\n\n");
}

function settingRow(name: string, setting: Setting<unknown>): string {
  const { use, only, about } = setting;
  const cells = [
    use === "common" ? `**\`${name}\`**` : `\`${name}\``,
    only === undefined ? `\`--${flagName(name)}\`` : "",
    codes(variablesOf(name, setting)),
    codes(defaultOf(setting.default)),
    about,
  ];
  return `| ${cells.join(" | ")} |`;
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
