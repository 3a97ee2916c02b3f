import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { useEnvFile } from "./flags.js";
import { loadSettings } from "./load.js";

let home = "";
let path = "";
beforeEach(() => {
  home = temporaryFolder();
  path = join(home, ".env");
});

function load(text: string, own: Record<string, string> = {}) {
  writeFileSync(path, text);
  const env: Record<string, string | undefined> = { ...own };
  const variablePlaces = useEnvFile(path, env);
  return { env, load: () => loadSettings({ env, home, homeDirectory: home, variablePlaces }) };
}

it("sets settings, and names the line of each", () => {
  const read = load(
    '\uFEFF# mine\nexport PORT=4000\nCURLEW_KEY="sixteen characters"\n\nCURLEW_LOG_LEVEL=warn # less\n',
  );
  expect(read.env).toMatchObject({ PORT: "4000", CURLEW_KEY: "sixteen characters", CURLEW_LOG_LEVEL: "warn" });
  expect(() => read.load()).toThrow(`CURLEW_KEY (${path}:3) must be at least 16 printable characters without blanks.`);
  const { settings, origins } = load("\nPORT=4000\nPORT=4001\n").load();
  expect([settings.port, origins.port]).toEqual([4001, `${path}:3 (PORT)`]);
});

it("yields to the environment under any name of a setting, and fills empty variables", () => {
  const own = { CURSOR_URL: "https://own.example", PORT: "" };
  const { settings, origins } = load("CURSOR_BACKEND_URL=https://file.example\nPORT=4000\n", own).load();
  expect(settings).toMatchObject({ backendUrl: "https://own.example", port: 4000 });
  expect(origins).toMatchObject({ backendUrl: "environment variable CURSOR_URL", port: `${path}:2 (PORT)` });
});

it("names an invalid value by its line", () => {
  expect(() => load("PORT=80a\n").load()).toThrow(`PORT=80a (${path}:1) must be a whole number from 0 to 65535.`);
});

it("must exist, and must not be huge", () => {
  expect(() => useEnvFile(path, {})).toThrow(`--env-file names ${path}, which cannot be read (ENOENT).`);
  writeFileSync(path, "#".repeat(256 * 1024 + 1));
  expect(() => useEnvFile(path, {})).toThrow(`${path} is larger than 262144 bytes.`);
});

it.skipIf(!existsSync("/dev/zero"))("is not read further than the limit if it never ends", () => {
  expect(() => useEnvFile("/dev/zero", {})).toThrow("/dev/zero is larger than 262144 bytes.");
});
