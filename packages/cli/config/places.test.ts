import { expect, it } from "vitest";
import { placesOf, serviceLog } from "./places.js";

const library = "/home/me/Library";

it.each([
  ["linux", {}, "/home/me/.config/curlew, /home/me/.local/state/curlew, /home/me/.cache/curlew"],
  ["linux", { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" }, "/c/curlew, /s/curlew, /k/curlew"],
  [
    "linux",
    { XDG_STATE_HOME: "state", XDG_CACHE_HOME: "" },
    "/home/me/.config/curlew, /home/me/.local/state/curlew, /home/me/.cache/curlew",
  ],
  [
    "darwin",
    {},
    `${library}/Application Support/curlew, ${library}/Application Support/curlew, ${library}/Caches/curlew`,
  ],
  ["win32", { APPDATA: "/r", LOCALAPPDATA: "/local" }, "/r/curlew, /local/curlew, /local/curlew/cache"],
  ["linux", { CURLEW_HOME: "/mine", XDG_STATE_HOME: "/s" }, "/mine, /mine, /mine"],
] as const)("puts settings, state and cache where %s expects them: %j", (platform, env, expected) => {
  const { config, state, cache } = placesOf({ platform, env, homeDirectory: "/home/me" });
  expect([config, state, cache].join(", ")).toBe(expected);
});

it.each([
  ["linux", undefined],
  ["darwin", "/home/me/Library/Logs/curlew.log"],
  ["win32", "/home/me/AppData/Local/curlew/curlew.log"],
] as const)("knows where a service of %s logs to", (platform, expected) => {
  expect(serviceLog({ platform, env: {}, homeDirectory: "/home/me" })).toBe(expected);
});
