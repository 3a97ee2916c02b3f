import type { IncomingHttpHeaders } from "node:http";
import { GatewayError } from "../../../turn/error.js";

/** Refuses a body that does not say it is JSON. */
export function requireJson(headers: IncomingHttpHeaders): void {
  const given = headers["content-type"];
  if (given === undefined || given.trim() === "") {
    // Any web page can make a browser send a body without a type to us. Browsers say where they come from; programs
    // that simply leave the type out do not.
    if (headers.origin === undefined) return;
    throw notJson("This request has no content type.");
  }
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  if (!/^application\/(?:[\w.+-]+\+)?json$/.test(type.trim())) throw notJson("This request's body is of another type.");
  for (const parameter of parameters) {
    const [name = "", value] = parameter.split("=", 2);
    if (name.trim() === "charset" && value !== undefined && !/^"?(?:utf-?8|us-ascii)"?$/.test(value.trim())) {
      throw notJson("This request's body is in another character set.");
    }
  }
}

function notJson(what: string): GatewayError {
  return new GatewayError("unsupported_media_type", `${what} Send JSON in UTF-8 with content-type: application/json.`);
}
