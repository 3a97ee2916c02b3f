import type { Network } from "../network/index.js";
import { GatewayError } from "../turn/error.js";
import { field, textField } from "../turn/read-json.js";
import type { FoundCredential } from "./credential.js";
import { askSignIn, passingTrouble } from "./sign-in.js";

/** The public id of Cursor's editor: sessions of the editor are renewed under it. */
const EDITOR_CLIENT_ID = "KbZUR41cY7W6zRSdpSUJ7I7mLYBKOCmB";

interface SessionRenewal {
  readonly refreshToken: string;
  readonly backendUrl: string;
  readonly network: Pick<Network, "fetch">;
  readonly found: Pick<FoundCredential, "from" | "fix">;
}

/** A session of Cursor's editor for a newer one. */
export async function renewSession({ refreshToken, backendUrl, network, found }: SessionRenewal): Promise<string> {
  const answer = await askSignIn(network, new URL("/oauth/token", backendUrl), {
    grant_type: "refresh_token",
    client_id: EDITOR_CLIENT_ID,
    refresh_token: refreshToken,
  });
  const { status, body, isWebPage } = answer;
  const isRefused = [400, 401, 403].includes(status) && !isWebPage;
  // Wins over a token that may stand beside it.
  const isLoggedOut = field(body, "shouldLogout") === true;
  if (isRefused || isLoggedOut) {
    throw new GatewayError("not_authenticated", `Cursor has ended the session from ${found.from}. ${found.fix}`);
  }
  const token = textField(body, "access_token");
  if (status === 200 && token !== "") return token;
  throw passingTrouble(answer);
}
