import { withoutUser } from "@curlew/gateway/account/web-cookie.js";
import { builtInDefaults } from "@curlew/gateway/backends/profile/index.js";
import { group, secret, setting } from "./setting.js";
import { matching, oneOf, text, token, wholeNumber } from "./values.js";

const MINUTE_MS = 60_000;

export const accountSettings = group("Your Cursor account", {
  apiKey: secret({
    type: () => token(),
    env: ["CURSOR_API_KEY"],
    about: "Your Cursor API key (`crsr_...`).",
    use: "common",
  }),
  authToken: secret({
    type: () => token().transform(withoutUser),
    env: ["CURSOR_AUTH_TOKEN", "CURSOR_ACCESS_TOKEN"],
    about: "A Cursor access token, used as is and never renewed. An API key takes precedence.",
  }),
  credentialStore: setting({
    type: () => oneOf(["auto", "keychain", "file"]),
    default: "auto",
    about: "Where `curlew login` keeps its credential: auto (the system's keychain if it works), keychain or file.",
  }),
  clientVersion: setting({
    type: () =>
      matching(
        /^(cli|sdk)-[\w.-]+$|^\d+(\.\d+)+$/,
        "the version of a Cursor CLI or SDK, such as cli-2026.10.01-e373342, or for the chat calls that of the desktop app, such as 3.10.20",
      ),
    default: builtInDefaults.clientVersion,
    env: ["CURSOR_CLIENT_VERSION"],
    about:
      "Client version reported to Cursor. Default: your Cursor CLI's, otherwise a built-in one. Raise it when Cursor asks for an update. Only the old chat calls take a version of the desktop app (`3.10.20`).",
  }),
  checksum: secret({
    type: () => text("the checksum header of a Cursor desktop client"),
    env: ["CURSOR_CHECKSUM"],
    about: "Checksum for Cursor's retired chat calls. The agent backend needs none.",
  }),
  authCheckTimeoutMs: setting({
    type: () => wholeNumber(100, 10 * MINUTE_MS),
    default: 5_000,
    env: ["CURSOR_ACP_AUTH_CHECK_TIMEOUT"],
    about: "How long `curlew status` waits for Cursor, or for the Cursor CLI, to check your login.",
  }),
});
