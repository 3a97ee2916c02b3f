import type { ComposedGateway } from "../../../app/compose.js";
import { withGateway } from "../../../app/with-gateway.js";
import type { Recorder } from "../../../backends/recorder.js";
import type { Settings } from "../../../config/settings.js";

/**
 * A gateway whose models see the probes' tools and no others. The user's MCP servers are not started: a model might call their
 * tools, which do real things, and a capture would have their names.
 */
export function withProbeGateway<Result>(
  settings: Settings,
  use: (composed: ComposedGateway) => Promise<Result>,
  recorder?: Recorder,
): Promise<Result> {
  return withGateway({ ...settings, mcp: {} }, use, recorder);
}
