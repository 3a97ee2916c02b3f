import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { banner } from "./banner.js";

function shown({ hasNamedKeys = false, ...settings }: { key?: string; passThrough: boolean; hasNamedKeys?: boolean }) {
  const chosen = { backend: "simulator", isFallback: false } as const;
  const all = { key: undefined, keyFile: undefined, backendUrl: "https://api2.cursor.sh", ...settings };
  return banner({ url: "http://127.0.0.1:1", chosen, settings: all, hasNamedKeys }, pc.createColors(false));
}

describe("the banner", () => {
  it.each([
    ["anything", { passThrough: false }, /API key +anything/, "completions -H 'content-type"],
    [
      "the gateway key",
      { key: "k", passThrough: false },
      /API key +the gateway key\n/,
      '"authorization: Bearer $CURLEW_KEY"',
    ],
    [
      "the caller's own",
      { passThrough: true },
      /API key +the caller's own Cursor/,
      '"authorization: Bearer $CURSOR_API_KEY"',
    ],
    [
      "both",
      { key: "k", passThrough: true },
      /caller's own .*; the gateway key comes as x-curlew-key\n/,
      '"x-curlew-key: $CURLEW_KEY"',
    ],
    [
      "a named key",
      { passThrough: false, hasNamedKeys: true },
      /API key +a key of curlew keys\n/,
      '"authorization: Bearer $KEY"',
    ],
    [
      "the gateway key or a named one",
      { key: "k", passThrough: true, hasNamedKeys: true },
      /; the gateway key or a key of curlew keys comes as x-curlew-key\n/,
      '"x-curlew-key: $CURLEW_KEY"',
    ],
  ])("says which key a client sends: %s", (_, settings, row, line) => {
    expect(shown(settings)).toMatch(row);
    expect(shown(settings)).toContain(line);
  });
});
