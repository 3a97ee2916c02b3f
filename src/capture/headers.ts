/** Headers that the transport sets by itself or that differ each time, and say nothing about either side. */
const left = /^(?::.*|date|host|connection|keep-alive|transfer-encoding|content-length|accept-encoding)$/;
/** Headers whose values are chosen from few, or name a program and its version. */
const shown =
  /^(?:content-type|connect-(?:protocol-version|accept-encoding|content-encoding|timeout-ms)|grpc-(?:status|encoding|accept-encoding|timeout)|user-agent|te|x-ghost-mode|x-cursor-client-(?:type|version)|x-cursor-streaming|retry-after|x-cursor-inference-request-error-type)$/;
/** A shown value is short and has no characters of addresses, paths or credentials beyond these. */
const plain = /^[\w .,;:=+*/()-]{0,100}$/;
const ids = /^x-(?:original-)?request-id$/;

export type HeaderRule = "left" | "shown" | "id" | "cut";

export function ruleFor(name: string, value: string): HeaderRule {
  if (left.test(name)) return "left";
  if (ids.test(name)) return "id";
  return shown.test(name) && plain.test(value) ? "shown" : "cut";
}

/** Headers whose lengths would help to guess them. */
export function isSecretHeader(name: string): boolean {
  return /authorization|cookie|key|token|checksum|session|address|forwarded|client-ip/.test(name);
}
