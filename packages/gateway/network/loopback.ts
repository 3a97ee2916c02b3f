import { isIP } from "node:net";

/** Whether an address or host name means this machine and no other, without asking a name server. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const v4 = name.replace(/^::ffff:/, "");
  return (isIP(v4) === 4 && v4.startsWith("127.")) || name === "::1";
}
