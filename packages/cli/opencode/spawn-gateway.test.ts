import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { ownKey } from "./plugin-gateway.js";

const newFile = () => join(temporaryFolder(), "home", "opencode-key");

describe("the key of the plugin's gateway", () => {
  it("stays the same, and is private", () => {
    const file = newFile();
    const key = ownKey(file);
    expect(ownKey(file)).toBe(key);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("is replaced once others could read it", () => {
    const file = newFile();
    const key = ownKey(file);
    chmodSync(file, 0o644);
    expect(ownKey(file)).not.toBe(key);
  });
});
