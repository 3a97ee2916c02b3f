import { lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keysFile, modelsFile } from "../packages/cli/app/prepare/own-files.js";
import { placesIn } from "../packages/cli/config/places.js";
import { makeKey, writeKeys } from "../packages/meter/keys/index.js";
import { chat, user } from "../testing/clients/tool-client.js";
import { openWholeSystem } from "../testing/gateway/whole-system.js";
import { emptyMachine, runCurlew } from "../testing/programs/curlew-process.js";

async function setUp() {
  const system = await openWholeSystem();
  const env = {
    CURLEW_HOME: system.home,
    CURSOR_BACKEND_URL: system.simulator.url,
    CURSOR_API_KEY: "crsr_whole_system",
  };
  const limits = (...args: string[]) => runCurlew(["limits", ...args], { env });
  const shown = async () => JSON.parse((await limits("--json")).stdout);
  return { system, limits, shown };
}

describe("curlew limits", () => {
  it("shows every limit with its usage and its origin", async () => {
    const { system, limits, shown } = await setUp();
    const messages = [user("One. [[usage 900 100 0 0 0]] [[say ok]]")];
    const { message } = await chat(system.url, messages);
    await chat(system.url, [...messages, message, user("Two. [[usage 400 100 0 0 0]] [[say ok]]")]);
    await limits("set", "hour.tokens", "3000");
    await expect
      .poll(async () => (await shown()).limits[3])
      .toMatchObject({
        name: "hour.tokens",
        max: 3_000,
        used: 1_500,
        of: "owner",
        isRefusing: true,
        ends: expect.stringMatching(/:00:00.000Z$/),
      });
    const { limits: list } = await shown();
    expect(list).toContainEqual(
      expect.objectContaining({ name: "conversation.requests", used: 2, of: "default", isRefusing: false }),
    );
    expect(list).toContainEqual(expect.objectContaining({ name: "day.dollars", max: null, of: "nobody" }));
    expect(list).toContainEqual(expect.objectContaining({ name: "client.perMinute", used: 2, most: "node" }));
    const { stdout } = await limits();
    expect(stdout).toMatch(/^LIMIT +VALUE +USED +SHARE +RESETS +WHEN EXCEEDED/);
    expect(stdout).toMatch(/^hour\.tokens +3,000 +1,500 +50% +\d{4}-\d\d-\d\d \d\d:00 +refuses \(yours\)$/m);
    expect(stdout).toMatch(/^day\.requests +[\d,]+ +2 +0% .* warns \(default\)$/m);
    expect(stdout).toMatch(/^conversation\.tokens +[\d,]+ +1,500 +0% +warns \(default\) +conversation [\w-]+$/m);
    expect(stdout).toMatch(/^client\.concurrent +128 +unknown +refuses \(default\)$/m);
  });

  it("keeps concurrent changes, and reports a file that cannot be written in one sentence", async () => {
    const env = emptyMachine();
    const limits = (home: string, ...args: string[]) =>
      runCurlew(["limits", ...args], { env: { ...env, CURLEW_HOME: home } });
    const home = join(env.HOME ?? "", "home");
    const names = ["hour", "day"].flatMap((span) => ["tokens", "requests", "dollars"].map((unit) => [span, unit]));
    const set = await Promise.all(names.map((name) => limits(home, "set", name.join("."), "7")));
    expect(set.map(({ code }) => code)).toEqual(names.map(() => 0));
    const each = { tokens: 7, requests: 7, dollars: 7 };
    expect(JSON.parse(readFileSync(join(home, "limits.json"), "utf8"))).toEqual({ hour: each, day: each });
    const failed = await limits(join(home, "limits.json"), "set", "day.tokens", "7");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(/^curlew: \S+limits\.json cannot be written: \w+: [^\n]+\n$/);
  });

  it("allows a conversation to exceed its ceiling", async () => {
    const { system, limits, shown } = await setUp();
    expect((await limits("set", "conversation.requests", "1")).stdout).toContain("conversation.requests is now 1");
    const messages = [user("One.")];
    const { message } = await chat(system.url, messages);
    messages.push(message, user("Two."));
    const refused = await chat(system.url, messages).then(
      () => "",
      (thrown: Error) => thrown.message,
    );
    const command = /curlew limits (allow \S+)$/.exec(refused)?.[1]?.split(" ") ?? [];
    expect((await limits(...command, "--requests", "2")).code).toBe(0);
    await expect
      .poll(() =>
        chat(system.url, messages).then(
          ({ finish }) => finish,
          () => "refused",
        ),
      )
      .toBe("stop");
    await expect(chat(system.url, messages)).rejects.toThrow("2 of 2 requests");
    expect((await limits()).stdout).toContain(`May continue: ${command[1]} up to 2 requests.`);
    await limits("unset", command[1] ?? "");
    expect((await shown()).allowed).toEqual({});
  });

  it("names the models that a new limit in dollars does not count", async () => {
    const { system, limits } = await setUp();
    await chat(system.url, [user("Ask for the list of models.")], { model: "composer-2.5" });
    const list = modelsFile({ places: placesIn(system.home) }, "agent");
    writeFileSync(list, readFileSync(list, "utf8").replaceAll('"grok-4.6"', '"grok-9"'));
    const { stdout, stderr } = await limits("set", "day.dollars", "5");
    expect(stdout).toContain("day.dollars is now 5; requests beyond it are refused.");
    const note = "A limit in dollars does not count models without a price: grok-9. Set one in tokens";
    expect(stderr).toContain(note);
    expect((await limits("set", "day.tokens", "500000")).stderr).toBe("");
    const keys = async (...args: string[]) =>
      (await runCurlew(["keys", ...args], { env: { CURLEW_HOME: system.home } })).stderr;
    expect(await keys("add", "laptop", "--yes", "--day-dollars", "5")).toContain(note);
    expect(await keys("limit", "laptop", "--hour-dollars", "2")).toContain(note);
    expect(await keys("limit", "laptop", "--hour-dollars", "none", "--day-tokens", "5")).toBe("");
  });

  it("shows the share of the plan if a limit needs it, and the ceilings of keys", async () => {
    const { system, limits } = await setUp();
    writeKeys(keysFile(system), [makeKey("ci", { day: { tokens: 500 } }, Date.now()).stored]);
    await limits("set", "plan.percent", "80", "--models", "claude-*, gpt-*");
    const { stdout } = await limits();
    expect(stdout).toMatch(
      /^plan\.percent +80% +31% +38% +2026-12-01 \d\d:00 +refuses \(yours\) +for claude-\*, gpt-\*$/m,
    );
    expect(stdout).toMatch(/^day\.tokens of ci +500 +0 +0% .* refuses \(the key's\)$/m);
    const { plan } = JSON.parse((await limits("unset", "plan.percent", "--json")).stdout);
    expect(plan).toBeUndefined();
  });
});

describe("an invalid change", () => {
  it.each([
    [["set", "day.token", "5"], "There is no limit day.token. Did you mean day.tokens?"],
    [["set", "day.tokens", "many"], 'day.tokens must be a number, not "many"'],
    [["set", "day.tokens", "5", "--models", "claude-*"], "--models belongs to"],
    [["allow", "../x"], "Use the conversation name in the refusal"],
  ])("%j is refused with a hint", async (args, hint) => {
    const { code, stderr } = await runCurlew(["limits", ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(hint) });
  });

  it("does not change an unreadable file", async () => {
    const { HOME = "" } = emptyMachine();
    const path = join(HOME, "limits.json");
    writeFileSync(path, '{"days": {}}');
    const { code, stderr } = await runCurlew(["limits", "set", "day.tokens", "5"], { env: { CURLEW_HOME: HOME } });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("There is no limit days.") });
    expect(readFileSync(path, "utf8")).toBe('{"days": {}}');
    rmSync(path);
    symlinkSync(join(HOME, "not-mounted"), path);
    for (const args of [["show"], ["set", "day.tokens", "5"]]) {
      const unread = await runCurlew(["limits", ...args], { env: { CURLEW_HOME: HOME } });
      expect(unread).toMatchObject({ code: 1, stdout: "" });
      expect(unread.stderr).toMatch(/^curlew: \S+limits\.json cannot be read: ENOENT[^\n]+\n$/);
    }
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });
});
