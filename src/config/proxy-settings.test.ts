import { describe, expect, it } from "vitest";
import { loadSettings } from "./load.js";

const load = (env: Record<string, string>) =>
  loadSettings({ env, home: "/nowhere", homeDirectory: "/nowhere" }).settings;

describe("proxies", () => {
  it("come from the variables that everybody knows, lower case before upper", () => {
    expect(load({ HTTPS_PROXY: "http://a:1", HTTP_PROXY: "http://b:2", ALL_PROXY: "http://c:3" })).toMatchObject({
      httpsProxy: "http://a:1",
      httpProxy: "http://b:2",
      allProxy: "http://c:3",
      noProxy: [],
    });
    const both = {
      https_proxy: "http://lower:1",
      HTTPS_PROXY: "http://upper:1",
      no_proxy: "a.test",
      NO_PROXY: "b.test",
    };
    expect(load(both)).toMatchObject({ httpsProxy: "http://lower:1", noProxy: ["a.test"] });
  });

  it("may be named without a scheme", () => {
    expect(load({ HTTPS_PROXY: "proxy.test:3128" }).httpsProxy).toBe("http://proxy.test:3128");
  });

  it("have exceptions separated by commas and blanks", () => {
    expect(load({ NO_PROXY: "localhost, .a.test b.test:8443,,*" }).noProxy).toEqual([
      "localhost",
      ".a.test",
      "b.test:8443",
      "*",
    ]);
  });

  it.each(["socks5://me:hidden@proxy.test:1080", "http://", "http://me:hidden@proxy test"])(
    "that cannot be used are refused without showing them: %s",
    (value) => {
      expect(() => load({ HTTPS_PROXY: value })).toThrow(/HTTPS_PROXY must be the address of an HTTP proxy/);
      expect(() => load({ HTTPS_PROXY: value })).not.toThrow(/hidden/);
    },
  );

  it("of another kind are let be in ALL_PROXY, where desktops put them beside the others", () => {
    expect(load({ ALL_PROXY: "socks://proxy.test:1080" }).allProxy).toBe("socks://proxy.test:1080");
  });
});
