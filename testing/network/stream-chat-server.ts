import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { END, EnvelopeReader, encodeEnvelope } from "../../simulator/envelope.js";
import { type GetChatRequest, GetChatRequestSchema, StreamChatResponseSchema } from "../../src/gen/chat_v1_pb.js";

interface AskedChat {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly request: GetChatRequest | undefined;
}

/** A server that only has Cursor's `AiService/StreamChat`: every other path is a plain 404. */
export async function startStreamChatServer(words: readonly string[]) {
  const asked: AskedChat[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      if (path !== "/aiserver.v1.AiService/StreamChat") {
        asked.push({ path, headers, request: undefined });
        response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
        return;
      }
      const [envelope] = new EnvelopeReader().push(Buffer.concat(parts));
      asked.push({
        path,
        headers,
        request: envelope && fromBinary(GetChatRequestSchema, envelope.payload),
      });
      response.writeHead(200, { "content-type": "application/connect+proto" });
      for (const text of words) {
        response.write(
          encodeEnvelope(0, toBinary(StreamChatResponseSchema, create(StreamChatResponseSchema, { text }))),
        );
      }
      response.end(encodeEnvelope(END, Buffer.from("{}")));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
