import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { findSdk } from "./find-sdk.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function install(path: string, manifest: object = {}): string {
  const root = join(folder, path);
  mkdirSync(root, { recursive: true });
  const whole = { name: "@cursor/sdk", exports: { ".": { import: "./esm/index.js" } }, ...manifest };
  writeFileSync(join(root, "package.json"), JSON.stringify(whole));
  return pathToFileURL(join(root, "esm/index.js")).href;
}

it("is found upwards of the first folder, then of the next", () => {
  const second = install("other/node_modules/@cursor/sdk");
  const folders = [join(folder, "work/deep/below"), join(folder, "other")];
  expect(findSdk(undefined, folders)).toBe(second);
  const first = install("work/node_modules/@cursor/sdk");
  expect(findSdk(undefined, folders)).toBe(first);
});

it("is found only at the path if one is set: the package, a folder that has it, or the module", () => {
  const elsewhere = install("node_modules/@cursor/sdk");
  const module = install("mine/node_modules/@cursor/sdk");
  expect(findSdk(join(folder, "mine"), [folder])).toBe(module);
  expect(findSdk(join(folder, "mine/node_modules/@cursor/sdk"), [])).toBe(module);
  const file = join(folder, "mine/node_modules/@cursor/sdk/bundle.mjs");
  writeFileSync(file, "");
  expect(findSdk(file, [])).toBe(pathToFileURL(file).href);
  expect(() => findSdk(join(folder, "empty"), [folder])).toThrow(/not in .*CURLEW_SDK_PATH/);
  expect(findSdk(undefined, [folder])).toBe(elsewhere);
});

it("is not a folder that only has its name", () => {
  install("node_modules/@cursor/sdk", { name: "something-else" });
  expect(() => findSdk(undefined, [folder])).toThrow("npm install @cursor/sdk");
});
