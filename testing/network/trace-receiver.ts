import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedExport {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly body: string;
}

export interface TraceReceiver {
  readonly url: string;
  readonly exports: readonly ReceivedExport[];
  close(): Promise<void>;
}

/** Takes what an exporter of OpenTelemetry sends, as a collector does. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const exports: ReceivedExport[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      exports.push({ path: request.url, headers: request.headers, body });
      response.setHeader("content-type", "application/json").end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
