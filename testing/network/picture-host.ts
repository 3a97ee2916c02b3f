import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type LocalServer, listenLocally } from "./local-server.js";

export interface PictureHost extends LocalServer {
  /** The requests, in order. */
  readonly requests: readonly IncomingMessage[];
  /** Their responses, including those whose reader has left. */
  readonly responses: readonly ServerResponse[];
}

/** A web server for tests of fetched attachments. */
export async function startPictureHost(answer: RequestListener): Promise<PictureHost> {
  const requests: IncomingMessage[] = [];
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    responses.push(response);
    answer(request, response);
  });
  return { ...(await listenLocally(server)), requests, responses };
}
