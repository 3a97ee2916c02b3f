import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bashScript } from "../src/commands/completion/bash.js";
import { describeCommand } from "../src/commands/completion/described-command.js";
import { fishScript } from "../src/commands/completion/fish.js";
import { powershellScript } from "../src/commands/completion/powershell.js";
import { zshScript } from "../src/commands/completion/zsh.js";
import { command } from "../src/commands/line/command.js";
import { defineCommand } from "../src/commands/line/definition.js";
import { runLine } from "../src/commands/line/parser/run-line.js";
import { settingArgs } from "../src/config/flags.js";
import { settingsJsonSchema } from "../src/config/json-schema.js";
import { type SettingsTable, settingNames, settingsTable, settingsWithFlag } from "../src/config/table.js";
import { settingsSections } from "./guide/settings-page.js";

/** The help of a command with the flags of all these settings. */
async function helpWith(table: SettingsTable, ...words: readonly string[]): Promise<string> {
  const serve = defineCommand({ args: settingArgs(settingsWithFlag(table), table), run: () => 0 });
  const texts: string[] = [];
  const screen = { write: (text: string) => texts.push(text) };
  await runLine([command("serve", "Start", "Run it", async () => ({ serve }))], ["serve", "--help", ...words], screen);
  return texts.join("");
}

describe.each(["common", "rare"] as const)("a %s setting that is added to the table", (use) => {
  const table: SettingsTable = {
    ...settingsTable,
    birdSong: {
      type: () => z.enum(["loud", "soft"]),
      default: "soft",
      group: "Birds",
      about: "How birds sing.",
      use,
    },
  };
  const commands = [describeCommand("serve", "Run it", settingArgs(settingsWithFlag(table), table), table)];

  it("is in the help, or only in all of it", async () => {
    expect((await helpWith(table)).includes("--bird-song")).toBe(use === "common");
    const all = (await helpWith(table, "all")).replaceAll(/\s+/g, " ");
    expect(all).toContain("--bird-song <song> How birds sing. (CURLEW_BIRD_SONG; default soft)");
  });

  it.each([
    ["bash", bashScript],
    ["zsh", zshScript],
    ["fish", fishScript],
    ["PowerShell", powershellScript],
  ])("is completed by %s, with its values", (_, script) => {
    expect(script(commands)).toMatch(/bird-song[\s\S]*loud/);
  });

  it("is on the settings page", () => {
    expect(settingsSections(table)).toMatch(
      /^### Birds\n[\s\S]*birdSong`(\*\*)? \| `--bird-song` \| `CURLEW_BIRD_SONG` \| `soft` \| How birds sing\. \|$/m,
    );
  });

  it("is in the JSON Schema", () => {
    const validate = new Ajv().compile(settingsJsonSchema(table));
    expect(validate({ birdSong: "loud" })).toBe(true);
    expect(validate({ birdSong: "shrill" })).toBe(false);
    expect(settingsJsonSchema(table)).toMatchObject({
      properties: { birdSong: { description: "How birds sing.", default: "soft" } },
    });
  });
});

describe("the JSON Schema of curlew.json", () => {
  const validate = new Ajv().compile(settingsJsonSchema());

  it.each([
    [{ $schema: "./curlew.schema.json", port: 40_000, allowedHosts: ["A.example"], maxMode: true }],
    [{ modelAliases: { "gpt-4": "gpt-5.5:high" }, routes: { "gpt-5*": "cli" }, fallback: ["cli"] }],
    [{ backendUrl: "http://127.0.0.1:9", disabledQuirks: ["titles"] }],
    [{ mcp: { servers: { files: { command: "npx", env: { KEY: "x" } } }, import: ["cursor"] } }],
    [{ graceMs: 0 }], // an old name stops nothing
  ])("takes %j", (content) => {
    expect(validate(content)).toBe(true);
  });

  it.each([
    [{ prot: 1 }],
    [{ port: "40000x" }],
    [{ port: 70_000 }],
    [{ fallback: ["magic"] }],
    [{ disabledQuirks: ["titels"] }],
    [{ apiKey: "crsr_secret" }],
    [{ mcp: { server: {} } }],
    [{ mcp: { import: ["emacs"] } }],
  ])("refuses %j", (content) => {
    expect(validate(content)).toBe(false);
  });
});

it("has secrets from the environment or the file alone, so that none stands on a command line", () => {
  const onCommandLine: readonly string[] = settingsWithFlag(settingsTable);
  expect(settingNames.filter((name) => settingsTable[name].isSecret && onCommandLine.includes(name))).toEqual([]);
});

it("keeps names of the past out of help and completion", async () => {
  const args = settingArgs(settingsWithFlag(settingsTable));
  expect(args).toHaveProperty("grace-ms");
  expect(await helpWith(settingsTable, "all")).not.toContain("--grace-ms");
  expect(describeCommand("serve", "", args).options.map(({ flag }) => flag)).not.toContain("--grace-ms");
});

it("has defaults that help can print", async () => {
  expect(await helpWith(settingsTable, "all")).not.toMatch(/\[object|undefined/);
});

it("has every group of settings introduced on its page", () => {
  const [, ...sections] = settingsSections(settingsTable).split(/^### /m);
  expect(sections.length).toBeGreaterThan(4);
  for (const section of sections) expect(section).toMatch(/^.+\n\n[A-Z][^|]+\.\n\n\| Setting/);
});
