import { expect, it } from "vitest";
import { joinText } from "../../../turn/blocks.js";
import { toOutcome } from "./result-content.js";

const image = { type: "image" as const, data: Buffer.from("pixels").toString("base64"), mimeType: "image/png" };

it("passes text and images on", () => {
  const { content, isError } = toOutcome({ content: [{ type: "text", text: "here" }, image] });
  expect(isError).toBe(false);
  expect(content).toEqual([
    { type: "text", text: "here" },
    { type: "image", mimeType: "image/png", data: Buffer.from("pixels") },
  ]);
});

it("turns resources into text, and notes what is left out", () => {
  const { content } = toOutcome({
    content: [
      { type: "resource", resource: { uri: "file:///a", text: "written" } },
      { type: "resource", resource: { uri: "file:///b.zip", blob: "AAAA", mimeType: "application/zip" } },
      { type: "resource", resource: { uri: "file:///c.png", blob: image.data, mimeType: "image/png" } },
      { type: "resource_link", uri: "file:///d", name: "d" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    ],
  });
  expect(content.map(({ type }) => type)).toEqual(["text", "text", "image", "text", "text"]);
  expect(joinText(content)).toMatch(/^written.*file:\/\/\/b\.zip.*\[d: file:\/\/\/d\].*audio is left out/);
});

it("passes lone structured content on as text, and marks errors", () => {
  expect(toOutcome({ content: [], structuredContent: { a: 1 }, isError: true })).toEqual({
    content: [{ type: "text", text: '{"a":1}' }],
    isError: true,
  });
});

it("cuts content beyond the total limit, with a note", () => {
  const { content } = toOutcome({ content: Array(3).fill({ type: "text", text: "x".repeat(60_000) }) });
  expect(joinText(content.slice(0, -1))).toHaveLength(100_000);
  expect(joinText(content.slice(-1))).toContain("Curlew cut this result");
});

it("limits the number and the size of images", () => {
  const { content } = toOutcome({ content: Array(12).fill(image) });
  expect(content.filter(({ type }) => type === "image")).toHaveLength(10);
  const large = { ...image, data: "A".repeat(8_000_000) };
  expect(joinText(toOutcome({ content: [large] }).content)).toContain("larger than 5 MiB");
});
