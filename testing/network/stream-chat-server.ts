import { createServer, type IncomingHttpHeaders } from "node:http";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { END, EnvelopeReader, encodeEnvelope } from "../../packages/simulator/server/envelope.js";
import {
  type GetChatRequest,
  GetChatRequestSchema,
  StreamChatResponseSchema,
} from "../../packages/wire/gen/chat_v1_pb.js";
import { listenLocally } from "./local-server.js";

interface AskedChat {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly request: GetChatRequest | undefined;
}

const json = { "content-type": "application/json; charset=utf-8" };

/** How a server answers the paths that it does not have. */
const refusals = {
  "a 404 in JSON": {
    status: 404,
    headers: json,
    body: JSON.stringify({ message: "Route not found", error: "Not Found", statusCode: 404 }),
  },
  "a 404 in JSON with a code of its own": {
    status: 404,
    headers: json,
    body: JSON.stringify({ code: "route_not_found", message: "no such route" }),
  },
  "a 404 in text": { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found" },
  "an empty 404": { status: 404, headers: {}, body: "" },
  'a frame with "Update Required"': {
    status: 200,
    headers: { "content-type": "application/connect+proto" },
    body: encodeEnvelope(
      END,
      Buffer.from(
        JSON.stringify({
          error: {
            code: "failed_precondition",
            message: "Error",
            details: [
              {
                type: "aiserver.v1.ErrorDetails",
                debug: { error: "ERROR_OUTDATED_CLIENT", details: { title: "Update Required" } },
              },
            ],
          },
        }),
      ),
    ),
  },
  "a Connect error": {
    status: 404,
    headers: json,
    body: JSON.stringify({ code: "not_found", message: "no such conversation" }),
  },
} as const;

/** A server that only has Cursor's `AiService/StreamChat`. */
export async function startStreamChatServer(words: readonly string[], refusal: keyof typeof refusals) {
  const { status, headers: refusalHeaders, body } = refusals[refusal];
  const asked: AskedChat[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      if (path !== "/aiserver.v1.AiService/StreamChat") {
        asked.push({ path, headers, request: undefined });
        response.writeHead(status, refusalHeaders).end(body);
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
  return { ...(await listenLocally(server)), asked };
}
