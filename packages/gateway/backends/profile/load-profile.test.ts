import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSettings } from "@curlew/cli/config/load.js";
import { SettingsError } from "@curlew/cli/config/settings-error.js";
import { settingsTable } from "@curlew/cli/config/table.js";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { familyRules } from "./families.js";
import { loadProfile, overlayPath } from "./load-profile.js";
import { NAME_PATTERN, NamePatterns } from "./name-patterns.js";
import { profileSchema } from "./schema.js";

let home = "";
beforeEach(() => {
  home = temporaryFolder();
});

function load(overlay: unknown) {
  writeFileSync(overlayPath(home), typeof overlay === "string" ? overlay : JSON.stringify(overlay));
  return loadProfile(home);
}

describe("the profile in the package", () => {
  it("fits its schema, and is the default of the settings", () => {
    const { profile, overlay } = loadProfile(home);
    expect(overlay).toBeUndefined();
    expect(profileSchema().parse(profile)).toEqual(profile);
    expect(settingsTable.clientVersion.default).toBe(profile.clients[profile.agentClient].version);
    expect(settingsTable.backendUrl.default).toBe(profile.hosts.api);
    expect(settingsTable.websiteUrl.default).toBe(profile.hosts.website);
  });

  it("names a source for every family and client", () => {
    const { clients, families, hosts } = loadProfile(home).profile;
    for (const { source } of [...Object.values(clients), ...Object.values(families), hosts])
      expect(source).toBeTruthy();
  });
});

describe("the owner's overlay", () => {
  it("changes what it names, and leaves the rest", () => {
    const before = loadProfile(home).profile;
    const { profile, overlay } = load({
      updated: "2027-02-03",
      clients: { cli: { userAgent: "connect-es/2.0.0" } },
      hosts: { api: "https://api9.cursor.sh" },
    });
    expect(overlay).toMatchObject({ path: join(home, "cursor.json"), updated: "2027-02-03" });
    expect(profile.updated).toBe(before.updated);
    expect(profile.clients.cli).toEqual({ ...before.clients.cli, userAgent: "connect-es/2.0.0" });
    expect(profile.hosts).toEqual({ ...before.hosts, api: "https://api9.cursor.sh" });
    expect(profile.clients.ide).toEqual(before.clients.ide);
  });

  it("wins over the package when both fit a model", () => {
    const { profile } = load({
      families: {
        "my-grok": { match: ["grok-4.7-mini"], dynamicTools: false },
        next: { match: ["next-*"], dynamicTools: true },
      },
    });
    const rulesOf = familyRules(profile);
    const isDynamic = ["grok-4.7-mini", "grok-4.7", "NEXT-1", "gpt-5.5"].map((id) => rulesOf(id).dynamicTools);
    expect(isDynamic).toEqual([false, true, true, undefined]);
  });

  it("moves the defaults of settings, which settings still overrule", () => {
    load({ hosts: { api: "https://api9.cursor.sh", website: "https://www.cursor.com" } });
    const read = (env: Record<string, string>) => loadSettings({ env, home, homeDirectory: home });
    const { settings, origins } = read({});
    expect(settings).toMatchObject({ backendUrl: "https://api9.cursor.sh", websiteUrl: "https://www.cursor.com" });
    expect(origins).toMatchObject({ backendUrl: overlayPath(home), websiteUrl: overlayPath(home) });
    expect(read({ CURSOR_BACKEND_URL: "http://127.0.0.1:9" }).settings.backendUrl).toBe("http://127.0.0.1:9");
  });

  const family = (changes: object) => ({ families: { fable: changes } });
  it.each([
    ["{", "cursor.json is not valid JSON"],
    ["[]", "must hold one JSON object"],
    [`{"updated": "${"x".repeat(300 * 1024)}"}`, "larger than 256 KiB"],
    [{ host: {} }, "cursor.json: host is not a known key"],
    [family({ schema: { refuse: [] } }), "families.fable.schema.refuse is not a known key"],
    [family({ dynamicTools: "yes" }), "families.fable.dynamicTools must be true or false"],
    [family({ match: "x" }), "families.fable.match must be a list of names"],
    [{ families: { a: { dynamicTools: true } } }, "families.a.match must be a list of names"],
    [family({ match: ["(a+)+$"] }), "families.fable.match.0 must be a name in lower case"],
    [family({ match: ["{a,b}".repeat(20)] }), "match must be patterns that stand for at most 5000 names"],
    [{ updated: "today" }, "updated must be a day such as"],
    [{ updated: "2026-13-40" }, "updated must be a day such as"],
    [{ clients: { cli: { version: "3.10.20" } } }, "clients.cli.version must be the version of a Cursor CLI"],
    [{ clients: { cli: { userAgent: "x\r\nauthorization: y" } } }, "clients.cli.userAgent must be"],
  ])("is refused with the path of the mistake: %.80j", (overlay, message) => {
    expect(() => load(overlay)).toThrow(message);
    expect(() => loadSettings({ env: {}, home, homeDirectory: home })).toThrow(SettingsError);
  });

  it("is refused when it cannot be read", () => {
    mkdirSync(overlayPath(home));
    expect(() => loadProfile(home)).toThrow(/cursor\.json cannot be read \(EISDIR\)/);
  });

  it.each([
    "https://cursor.sh.evil.example",
    "https://evilcursor.sh",
    "https://evil.example/api2.cursor.sh",
    "https://user@api2.cursor.sh",
    "https://api2.cursor.sh/path",
    "http://api2.cursor.sh",
    "http://127.0.0.1:4100",
    "file:///etc/passwd",
  ])("sends no credential to a host that is not Cursor's: %s", (url) => {
    for (const name of ["api", "rest", "website", "privateAgent", "openAgent"]) {
      expect(() => load({ hosts: { [name]: url } })).toThrow(
        `hosts.${name} must be an https:// address below cursor.sh`,
      );
    }
  });

  it("cannot reach prototypes through its keys", () => {
    expect(() => load('{"__proto__": {"updated": "2026-01-01"}}')).toThrow("__proto__ is not a known key");
    expect(() => load('{"clients": {"constructor": {}}}')).toThrow("clients.constructor is not a known key");
  });
});

const fits = (name: string, ...patterns: string[]) => new NamePatterns(patterns).fits(name);

describe("patterns of names", () => {
  it.each([
    ["gpt-5", "gpt-5{,.1}{,-mini}", true],
    ["gpt-5.1-mini", "gpt-5{,.1}{,-mini}", true],
    ["gpt-5.2", "gpt-5{,.1}{,-mini}", false],
    ["gpt-5-mini.1", "gpt-5{,.1}{,-mini}", false],
    ["claude-fable-5", "*fable*", true],
    ["fable", "*fable*", true],
    ["claude-3-opus-latest", "claude-{,*-}{opus,haiku}{,-*}", true],
    ["claude-opusx", "claude-{,*-}{opus,haiku}{,-*}", false],
    ["anything", "", false],
  ])("%s by %s: %s", (name, pattern, expected) => expect(fits(name, pattern)).toBe(expected));

  it("fit when one of them does", () => expect(fits("b", "a", "b")).toBe(true));

  it.each(["{a,{b}}", "{a", "a}", "A", "a b", "a|b", "^a$", ""])("are not written as %j", (pattern) => {
    expect(NAME_PATTERN.test(pattern)).toBe(false);
  });
});
