import { describe, expect, it } from "vitest";
import { parseImageUrl } from "./image-url.js";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]);
const base64 = png.toString("base64");

describe("an image URL", () => {
  it.each([
    ["plain", `data:image/png;base64,${base64}`, "image/png"],
    ["in capitals", `DATA:IMAGE/PNG;BASE64,${base64}`, "image/png"],
    ["with a parameter", `data:image/svg+xml;charset=utf-8;base64,${base64}`, "image/svg+xml"],
    ["without padding", `data:image/webp;base64,${base64.replace(/=/g, "")}`, "image/webp"],
    ["wrapped in lines", `data:image/gif;base64,${base64.slice(0, 4)}\r\n${base64.slice(4)}\n`, "image/gif"],
    ["in the URL alphabet", `data:image/png;base64,${png.toString("base64url")}`, "image/png"],
  ])("as data, %s, becomes its bytes", (_, url, mimeType) => {
    expect(parseImageUrl(url)).toEqual({ type: "image", mimeType, data: png });
  });

  it.each(["", "application/octet-stream", "text/plain"])("as data called %j is an image if it is one", (type) => {
    const gif = Buffer.from("GIF89a");
    const url = `data:${type};base64,${gif.toString("base64")}`;
    expect(parseImageUrl(url)).toEqual({ type: "image", mimeType: "image/gif", data: gif });
  });

  it.each(["http://example.com/a.png", "HTTPS://example.com/a.png?x=1"])("that is an address stays one: %s", (url) => {
    expect(parseImageUrl(url)).toEqual({ type: "remote-image", url });
  });

  it.each([
    ["", "must be a data: URL"],
    ["a.png", "must be a data: URL"],
    ["file:///etc/passwd", "must be a data: URL"],
    ["data:image/png;base64", "must be a data: URL"],
    [`data:image/png${";x".repeat(200)};base64,${base64}`, "must be a data: URL"],
    ["data:text/plain;base64,aGk=", "must have an image type"],
    [`data:;base64,${base64}`, "must have an image type"],
    ["data:image/svg+xml,%3Csvg%3E", "must be base64"],
    ["data:image/png;base64,", "holds no image data"],
    ["data:image/png;base64,a*b*c*d*", "holds broken base64"],
    ["data:image/png;base64,aGk=aGkaGkaGk", "holds broken base64"],
    ["http://", "is not a valid address"],
  ])("%j is refused in words", (url, words) => {
    expect(parseImageUrl(url)).toEqual({ problem: expect.stringContaining(words) });
  });
});
