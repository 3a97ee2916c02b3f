import type { SimulatorOptions } from "../../simulator/options.js";
import type { TestSettings, WholeSystem } from "../../testing/gateway/whole-system.js";
import type { Talk, TalkOptions } from "./talk.js";

/** How sure we are that Cursor does it. */
export type Sureness =
  /** Seen on an account by somebody who said so. */
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

/** How it ends for the person at the client. */
export type Seen =
  | { readonly finished: string }
  /** `status` is absent where the answer had begun. */
  | { readonly failed: { readonly status?: number; readonly code: string; readonly message: RegExp } };

/** One thing that Cursor does, and one way in which a client meets it. */
export interface Behaviour {
  /** What Cursor does, as a sentence without its end. */
  readonly does: string;
  /** Reported, unless it says otherwise. */
  readonly sureness?: Sureness;
  /** Public reports, each as repository#number or the name of a document. */
  readonly sources: string;
  /** None, unless it names some. */
  readonly modes?: Partial<SimulatorOptions>;
  /** Limits of Curlew that a busy machine could reach. */
  readonly settings?: TestSettings;
  /** The directive that plays it where no mode does. */
  readonly directive?: string;
  /** Why the client sees what it sees: what Curlew does about it. */
  readonly curlew: string;
  readonly seen: Seen;
  /** All runs at Cursor, over the whole conversation. */
  readonly runs: number;
  /** Plays the conversation. Returns the last answer's text. */
  readonly play: (stage: Stage) => Promise<string>;
}
