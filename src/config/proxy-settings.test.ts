import { describe, expect, it } from "vitest";
import { loadSettings } from "./load.js";

const load = (env: Record<string, string>) => loadSettings({ env, home: "/nowhere", homeDirectory: "/nowhere" });

describe("the proxy", () => {
  it("comes from the variables that everybody knows, lower case before upper, HTTPS_PROXY before ALL_PROXY", () => {
    expect(load({ HTTPS_PROXY: "http://a:1", ALL_PROXY: "http://c:3" }).settings.proxy).toBe("http://a:1");
    expect(load({ ALL_PROXY: "http://c:3" }).settings.proxy).toBe("http://c:3");
    const both = {
      https_proxy: "http://lower:1",
      HTTPS_PROXY: "http://upper:1",
      no_proxy: "a.test",
      NO_PROXY: "b.test",
    };
    expect(load(both).settings).toMatchObject({ proxy: "http://lower:1", noProxy: ["a.test"] });
  });

  it("never comes from HTTP_PROXY, which is about other addresses than Cursor's, and without a word", () => {
    const { settings, warnings } = load({ HTTP_PROXY: "http://b:2", http_proxy: "http://b:2" });
    expect({ proxy: settings.proxy, warnings }).toEqual({ proxy: undefined, warnings: [] });
  });

  it("may be named without a scheme", () => {
    expect(load({ HTTPS_PROXY: "proxy.test:3128" }).settings.proxy).toBe("http://proxy.test:3128");
  });

  it("has exceptions separated by commas and blanks", () => {
    expect(load({ NO_PROXY: "localhost, .a.test b.test:8443,,*" }).settings.noProxy).toEqual([
      "localhost",
      ".a.test",
      "b.test:8443",
      "*",
    ]);
  });

  it.each(["http://", "http://me:hidden@proxy test"])(
    "that cannot be used is refused without showing it: %s",
    (value) => {
      expect(() => load({ HTTPS_PROXY: value })).toThrow(/HTTPS_PROXY \(environment\) must be the address of a proxy/);
      expect(() => load({ HTTPS_PROXY: value })).not.toThrow(/hidden/);
    },
  );

  it("of another kind stops no start, and gives way to an HTTP proxy", () => {
    const socks = { ALL_PROXY: "socks5://proxy.test:1080" };
    expect(load(socks).settings.proxy).toBe("socks5://proxy.test:1080");
    expect(load({ ...socks, HTTPS_PROXY: "http://a:1" }).settings.proxy).toBe("http://a:1");
  });
});
