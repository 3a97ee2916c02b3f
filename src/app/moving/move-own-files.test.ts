import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { moveOwnFiles } from "./move-own-files.js";

it.each(["state/", "./state", "state/inner"])("leaves the folder that a setting names, as in %s", async (name) => {
  const home = mkdtempSync(join(tmpdir(), "curlew-own-files-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const places = { config: join(home, "config"), state: join(home, "state"), cache: join(home, "cache") };
  mkdirSync(join(places.config, "state", "inner"), { recursive: true });
  mkdirSync(join(places.config, "ledger"));
  const { moved } = await moveOwnFiles(places, `${places.config}/${name}`);
  expect(moved).toEqual([join(places.state, "ledger")]);
  expect(existsSync(join(places.config, "state", "inner"))).toBe(true);
});
