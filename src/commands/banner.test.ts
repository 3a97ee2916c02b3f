import { describe, expect, it } from "vitest";
import { banner } from "./banner.js";
import { createColors } from "./line/colors.js";

interface Shown {
  readonly key?: string;
  readonly passThrough: boolean;
  readonly conduct?: "careful";
  readonly hasNamedKeys?: boolean;
  readonly pageLink?: string;
}

function shown({ hasNamedKeys = false, pageLink, ...settings }: Shown): string {
  const chosen = { backend: "simulator", isFallback: false } as const;
  const usual = { key: undefined, keyFile: undefined, backendUrl: "https://api2.cursor.sh", conduct: "usual" } as const;
  const all = { ...usual, ...settings };
  return banner({ url: "http://127.0.0.1:1", chosen, settings: all, hasNamedKeys, pageLink }, createColors(false));
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

  it("has a link to the page where only the one who started it reads it, and else the command", () => {
    const pageLink = "http://127.0.0.1:1/#open=secret";
    expect(shown({ passThrough: false, pageLink })).toMatch(
      /page +http:\/\/127.0.0.1:1\/#open=secret \(works once, for 10 minutes; curlew dashboard makes another\)\n/,
    );
    expect(shown({ passThrough: false })).toMatch(/page +curlew dashboard opens it\n/);
  });

  it("says that the conduct is careful, and nothing about the usual one", () => {
    expect(shown({ passThrough: false, conduct: "careful" })).toMatch(/conduct +careful: two runs at once/);
    expect(shown({ passThrough: false })).not.toContain("conduct");
  });
});
