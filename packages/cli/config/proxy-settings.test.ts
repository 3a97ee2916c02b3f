import { describe, expect, it } from "vitest";
import { loadSettings } from "./load.js";

const load = (env: Record<string, string | undefined>) =>
  loadSettings({ env, home: "/nowhere", homeDirectory: "/nowhere" });

describe("the proxy", () => {
  it.each([
    ["HTTPS_PROXY before ALL_PROXY", { HTTPS_PROXY: "http://a:1", ALL_PROXY: "http://c:3" }, "http://a:1"],
    ["ALL_PROXY", { ALL_PROXY: "http://c:3" }, "http://c:3"],
    ["lower case before upper", { https_proxy: "http://a:1", HTTPS_PROXY: "http://b:1" }, "http://a:1"],
    ["no scheme", { HTTPS_PROXY: "proxy.test:3128" }, "http://proxy.test:3128"],
    ["another kind, which stops no start", { ALL_PROXY: "socks5://proxy.test:1080" }, "socks5://proxy.test:1080"],
    ["HTTP before another kind", { ALL_PROXY: "socks5://proxy.test:1080", HTTPS_PROXY: "http://a:1" }, "http://a:1"],
  ])("comes from the well-known variables: %s", (_, env, proxy) => {
    expect(load(env).settings.proxy).toBe(proxy);
  });

  it("silently ignores HTTP_PROXY, which is not about Cursor's addresses", () => {
    const { settings, warnings } = load({ HTTP_PROXY: "http://b:2", http_proxy: "http://b:2" });
    expect({ proxy: settings.proxy, warnings }).toEqual({ proxy: undefined, warnings: [] });
  });

  it("has exceptions separated by commas and blanks", () => {
    const exceptions = ["localhost", ".a.test", "b.test:8443", "*"];
    expect(load({ NO_PROXY: "localhost, .a.test b.test:8443,,*" }).settings.noProxy).toEqual(exceptions);
    expect(load({ no_proxy: "a.test", NO_PROXY: "b.test" }).settings.noProxy).toEqual(["a.test"]);
  });

  it.each(["http://", "http://me:hidden@proxy test"])("is refused and not shown: %s", (value) => {
    expect(() => load({ HTTPS_PROXY: value })).toThrow(/HTTPS_PROXY \(environment\) must be the address of a proxy/);
    expect(() => load({ HTTPS_PROXY: value })).not.toThrow(/hidden/);
  });
});
