import { describe, expect, it } from "vitest";
import { defaultOptions, InvalidOption, parseOptions } from "./options.js";

describe("options that fit", () => {
  it("takes every default back unchanged", () => {
    expect(parseOptions(defaultOptions)).toEqual(defaultOptions);
    expect(parseOptions(JSON.parse(JSON.stringify(defaultOptions)))).toEqual(defaultOptions);
  });

  it.each([
    [{ "bootstrap-ms": "250" }, { bootstrapMs: 250 }],
    [{ "token-ttl": "5" }, { tokenTtlSeconds: 5 }],
    [
      { "forget-blobs": "true", gzip: "false" },
      { forgetBlobs: true, gzip: false },
    ],
    [{ exchange: "fail-3" }, { exchange: "fail-3" }],
    [{ login: "error-2" }, { login: "error-2" }],
    [{ login: "error" }, { login: "error" }],
    [{ "privacy-mode": "3" }, { privacyMode: 3 }],
    [{ "denied-versions": "cli-1, cli-2" }, { deniedVersions: ["cli-1", "cli-2"] }],
    [{ deniedVersions: [] }, { deniedVersions: [] }],
    [{ deltaMs: undefined }, {}],
  ])("reads %j", (given, expected) => expect(parseOptions(given)).toEqual(expected));
});

describe("like", () => {
  const live = {
    messageTimes: true,
    callCounts: true,
    refuseReusedIds: true,
    tokenFloor: 20_152,
    dynamicTools: "reported",
  };

  it("sets other options as a live server is said to behave, except those that are given", () => {
    expect(parseOptions({ like: "live" })).toEqual({ like: "live", ...live });
    const given = { like: "live", "token-floor": "0", messageTimes: false, dynamicTools: "true" };
    expect(parseOptions(given)).toMatchObject({
      tokenFloor: 0,
      messageTimes: false,
      callCounts: true,
      dynamicTools: true,
    });
    expect(parseOptions(parseOptions(given))).toEqual(parseOptions(given));
  });

  it("can be taken back", () => {
    const options = { ...defaultOptions, ...parseOptions({ like: "live" }) };
    expect(Object.assign(options, parseOptions({ like: "plain" }))).toEqual(defaultOptions);
  });
});

describe("options that do not fit", () => {
  it.each([
    [{ transprot: "h2" }, 'Unknown option "transprot". The options are: strict, like, transport'],
    [{ toString: "h2" }, 'Unknown option "toString"'],
    [{ transport: "h3" }, 'The option "transport" takes one of h2, h1, not "h3".'],
    [{ heartbeatMs: 0 }, 'The option "heartbeatMs" takes a whole number from 1 to 2147483647, not 0.'],
    [{ deltaMs: 1.5 }, "not 1.5."],
    [{ deltaMs: "" }, 'not "".'],
    [{ deltaMs: -1 }, "not -1."],
    [{ gzip: "yes" }, 'The option "gzip" takes true or false, not "yes".'],
    [{ gzip: null }, "not null."],
    [{ dynamicTools: "some" }, "takes one of true, false, reported, not"],
    [{ exchange: "fail-0" }, "takes one of ok, refuse, or fail-N with N from 1"],
    [{ exchange: "fail-" }, 'not "fail-".'],
    [{ privacyMode: 5 }, "takes one of 0, 1, 2, 3, 4, not 5."],
    [{ deniedVersions: [1] }, "takes a list of words"],
    [{ deniedVersions: "" }, "takes a list of words"],
    [[], "Options must be an object"],
    ["h2", "Options must be an object"],
    [null, "Options must be an object"],
  ])("refuses %j and says why", (given, reason) => {
    expect(() => parseOptions(given)).toThrow(InvalidOption);
    expect(() => parseOptions(given)).toThrow(reason);
  });
});
