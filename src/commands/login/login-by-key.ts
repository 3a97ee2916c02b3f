import { isJwt } from "../../auth/credential.js";
import { exchangeKey } from "../../auth/sign-in.js";
import type { KeptCredential } from "../../auth/stores/kept-credential.js";
import { accountEmail } from "../../backends/cursor/account-calls.js";
import type { Network } from "../../network/index.js";
import { CommandFailure } from "../line/command-failure.js";

interface KeyLogin {
  readonly backendUrl: string;
  readonly network: Network;
  readonly signal: AbortSignal;
}

/** Takes a key only after Cursor has taken it. */
export async function logInByKey(apiKey: string, { backendUrl, network, signal }: KeyLogin): Promise<KeptCredential> {
  if (apiKey === "") throw new CommandFailure(2, "No API key was given. Pipe it in, or answer the prompt.");
  if (isJwt(apiKey)) throw new CommandFailure(2, "That is an access token, not an API key (crsr_...).");
  if (!/^[!-~]+$/.test(apiKey)) throw new CommandFailure(2, "An API key is one line without blanks.");
  const fix = "Make a new one in Cursor's dashboard.";
  const token = await exchangeKey(apiKey, { backendUrl, network, found: { from: "your input", fix } });
  const email = await accountEmail({ backendUrl, network, token, signal });
  return { secret: { kind: "api-key", apiKey }, backendUrl, origin: "given by you", email, createdMs: Date.now() };
}
