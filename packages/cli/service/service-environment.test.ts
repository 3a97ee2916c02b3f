import { expect, it } from "vitest";
import { serviceEnvironment } from "./service-for.js";

const environmentOf = (env: Record<string, string>, platform: NodeJS.Platform = "linux") =>
  serviceEnvironment({ env, platform, homeDirectory: "/home/ada" });

it("passes settings on, and drops the rest of the environment", () => {
  expect(environmentOf({ PORT: "4000", CURLEW_LOG_LEVEL: "debug", EDITOR: "vi", HOST: "" }).carried).toEqual({
    PORT: "4000",
    CURLEW_LOG_LEVEL: "debug",
  });
});

it("passes no secret on, and names those that are set", () => {
  const env = {
    CURSOR_API_KEY: "crsr_1",
    CURLEW_KEY: "0123456789abcdef",
    CURSOR_AUTH_TOKEN: "t",
    CURSOR_CHECKSUM: "c",
  };
  expect(environmentOf(env)).toEqual({
    carried: {},
    leftOut: ["CURLEW_KEY", "CURSOR_API_KEY", "CURSOR_AUTH_TOKEN", "CURSOR_CHECKSUM"],
  });
});

it("passes a proxy on, unless it holds a password", () => {
  expect(
    environmentOf({ HTTPS_PROXY: "http://ada:pw@proxy:3128", all_proxy: "http://proxy:3128", NO_PROXY: "*" }),
  ).toEqual({
    carried: { all_proxy: "http://proxy:3128", NO_PROXY: "*" },
    leftOut: ["HTTPS_PROXY"],
  });
});

it("makes paths absolute, because a service starts elsewhere", () => {
  expect(environmentOf({ CURLEW_HOME: "own", CURLEW_KEY_FILE: "/etc/key" }).carried).toEqual({
    CURLEW_HOME: `${process.cwd()}/own`,
    CURLEW_KEY_FILE: "/etc/key",
  });
});

it("passes PATH on if the system's own has less", () => {
  expect(environmentOf({ PATH: "/opt/bin" }).carried).toEqual({ PATH: "/opt/bin" });
  expect(environmentOf({ PATH: "C:\\bin" }, "win32").carried).toEqual({});
});
