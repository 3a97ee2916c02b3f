import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface PictureHost {
  readonly url: string;
  /** The requested paths, in order. */
  readonly requests: readonly IncomingMessage[];
  /** The answered paths, including those whose reader has left. */
  readonly responses: readonly ServerResponse[];
  close(): Promise<void>;
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
