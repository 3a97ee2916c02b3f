import type { SimulatorOptions } from "../../packages/simulator/server/options.js";
import type { TestSettings, WholeSystem } from "../../testing/gateway/whole-system.js";
import type { Talk, TalkOptions } from "./talk.js";

/** How sure we are that Cursor does it. */
export type Sureness =
  /** Reported by a user of an account. */
  | "reported"
  /** Reported together with a counter-test. */
  | "measured"
  /** In the descriptors of several client builds. */
  | "schema";

export interface Stage {
  readonly system: WholeSystem;
  /** Begins a conversation with the package under test. */
  talk(options?: TalkOptions): Talk;
}

/** The outcome for the user of the client. */
export type Seen =
  | { readonly finished: string }
  /** `status` is absent if the answer had begun. */
  | { readonly failed: { readonly status?: number; readonly code: string; readonly message: RegExp } };

/** A behaviour of Cursor, and a conversation in which a client meets it. */
export interface Behaviour {
  /** What Cursor does, without subject and full stop. */
  readonly does: string;
  /** Defaults to `reported`. */
  readonly sureness?: Sureness;
  /** Public reports, each as repository#number or the name of a document. */
  readonly sources: string;
  /** Modes of the simulator that play it. */
  readonly modes?: Partial<SimulatorOptions>;
  /** Raises limits of Curlew that a busy machine could reach. */
  readonly settings?: TestSettings;
  /** The directive that plays it without a mode. */
  readonly directive?: string;
  /** How Curlew handles it. */
  readonly curlew: string;
  readonly seen: Seen;
  /** Runs at Cursor in the whole conversation. */
  readonly runs: number;
  /** Plays the conversation. Returns the text of the last answer. */
  readonly play: (stage: Stage) => Promise<string>;
}
