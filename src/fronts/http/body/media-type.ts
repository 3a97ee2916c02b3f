import type { IncomingHttpHeaders } from "node:http";
import { GatewayError } from "../../../turn/error.js";

/**
 * Refuses a body that does not declare itself as JSON.
 *
 * @throws {GatewayError} `unsupported_media_type`.
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  const given = headers["content-type"];
  if (given === undefined || given.trim() === "") {
    // Any web page can make a browser send us a body without a type. Browsers send an origin; programs that just leave out the
    // type do not.
    if (headers.origin === undefined) return;
    throw notJson("This request has no content type.");
  }
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  if (!/^application\/(?:[\w.+-]+\+)?json$/.test(type.trim())) throw notJson(`Unsupported content type${shown(type)}.`);
  for (const parameter of parameters) {
    const [name = "", value] = parameter.split("=", 2);
    if (name.trim() === "charset" && value !== undefined && !/^"?(?:utf-?8|us-ascii)"?$/.test(value.trim())) {
      throw notJson("Unsupported character set.");
    }
  }
}

/** Only a well-formed type is repeated. */
function shown(type: string): string {
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type.trim()) ? ` \`${type.trim()}\`` : "";
}

function notJson(what: string): GatewayError {
  return new GatewayError("unsupported_media_type", `${what} Send JSON in UTF-8 with content-type: application/json.`);
}
