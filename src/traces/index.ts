import type { Clock } from "../clock.js";
import { listen, type RequestRecord } from "../events/index.js";
import { OtlpExporter } from "./exporter.js";
import { spansOf } from "./request-spans.js";

export interface TracesDeps {
  /** The gateway whose requests are traced. */
  readonly gatewayId: string;
  /** Where spans go to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  /** The address of Cursor. */
  readonly upstream: () => string;
  readonly clock: Pick<Clock, "after">;
  readonly onProblem: (problem: unknown) => void;
}

/** Sends a trace of every request from now on. */
export function startTraces({ gatewayId, serviceName, upstream, ...deps }: TracesDeps): { close(): Promise<void> } {
  const resource = { "service.name": serviceName, "service.version": deps.version, "service.instance.id": gatewayId };
  const exporter = new OtlpExporter({ ...deps, resource });
  const onEnd = (record: RequestRecord) => exporter.add(spansOf(record, upstream()));
  const ends = { "curlew:request:finished": onEnd, "curlew:request:failed": onEnd };
  const stop = listen(gatewayId, ends, deps.onProblem);
  return {
    close() {
      stop();
      return exporter.close();
    },
  };
}
