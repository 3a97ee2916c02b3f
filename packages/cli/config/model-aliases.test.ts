import { describe, expect, it } from "vitest";
import { loadSettings } from "./load.js";

const load = (value: string) =>
  loadSettings({ env: { CURLEW_MODEL_ALIASES: value }, home: "/nowhere", homeDirectory: "/nowhere" }).settings
    .modelAliases;

describe("an alias", () => {
  it.each(["a=opus,b=gpt-5.5:high", "a=opus:low,opus-2=opus[effort=low]", "a=cursor/opus"])(
    "of a model is accepted: %s",
    (text) => {
      expect(Object.keys(load(text))).not.toEqual([]);
    },
  );

  it.each([
    ["a=b,b=gpt-5.5:high", "write a=gpt-5.5:high"],
    ["a=B:low,b=gpt-5.5", "write a=gpt-5.5:low"],
    ["a=cursor/b[effort=low],b=gpt-5.5:high", "write a=gpt-5.5[effort=low]"],
    ["a=b,b=a", "b is another alias: name a model in its place"],
    ["a=a:high", "a is another alias: name a model in its place"],
  ])("of an alias is refused with what to write: %s", (text, advice) => {
    expect(() => load(text)).toThrow(advice);
  });
});
