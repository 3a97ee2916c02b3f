import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { constants } from "./constants.js";
import { settingArgs, settingsFrom } from "./flags.js";
import { formerSettings, formerVariables } from "./former-settings.js";
import { loadSettings, type SettingsSources } from "./load.js";
import { flagName, settingNames, settingsTable, variablesOf } from "./table.js";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "curlew-former-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const load = (sources: SettingsSources = {}) => loadSettings({ env: {}, home, homeDirectory: home, ...sources });

function loadFile(content: object) {
  writeFileSync(join(home, "curlew.json"), JSON.stringify(content));
  return load();
}

/** A flag as it comes from the command line. */
function loadFlag(name: string, value: string) {
  expect(settingArgs([])).toHaveProperty(flagName(name));
  return load(settingsFrom({ [flagName(name)]: value }, []));
}

const loadVariable = (name: string, value: string) => load({ env: { [name]: value } });
const loadGiven = (given: object) => load({ given: { ...given }, callGiven: (name) => `options.settings.${name}` });

/** Everything that a start goes by, but for the files that were looked at. */
const withoutWarnings = ({ settings }: ReturnType<typeof load>) => settings;

const former = Object.entries(formerSettings);
const removed = former.filter(([, { replacement }]) => replacement === undefined);
const byUser = (list: typeof former) => list.filter(([, { isEmbeddedOnly }]) => !isEmbeddedOnly);

describe("a setting that is gone", () => {
  it.each(byUser(removed))("is ignored in the file, as a flag and as a variable: %s", (name, { instead }) => {
    const [variable = ""] = formerVariables(name, formerSettings[name] ?? { instead: "" });
    const forms = [
      [loadFile({ [name]: "s3cret" }), `${join(home, "curlew.json")}:1:${name.length + 5}: ${name}`],
      [loadGiven({ [name]: { any: "s3cret" } }), `options.settings.${name}`],
    ] as const;
    rmSync(join(home, "curlew.json"));
    const others = [
      [loadFlag(name, "s3cret"), `--${flagName(name)}`],
      [loadVariable(variable, "s3cret"), `${variable} (environment)`],
    ] as const;
    for (const [loaded, origin] of [...forms, ...others]) {
      expect(loaded.warnings).toContain(`${origin} is no longer a setting and is ignored: ${instead}.`);
      expect(loaded.warnings.join()).not.toContain("s3cret");
      expect(withoutWarnings(loaded)).toEqual(withoutWarnings(load()));
    }
  });

  it("names the value that counts now", () => {
    expect(loadVariable("CURLEW_GRACE_MS", "1").warnings).toEqual([
      "CURLEW_GRACE_MS (environment) is no longer a setting and is ignored: it is always 10 s.",
    ]);
    expect(loadFlag("bodyLimitBytes", "1").warnings[0]).toContain("it is always 32 MiB");
    const { namedCallMs: _call, maxRuns: _runs, runWaitMs: _wait, ...onceSettings } = constants;
    expect(Object.keys(formerSettings)).toEqual(expect.arrayContaining(Object.keys(onceSettings)));
    for (const younger of ["namedCallMs", "maxRuns", "runWaitMs"]) expect(formerSettings).not.toHaveProperty(younger);
  });
});

describe("a setting that has a new name", () => {
  const renamed = [
    ["mapNativeTools", "false", { disabledQuirks: ["native-tools"] }],
    ["writtenCalls", "false", { disabledQuirks: ["written-calls"] }],
    ["thinkTags", "false", { disabledQuirks: ["think-tags"] }],
    ["cheapTitles", "false", { disabledQuirks: ["titles"] }],
    ["cheapTitles", "true", { disabledQuirks: [] }],
    ["mcpImport", "cursor,opencode", { mcp: { import: ["cursor", "opencode"] } }],
  ] as const;

  it.each(renamed)("is read from the file, a flag, a variable and an embedding program: %s=%s", (name, text, now) => {
    const value = name === "mcpImport" ? text.split(",") : text === "true";
    const [variable = ""] = formerVariables(name, formerSettings[name] ?? { instead: "" });
    const forms = [loadFile({ [name]: value }), loadGiven({ [name]: value })];
    rmSync(join(home, "curlew.json"));
    for (const { settings, warnings } of [...forms, loadFlag(name, text), loadVariable(variable, text)]) {
      expect(settings).toMatchObject(now);
      expect(warnings).toContainEqual(expect.stringMatching(`has a new name: ${formerSettings[name]?.instead}`));
    }
  });

  it("adds to what stands under the new name", () => {
    const { settings, origins } = loadFile({ disabledQuirks: ["titles"], thinkTags: false, mcpImport: ["cursor"] });
    expect(settings).toMatchObject({ disabledQuirks: ["titles", "think-tags"], mcp: { import: ["cursor"] } });
    expect(origins.mcp).toMatch(/curlew\.json:1$/);
  });

  it("never stops a start with a value that cannot be used, and does not show it", () => {
    const { settings, warnings } = loadFile({ thinkTags: "s3cret", mcpImport: ["emacs"] });
    expect(settings).toEqual(withoutWarnings(loadFile({})));
    expect(warnings).toHaveLength(2);
    for (const warning of warnings) expect(warning).toContain("cannot be used and is ignored");
    expect(warnings.join()).not.toContain("s3cret");
  });
});

describe("the proxies of an embedding program", () => {
  const secret = "http://me:s3cret@proxy.test:1";

  it.each(["httpsProxy", "allProxy"])("are still read: %s", (name) => {
    const { settings, warnings } = loadGiven({ [name]: secret });
    expect(settings.proxy).toBe(secret);
    expect(warnings).toEqual([
      `options.settings.${name} has a new name: proxy (HTTPS_PROXY). The old name is still read.`,
    ]);
  });

  it("yield to the new name, and are ignored in the file, where no secret may stand", () => {
    expect(loadGiven({ httpsProxy: secret, proxy: "http://new:1" }).settings.proxy).toBe("http://new:1");
    const { settings, warnings } = loadFile({ httpsProxy: secret, httpProxy: secret });
    expect(settings.proxy).toBeUndefined();
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).not.toContain("s3cret");
  });
});

it("has no name in common with the settings of today", () => {
  expect(settingNames.filter((name) => Object.hasOwn(formerSettings, name))).toEqual([]);
  const today = new Set(settingNames.flatMap((name) => variablesOf(name, settingsTable[name])));
  const past = former.flatMap(([name, each]) => formerVariables(name, each));
  expect(past.filter((variable) => today.has(variable))).toEqual([]);
});
