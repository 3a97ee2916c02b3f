// The few calls beside the stream that gateways make before they ask for a turn: models, configuration, signing in.
// All other calls get an empty message, which is valid for all of them.
import { message, string } from "./wire.js";

const model = Buffer.concat([string(1, "auto"), string(3, "auto"), string(4, "Auto"), string(5, "Auto")]);
const models = message(1, model);
const tokens = { accessToken: unsignedToken(), refreshToken: unsignedToken(), authId: "bench", userId: 1 };

/** The response for a path: a status, a content type and a body. */
export function answerUnary(path, contentType = "application/proto") {
  const [name] = path.split("/").at(-1).split("?");
  if (name === "exchange_user_api_key" || name === "token") return json(tokens);
  if (contentType.includes("json")) return json({});
  const body = /Models$|ModelForCli$/.test(name) ? models : Buffer.alloc(0);
  return { status: 200, contentType: "application/proto", body };
}

function json(value) {
  return { status: 200, contentType: "application/json", body: Buffer.from(JSON.stringify(value)) };
}

/** A token from which clients can read an expiry. */
function unsignedToken() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ sub: "bench", exp: 4_000_000_000 })}.bench`;
}
