import { GatewayError } from "../turn/error.js";
import type { TokenSource } from "./token.js";

/**
 * Tokens whose owner can set a new credential while the gateway runs. When Cursor refuses the present credential, `reload` is
 * asked for another; it returns undefined while nothing has changed.
 */
export function reloadedTokens(first: TokenSource, reload: () => Promise<TokenSource | undefined>): TokenSource {
  let present = first;
  let reloading: Promise<boolean> | undefined;

  const hasOther = (refused: TokenSource): Promise<boolean> => {
    if (present !== refused) return Promise.resolve(true); // another request has found it already
    reloading ??= reload()
      .then((next) => {
        if (next !== undefined) present = next;
        return next !== undefined;
      })
      .finally(() => {
        reloading = undefined;
      });
    return reloading;
  };

  const orFromOther = async (ask: (tokens: TokenSource) => Promise<string>, signal: AbortSignal): Promise<string> => {
    const asked = present;
    try {
      return await ask(asked);
    } catch (thrown) {
      const isRefused = GatewayError.from(thrown).kind === "authentication";
      if (!isRefused || !(await hasOther(asked))) throw thrown;
      return present.get(signal);
    }
  };

  return {
    get account() {
      return present.account;
    },
    get state() {
      return present.state;
    },
    get expiresMs() {
      return present.expiresMs;
    },
    current: () => present.current(),
    get: (signal) => orFromOther((tokens) => tokens.get(signal), signal),
    renew: (token, signal) => orFromOther((tokens) => tokens.renew(token, signal), signal),
  };
}
