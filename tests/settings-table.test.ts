import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { complete } from "../packages/cli/commands/complete.js";
import { command, defineCommand } from "../packages/cli/commands/line/definition.js";
import { runLine } from "../packages/cli/commands/line/parser/run-line.js";
import { settingArgs } from "../packages/cli/config/flags.js";
import { settingsJsonSchema } from "../packages/cli/config/json-schema.js";
import { type SettingsTable, settingNames, settingsTable, settingsWithFlag } from "../packages/cli/config/table.js";
import { capturedMachine } from "../testing/programs/captured-machine.js";
import { settingsSections } from "./guide/settings-page.js";

/** The help of a command with flags for these settings. */
async function helpWith(table: SettingsTable, ...words: readonly string[]): Promise<string> {
  const machine = capturedMachine();
  await runLine(commandsWith(table), ["serve", "--help", ...words], machine);
  return machine.stdout.text;
}

function commandsWith(table: SettingsTable) {
  const serve = defineCommand({ args: settingArgs<string>(settingsWithFlag(table), table), run: () => 0 });
  return [command("serve", "Start", "Run it", async () => ({ serve }))];
}

describe.each(["common", "rare"] as const)("a %s setting in the table", (use) => {
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

  it("is in the help, or only in the full help", async () => {
    expect((await helpWith(table)).includes("--bird-song")).toBe(use === "common");
    const all = (await helpWith(table, "all")).replaceAll(/\s+/g, " ");
    expect(all).toContain("--bird-song <song> How birds sing. (CURLEW_BIRD_SONG; default soft)");
  });

  it("is completed, with its values", async () => {
    const completed = (...words: string[]) => complete(commandsWith(table), "bash", words, table);
    expect(await completed("serve", ".--bird")).toBe("--bird-song\n");
    expect(await completed("serve", "--bird-song", ".")).toBe("loud\nsoft\n");
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
  ])("accepts %j", (content) => {
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

it("secrets have no flags, so that none is on a command line", () => {
  const onCommandLine: readonly string[] = settingsWithFlag(settingsTable);
  expect(settingNames.filter((name) => settingsTable[name].isSecret && onCommandLine.includes(name))).toEqual([]);
});

it("every group of settings has an introduction on its page", () => {
  const [, ...sections] = settingsSections(settingsTable).split(/^### /m);
  expect(sections.length).toBeGreaterThan(4);
  for (const section of sections) expect(section).toMatch(/^.+\n\n[A-Z][^|]+\.\n\n\| Setting/);
});
