import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface PictureHost {
  readonly url: string;
  /** What was asked, in order. */
  readonly requests: readonly IncomingMessage[];
  /** What was answered, also those whose reader has left. */
  readonly responses: readonly ServerResponse[];
  close(): Promise<void>;
}

/** Somebody's web server, for tests of what is fetched. */
export async function startPictureHost(answer: RequestListener): Promise<PictureHost> {
  const requests: IncomingMessage[] = [];
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    responses.push(response);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    responses,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
