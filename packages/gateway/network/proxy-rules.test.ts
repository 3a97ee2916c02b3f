import { describe, expect, it } from "vitest";
import { proxyFor } from "./proxy-rules.js";

const rules = { proxy: "http://proxy:1" };
const cursor = new URL("https://api2.cursor.sh");

describe("the proxy for a URL", () => {
  it.each([
    ["https://api2.cursor.sh", rules, "proxy:1"],
    ["https://api2.cursor.sh", {}, undefined],
    ["http://127.0.0.1:8080", rules, undefined],
    ["https://localhost:8080", rules, undefined],
    ["https://[::1]:8080", rules, undefined],
  ])("%s by %o is %s", (url, given, host) => {
    expect(proxyFor(new URL(url), given)?.host).toBe(host);
  });

  it.each([
    ["*", true],
    ["cursor.sh", true],
    [".cursor.sh", true],
    ["*.cursor.sh", true],
    ["API2.Cursor.SH", true],
    ["api2.cursor.sh:443", true],
    ["api2.cursor.sh:8443", false],
    ["agent.cursor.sh", false],
    ["sor.sh", false],
    ["", false],
  ])("is skipped for a host that the exceptions cover: %s", (rule, isExcepted) => {
    const found = proxyFor(cursor, { ...rules, noProxy: ["elsewhere.example", rule] });
    expect(found === undefined).toBe(isExcepted);
  });

  it.each(["socks5", "socks5h", "socks"])("may be a SOCKS proxy: %s", (scheme) => {
    const proxy = `${scheme}://user:secret@proxy:1080`;
    expect(proxyFor(cursor, { proxy })?.host).toBe("proxy:1080");
    expect(proxyFor(cursor, { proxy, noProxy: ["cursor.sh"] })).toBeUndefined();
  });

  it("of an unknown kind is an error with a way out, never a direct connection", () => {
    const proxy = "socks4://user:secret@proxy:1080";
    expect(() => proxyFor(cursor, { proxy })).toThrow(/socks4 proxy.*HTTPS_PROXY.*socks5h/);
    expect(() => proxyFor(cursor, { proxy })).not.toThrow(/secret/);
  });

  it("may be excepted by an IPv6 address", () => {
    const url = new URL("https://[2001:db8::1]:8443");
    for (const rule of ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:8443"]) {
      expect(proxyFor(url, { ...rules, noProxy: [rule] })).toBeUndefined();
    }
    expect(proxyFor(url, { ...rules, noProxy: ["[2001:db8::1]:443"] })?.host).toBe("proxy:1");
  });
});
