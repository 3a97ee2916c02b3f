import { createHash } from "node:crypto";
import type { SimulatorOptions } from "../server/options.js";

interface Login {
  /** Known once the page was opened or the callback came. */
  challenge: string | undefined;
  state: "pending" | "approved" | "redeemed";
  polls: number;
}

export type PollOutcome = "waiting" | "tokens" | "half" | "denied" | "failed";

export interface Logins {
  /** Called when the person opens the page. Returns false when the id already belongs to another login. */
  open(uuid: string, challenge: string): boolean;
  /** Called when the person agrees on the page. */
  approve(uuid: string, challenge: string): boolean;
  poll(uuid: string, verifier: string): PollOutcome;
}

const KEPT = 1_000;
/** Real clients send 43 characters, others up to 128 (docs/protocol/wire.md, sign-in). */
const VERIFIER = /^[\w-]{43,128}$/;

export function createLogins(options: SimulatorOptions): Logins {
  const logins = new Map<string, Login>();

  const find = (uuid: string): Login => {
    const known = logins.get(uuid);
    if (known !== undefined) return known;
    const login: Login = { challenge: undefined, state: "pending", polls: 0 };
    logins.set(uuid, login);
    const oldest = logins.keys().next().value;
    if (logins.size > KEPT && oldest !== undefined) logins.delete(oldest);
    return login;
  };

  const open = (uuid: string, challenge: string): Login | undefined => {
    const login = find(uuid);
    if (login.state !== "pending" || (login.challenge ?? challenge) !== challenge) return undefined;
    login.challenge = challenge;
    return login;
  };

  return {
    open: (uuid, challenge) => open(uuid, challenge) !== undefined,
    approve(uuid, challenge) {
      const login = open(uuid, challenge);
      if (login !== undefined) login.state = "approved";
      return login !== undefined;
    },
    poll(uuid, verifier) {
      const planned = plan(options);
      if (planned === "denied" || planned === "failed") return planned;
      const login = find(uuid);
      login.polls += 1;
      if (login.state === "redeemed" || !VERIFIER.test(verifier)) return "waiting";
      if (login.challenge !== undefined && login.challenge !== challengeOf(verifier)) return "waiting";
      // A test without a browser opens no page, so from the second poll on the login counts as approved.
      const saysYes = planned !== "waiting" && (login.challenge !== undefined || login.polls > 1);
      if (login.state !== "approved" && !saysYes) return "waiting";
      login.state = "redeemed";
      return planned === "half" ? "half" : "tokens";
    },
  };
}

/** The outcome of the next poll. A counted failure is used up. */
function plan(options: SimulatorOptions): PollOutcome {
  switch (options.login) {
    case "approve":
    case "no-post":
      return "tokens";
    case "half":
      return "half";
    case "wait":
      return "waiting";
    case "deny":
      return "denied";
    case "error":
      return "failed";
    default: {
      const left = Number(options.login.slice("error-".length)) - 1;
      options.login = left > 0 ? `error-${left}` : "approve";
      return "failed";
    }
  }
}

/** The hash covers the text of the verifier, not the bytes that it encodes (docs/protocol/wire.md, sign-in). */
export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}
