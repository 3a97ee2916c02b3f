import { group, optional, secret, setting } from "./setting.js";
import { list, matching, oneOf, origin, text, wholeNumber, yesOrNo } from "./values.js";

const HOST = /^[A-Za-z0-9.-]+$|^\[?[0-9A-Fa-f:.]+(%\w+)?\]?$/;
const HOST_NAME = /^[A-Za-z0-9.-]+$|^\[?[0-9A-Fa-f:]+\]?$/;

export const serverSettings = group("Server and access", {
  host: setting({
    type: () => matching(HOST, "an IP address or a host name, without scheme or port"),
    default: "127.0.0.1",
    env: ["HOST"],
    about: "Address to listen on. Any address other than loopback needs a gateway key.",
    use: "common",
  }),
  port: setting({
    type: () => wholeNumber(0, 65_535),
    default: 32_124,
    env: ["PORT"],
    about: "Port to listen on; 0 picks a free one.",
    use: "common",
  }),
  key: secret({
    type: () => matching(/^[!-~]{16,}$/, "at least 16 printable characters without blanks"),
    about: "The gateway key, which clients send as a Bearer token or as `x-api-key`.",
    use: "common",
  }),
  keyFile: optional({
    type: () => text("the path of a file"),
    about: "File with the gateway key. Other users must not be able to read it.",
    use: "common",
  }),
  allowedHosts: setting({
    type: () => list(matching(HOST_NAME, "host names separated by commas, without scheme, port or path")),
    default: [],
    about: "More names to accept in the Host header, such as the name of your reverse proxy.",
  }),
  corsOrigins: setting({
    type: () => list(origin()),
    default: [],
    about: "Web origins whose pages may call the gateway.",
  }),
  passThrough: setting({
    type: () => yesOrNo(),
    default: false,
    about: "Use the Cursor API key that comes with each request; clients then send the gateway key as `x-curlew-key`.",
  }),
  logLevel: setting({
    type: () => oneOf(["silent", "fatal", "error", "warn", "info", "debug", "trace"]),
    default: "info",
    about: "How much to log: silent, fatal, error, warn, info, debug or trace.",
    use: "common",
  }),
  logFormat: setting({
    type: () => oneOf(["auto", "text", "json"]),
    default: "auto",
    about: "How to log: as text for people, as JSON lines, or auto: text on a terminal, JSON elsewhere.",
  }),
});
