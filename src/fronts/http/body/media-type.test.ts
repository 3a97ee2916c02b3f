import { describe, expect, it } from "vitest";
import { requireJson } from "./media-type.js";

describe("the type of a body", () => {
  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json ; charset=utf8; profile=x",
    "application/vnd.api+json",
    undefined,
    "",
  ])("%j is taken", (type) => {
    expect(() => requireJson(type === undefined ? {} : { "content-type": type })).not.toThrow();
  });

  it.each([
    "text/plain",
    "text/plain; application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json; charset=utf-16",
    "application/json; charset=latin1",
    "json",
  ])("%j is refused", (type) => {
    expect(() => requireJson({ "content-type": type })).toThrowError(
      expect.objectContaining({ code: "unsupported_media_type", message: expect.stringContaining("application/json") }),
    );
  });

  it("may be left out by programs, but not by the pages of a browser", () => {
    expect(() => requireJson({ origin: "https://evil.example" })).toThrowError(
      expect.objectContaining({ code: "unsupported_media_type" }),
    );
  });
});
