import { describe, expect, it } from "vitest";
import { documentText } from "../../turn/blocks.js";
import { parseFile, parseImageUrl, parseSource } from "./attachment.js";

const pdf = Buffer.from("%PDF-1.7\nrest");
const png = Buffer.from("89504e470d0a1a0a00", "hex");
const zip = Buffer.from("504b030414000000ff", "hex");
const base64 = (data: Buffer | string) => Buffer.from(data).toString("base64");
const dataUrl = (type: string, data: Buffer | string) => `data:${type};base64,${base64(data)}`;

describe("a file part", () => {
  it.each([
    [
      "a PDF",
      { file_data: dataUrl("application/pdf", pdf), filename: "a.pdf" },
      { type: "pdf", name: "a.pdf", data: pdf },
    ],
    ["a PDF in bare base64", { file_data: base64(pdf) }, { type: "pdf", data: pdf }],
    ["a PDF under a wrong type", { file_data: dataUrl("text/plain", pdf) }, { type: "pdf", data: pdf }],
    ["plain text", { file_data: dataUrl("text/plain", "föö"), filename: "a.txt" }, documentText("föö", "a.txt")],
    ["JSON", { file_data: dataUrl("application/json", "{}") }, documentText("{}")],
    ["text of an unknown type", { file_data: dataUrl("application/octet-stream", "a: 1") }, documentText("a: 1")],
    ["text in bare base64", { file_data: base64("hi") }, documentText("hi")],
    ["an image", { file_data: dataUrl("image/png", png) }, { type: "image", mimeType: "image/png", data: png }],
    [
      "an address",
      { file_url: "https://example.com/a.pdf", filename: "a.pdf" },
      { type: "remote-pdf", name: "a.pdf", url: "https://example.com/a.pdf" },
    ],
    ["data as its address", { file_url: dataUrl("text/plain", "hi"), filename: "a.txt" }, documentText("hi", "a.txt")],
    [
      "data beside null fields",
      { file_data: base64("hi"), file_url: null, file_id: null, filename: null },
      documentText("hi"),
    ],
  ])("with %s becomes its block", (_, part, block) => {
    expect(parseFile(part)).toEqual(block);
  });

  it.each([
    ["a file id", { file_id: "file-1" }, "cannot be uploaded"],
    ["nothing", {}, "must have file_data"],
    ["a zip", { file_data: dataUrl("application/vnd.some-office", zip) }, "(declared as application/vnd.some-office);"],
    ["a zip without a type", { file_data: base64(zip) }, "or UTF-8 text;"],
    ["text declared as a PDF", { file_data: dataUrl("application/pdf", "hello") }, "is not a PDF"],
    ["binary that happens to be UTF-8", { file_data: base64("a\0b") }, "or UTF-8 text"],
    ["broken base64", { file_data: "data:text/plain;base64,a*b*c*d*" }, "broken base64"],
    ["an empty file", { file_data: "data:text/plain;base64," }, "holds no data"],
    ["a data: URL that is not base64", { file_data: "data:text/plain,hi" }, "must be base64"],
    ["a path instead of an address", { file_url: "/etc/passwd" }, "http(s) address"],
    ["a file: address", { file_url: "file:///etc/passwd" }, "http(s) address"],
  ])("with %s is refused in words", (_, part, words) => {
    expect(parseFile(part)).toEqual({ problem: expect.stringContaining(words) });
  });
});

describe("a document's source", () => {
  it.each([
    [
      "base64",
      { type: "base64", media_type: "application/pdf", data: base64(pdf) },
      { type: "pdf", name: "T", data: pdf },
    ],
    ["text", { type: "text", media_type: "text/plain", data: "hi" }, documentText("hi", "T")],
    ["url", { type: "url", url: "http://example.com/" }, { type: "remote-pdf", name: "T", url: "http://example.com/" }],
  ] as const)("of type %s becomes its block", (_, source, block) => {
    expect(parseSource(source, "T")).toEqual(block);
  });

  it("of an uploaded file is refused in words", () => {
    expect(parseSource({ type: "file" })).toEqual({ problem: expect.stringContaining("cannot be uploaded") });
  });

  it("needs no title", () => {
    expect(parseSource({ type: "text", data: "hi" }, null)).toEqual(documentText("hi"));
  });
});

describe("an image URL", () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]);
  const base64 = png.toString("base64");

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

  it.each(["", "application/octet-stream", "text/plain"])("as data declared as %j is an image if it is one", (type) => {
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
