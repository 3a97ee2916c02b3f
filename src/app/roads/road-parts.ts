import type { FoundCredential } from "../../auth/credential.js";
import type { TokenSource } from "../../auth/token.js";
import type { Settings } from "../../config/settings.js";
import type { Network } from "../../network/index.js";
import type { Log } from "../../ops/log.js";

/** What a road to Cursor is made of. */
export interface RoadParts {
  readonly settings: Settings;
  readonly credential: FoundCredential;
  readonly tokens: TokenSource;
  readonly network: Network;
  readonly log: Log;
}
