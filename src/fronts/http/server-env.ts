import type { HttpBindings } from "@hono/node-server";
import type { RequestRecord } from "../../events/index.js";

export interface ServerEnv {
  Bindings: HttpBindings;
  Variables: {
    record: RequestRecord;
    /** Set where an answer without an error is not worth a line in the log. */
    isRoutine?: boolean;
  };
}
