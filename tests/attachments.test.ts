import type { RequestListener } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAttachments } from "../packages/gateway/core/attachments/index.js";
import { systemClock } from "../packages/gateway/system/clock.js";
import type { Simulator } from "../packages/simulator/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { makeAgentBackend } from "../testing/gateway/agent-backend.js";
import { makeGateway } from "../testing/gateway/make-gateway.js";
import { serveGateway } from "../testing/gateway/serve-gateway.js";
import { openWholeSystem } from "../testing/gateway/whole-system.js";
import { type PictureHost, startPictureHost } from "../testing/network/picture-host.js";
import { samplePdf } from "../testing/samples/sample-pdf.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const png = Buffer.from("89504e470d0a1a0a0000", "hex");
const tools = [tool("look")];
const say = (text: string, ...parts: object[]): ChatMessage => ({
  role: "user",
  content: [{ type: "text", text }, ...parts],
});
const picture = (url: string) => ({ type: "image_url", image_url: { url } });
const file = (name: string, data: Buffer) => ({
  type: "file",
  file: { filename: name, file_data: `data:application/pdf;base64,${data.toString("base64")}` },
});

interface RunRequest {
  action: { userMessageAction: { userMessage: { text: string; selectedContext?: { selectedImages: object[] } } } };
}

/** The user's message in the newest run. */
function newestWords(simulator: Simulator) {
  const run = simulator.requests(50).findLast(({ path }) => path.endsWith("/Run"));
  const first = run?.messages[0] as { runRequest: RunRequest } | undefined;
  const { text, selectedContext } = first?.runRequest.action.userMessageAction.userMessage ?? { text: "" };
  return { text, images: selectedContext?.selectedImages ?? [] };
}

/** All content that Cursor asked for. */
function fetchedBlobs(simulator: Simulator): string {
  const messages = simulator.requests(50).flatMap((request) => request.messages);
  return messages
    .map((message) => (message as BlobMessage).kvClientMessage?.getBlobResult?.blobData ?? "")
    .map((data) => Buffer.from(data, "base64").toString())
    .join("\n");
}

interface BlobMessage {
  kvClientMessage?: { getBlobResult?: { blobData?: string } };
}

describe("a gateway that may fetch from this machine (in tests only)", () => {
  let simulator: Simulator;
  let host: PictureHost;
  let url: string;
  let close: () => Promise<void>;
  let answer: RequestListener;

  beforeEach(async () => {
    answer = (_, response) => response.writeHead(200, { "content-type": "image/png" }).end(png);
    simulator = await startSimulator();
    host = await startPictureHost((request, response) => answer(request, response));
    const backend = makeAgentBackend(simulator.url);
    const gateway = makeGateway(backend, {
      attachments: createAttachments({
        clock: systemClock,
        allows: (name) => name === "127.0.0.1",
        limits: { recentMs: 0 },
      }),
    });
    const served = await serveGateway(gateway);
    url = served.url;
    close = async () => {
      gateway.close();
      await served.close();
    };
  });
  afterEach(async () => {
    await close();
    await host.close();
    await simulator.close();
  });

  it("tells the model and the client that an image of an older message is unavailable", async () => {
    answer = (_, response) => response.writeHead(404).end();
    const messages = [
      say("Look.", picture(`${host.url}/bird.png?key=s3cret`)),
      { role: "assistant", content: "A bird." },
      say("Which?"),
    ];
    const response = await postJson(`${url}/v1/chat/completions`, { model: "auto", messages });
    expect(response.status).toBe(200);
    const warnings = response.headers.get("x-curlew-warnings");
    expect(warnings).toContain("Left out of earlier messages: 1. The image bird.png at 127.0.0.1");
    expect(warnings).not.toContain("s3cret");
    const sent = fetchedBlobs(simulator);
    expect(sent).toContain("An image was here, and cannot be had any more.");
    expect(sent).not.toContain("s3cret");
  });

  it("sends fetched images to the parked run, and keeps it parked when a fetch fails", async () => {
    const messages = [say("[[call look {}]] then [[say Seen.]]")];
    const called = await chat(url, messages, { tools });
    const withResult = [...messages, called.message, result(called.calls[0], [picture(`${host.url}/bird.png`)])];
    const good = answer;
    answer = (_, response) => response.writeHead(500).end();
    await expect(chat(url, withResult, { tools })).rejects.toMatchObject({ status: 400, code: "fetch_failed" });
    answer = good;
    expect(await chat(url, withResult, { tools })).toMatchObject({
      continuity: "warm",
      text: expect.stringContaining("Seen."),
    });
    expect(simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
    const sent = JSON.stringify(simulator.requests(50).at(-1)?.messages);
    expect(sent).toContain(png.toString("base64"));
  });

  it("keeps the run parked when the client disconnects during a fetch", async () => {
    const messages = [say("[[call look {}]] then [[say Seen.]]")];
    const called = await chat(url, messages, { tools });
    const withResult = [...messages, called.message, result(called.calls[0], [picture(`${host.url}/bird.png`)])];
    const good = answer;
    const client = new AbortController();
    answer = () => client.abort();
    const left = postJson(
      `${url}/v1/chat/completions`,
      { model: "auto", messages: withResult, tools },
      {},
      client.signal,
    );
    await expect(left).rejects.toThrow();
    await expect.poll(() => host.responses.every(({ closed }) => closed)).toBe(true);
    answer = good;
    expect(await chat(url, withResult, { tools })).toMatchObject({ continuity: "warm" });
    expect(simulator.stats().runs).toBe(1);
  });
});

describe("a gateway with default settings", () => {
  it("fetches nothing from private addresses in any notation", async () => {
    const host = await startPictureHost((_, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end(png),
    );
    const system = await openWholeSystem();
    const { port } = new URL(host.url);
    for (const name of ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"]) {
      await expect(chat(system.url, [say("Look.", picture(`http://${name}:${port}/a.png`))])).rejects.toMatchObject({
        status: 400,
        code: "fetch_failed",
        message: expect.stringMatching(/not on the public internet.*Send the image itself, as base64/),
      });
    }
    expect(host.requests).toHaveLength(0);
    expect(system.simulator.stats().runs).toBe(0);
    await host.close();
  });

  it("reads PDFs, and continues warm after them", async () => {
    const system = await openWholeSystem();
    const messages = [say("[[say Read.]]", file("tides.pdf", samplePdf("Spring tide at noon")))];
    const first = await chat(system.url, messages);
    expect(newestWords(system.simulator).text).toBe(
      '[[say Read.]]\n<document name="tides.pdf">\n[Page 1]\nSpring tide at noon\n</document>\n',
    );
    const second = await chat(system.url, [...messages, first.message, say("[[say Sure.]]")]);
    expect(second).toMatchObject({ continuity: "warm" });
  });
});
