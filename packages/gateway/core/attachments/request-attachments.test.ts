import type { RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPictureHost } from "../../../../testing/network/picture-host.js";
import { samplePdf, scannedPdf } from "../../../../testing/samples/sample-pdf.js";
import { systemClock } from "../../system/clock.js";
import { documentText, type InputBlock, type ToolResult } from "../../turn/blocks.js";
import type { Message } from "../../turn/turn.js";
import { createAttachments } from "./index.js";
import type { AttachmentLimits } from "./limits.js";

const png = Buffer.from("89504e470d0a1a0a0000", "hex");
const jpeg = Buffer.from("ffd8ffe000", "hex");

const serve: RequestListener = ({ url = "" }, response) => {
  if (url.startsWith("/gone")) return void response.writeHead(404).end();
  if (url.startsWith("/page")) return void response.writeHead(200, { "content-type": "text/html" }).end("<p>hi");
  if (url.startsWith("/lie")) return void response.writeHead(200, { "content-type": "image/png" }).end("<p>hi");
  if (url.startsWith("/hang")) return;
  const isPdf = url.startsWith("/a.pdf");
  response.writeHead(200, { "content-type": isPdf ? "application/pdf" : "application/octet-stream" });
  response.end(isPdf ? samplePdf("Tides") : png);
};

async function setUp(limits: Partial<AttachmentLimits> = {}) {
  const host = await startPictureHost(serve);
  onTestFinished(host.close);
  const attachments = createAttachments({ clock: systemClock, allows: (name) => name === "127.0.0.1", limits });
  const client = new AbortController();
  const open = (messages: readonly Message[], images = true) =>
    attachments.ofRequest({ turn: { messages }, images, signal: client.signal });
  const send = async (messages: readonly Message[], images = true) => {
    const request = open(messages, images);
    return { messages: await request.messages(messages), warnings: request.warnings };
  };
  const at = (path: string): InputBlock => ({ type: "remote-image", url: host.url + path });
  return { host, client, open, send, at };
}

const user = (...content: InputBlock[]): Message => ({ role: "user", content });
const said: Message = { role: "assistant", content: [{ type: "text", text: "I see." }] };
const text: InputBlock = { type: "text", text: "look" };
const image = (data: Uint8Array, mimeType = "image/png") => ({ type: "image" as const, mimeType, data });
const result = (...content: InputBlock[]): ToolResult => ({ callId: "c", content, isError: true });

describe("the content sent upstream", () => {
  it("is only text and images, in user messages and in results", async () => {
    const { host, send, at } = await setUp();
    const pdf: InputBlock = { type: "pdf", name: "a.pdf", data: samplePdf("Neaps") };
    const remote: InputBlock = { type: "remote-pdf", name: "b.pdf", url: `${host.url}/a.pdf` };
    const tides = documentText("[Page 1]\nTides", "b.pdf");
    const sent = await send([
      user(text, at("/a.png")),
      said,
      { role: "tool", results: [result(pdf, remote, image(png))] },
    ]);
    expect(sent).toEqual({
      messages: [
        user(text, image(png)),
        said,
        { role: "tool", results: [result(documentText("[Page 1]\nNeaps", "a.pdf"), tides, image(png))] },
      ],
      warnings: [],
    });
  });

  it("is the same object for messages with only text", async () => {
    const { open, at } = await setUp();
    const plain: Message[] = [user(text), said, { role: "tool", results: [result(text)] }];
    const request = open(plain);
    expect(await request.messages(plain)).toBe(plain);
    expect(await request.result(result(text))).toEqual(result(text));
    const mixed = [...plain, user(at("/a.png"))];
    const sent = await open(mixed).messages(mixed);
    expect(plain.map((message, position) => sent[position] === message)).toEqual([true, true, true]);
  });

  it("has images with their real type", async () => {
    const { send } = await setUp();
    const { messages } = await send([user(image(jpeg, "image/png"), image(png, "image/svg+xml"))]);
    expect(messages).toEqual([user(image(jpeg, "image/jpeg"), image(png, "image/png"))]);
  });

  it("notes that a long document was cut", async () => {
    const { send } = await setUp({ textCharacters: 11 });
    const { messages } = await send([user({ type: "pdf", data: samplePdf("Tides") })]);
    const cut = "[Page 1]\nTi\n[The document goes on: these are its first 11 characters.]";
    expect(messages).toEqual([user(documentText(cut))]);
  });
});

describe("new content that cannot be loaded", () => {
  it.each([
    ["an image that is gone", "/gone/a.png?key=s3cret", "fetch_failed", "The image a.png at 127.0.0.1:"],
    ["a web page", "/page", "unsupported_image", "text/html"],
    ["other content declared as an image", "/lie", "unsupported_image", "not a PNG"],
  ])("is an error: %s", async (_, path, code, words) => {
    const { send, at } = await setUp();
    for (const messages of [[user(at(path))], [said, { role: "tool", results: [result(at(path))] }] as Message[]]) {
      const failure: unknown = await send(messages).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
      expect(String(failure)).not.toContain("s3cret");
    }
  });

  it.each([
    ["an unknown kind of image", image(Buffer.from("<svg>"), "image/svg+xml"), "unsupported_image"],
    ["an image that is too large", image(Buffer.concat([png, Buffer.alloc(100)])), "image_too_large"],
    ["a scanned document", { type: "pdf", name: "scan.pdf", data: scannedPdf() } as const, "unsupported_document"],
    ["an image declared as a document", { type: "pdf", data: png } as const, "unsupported_document"],
  ])("is an error: %s", async (_, block, code) => {
    const { send } = await setUp({ imageBytes: 100 });
    await expect(send([user(block)])).rejects.toMatchObject({ code });
  });

  it("is an error when a document's address leads to an image", async () => {
    const { host, send } = await setUp();
    const url = `${host.url}/a.png`;
    await expect(send([user({ type: "remote-pdf", url })])).rejects.toMatchObject({
      code: "unsupported_document",
      message: expect.stringContaining("is not a PDF"),
    });
  });

  it("aborts all pending loads", async () => {
    const { host, send, at } = await setUp();
    await expect(send([user(at("/hang"), at("/gone"))])).rejects.toMatchObject({ code: "fetch_failed" });
    await expect.poll(() => host.responses.every(({ closed }) => closed)).toBe(true);
  });

  it("is not an error when the client has left", async () => {
    const { host, client, send, at } = await setUp();
    const sending = send([user(at("/hang")), said, user(text)]);
    await expect.poll(() => host.requests.length).toBe(1);
    client.abort();
    await expect(sending).rejects.toMatchObject({ code: "canceled" });
  });
});

describe("old content that cannot be loaded", () => {
  it("is replaced by the same notes each time, and reported once", async () => {
    const { send, at } = await setUp();
    const scan: InputBlock = { type: "pdf", data: scannedPdf() };
    const svg = image(Buffer.from("<svg>"));
    const messages = [
      user(at("/gone/a.png")),
      { role: "tool", results: [result(scan, svg)] } as Message,
      said,
      user(text),
    ];
    const sent = await send(messages);
    const lost = { type: "text" as const, text: "[An image was here, and cannot be had any more.]" };
    const unread = { type: "text" as const, text: "[A document was here, and cannot be had any more.]" };
    expect(sent.messages).toEqual([user(lost), { role: "tool", results: [result(unread, lost)] }, said, user(text)]);
    expect(sent.warnings).toEqual([expect.stringMatching(/^Left out of earlier messages: 3\. /)]);
    expect((await send(messages)).messages).toEqual(sent.messages);
  });
});

describe("a model that cannot see", () => {
  it("gets notes instead of images, which are not fetched, and the client is warned", async () => {
    const { host, send, at } = await setUp();
    const pdf: InputBlock = { type: "pdf", data: samplePdf("Tides") };
    const sent = await send([user(text, at("/a.png"), image(png), pdf)], false);
    const unseen = { type: "text" as const, text: "[An image was here, and cannot be seen by this model.]" };
    expect(sent.messages).toEqual([user(text, unseen, unseen, documentText("[Page 1]\nTides"))]);
    expect(sent.warnings).toEqual(["This model cannot see images; left out: 2."]);
    expect(host.requests).toHaveLength(0);
  });
});

describe("the attachments of a request", () => {
  it("are bounded in number, new ones first", async () => {
    const { host, send, at } = await setUp({ perRequest: 2 });
    const sent = await send([user(at("/1")), said, user(at("/2"), at("/3"))]);
    expect(sent.messages[2]).toEqual(user(image(png), image(png)));
    expect(sent.warnings).toEqual([expect.stringContaining("At most 2 images and documents")]);
    expect(host.requests).toHaveLength(2);
    await expect(send([user(at("/4"), at("/5"), at("/6"))])).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("are bounded in bytes", async () => {
    const { send, at } = await setUp({ requestBytes: png.length * 2 });
    await expect(send([user(at("/1"), at("/2"))])).resolves.toBeDefined();
    await expect(send([user(at("/1"), at("/2"), at("/3"))])).rejects.toMatchObject({ code: "image_too_large" });
  });

  it("are fetched once, for this request and the next ones", async () => {
    const { host, open, send, at } = await setUp();
    const named: InputBlock[] = [at("/a.png"), { type: "remote-pdf", url: `${host.url}/a.pdf` }];
    const messages = [user(at("/a.png")), said, user(...named)];
    const request = open(messages);
    const [sent] = await Promise.all([request.messages(messages), request.result(result(...named))]);
    expect(host.requests.map(({ url }) => url).sort()).toEqual(["/a.pdf", "/a.png"]);
    expect((await send(messages)).messages).toEqual(sent);
    expect(host.requests).toHaveLength(2);
  });
});
