import { defaultOf } from "../../src/config/flags.js";
import { type FormerSetting, formerVariables } from "../../src/config/former-settings.js";
import { flagName, type Setting, type SettingsTable, variablesOf } from "../../src/config/table.js";

/** Every setting, group by group; the common ones stand first. */
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

/** What older installations may still name. */
export function formerTable(former: Readonly<Record<string, FormerSetting>>): string {
  const rows = Object.entries(former).map(([name, each]) => {
    const effect = each.replacement === undefined ? "ignored" : "still read";
    return `| \`${name}\` | ${codes(formerVariables(name, each))} | ${effect} | ${each.instead} |`;
  });
  return ["| Former setting | Environment | Now | Instead |", "|---|---|---|---|", ...rows].join("\n");
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
