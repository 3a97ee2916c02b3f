import { GatewayError } from "../../turn/error.js";

export function unreachable(origin: string, cause?: Error): GatewayError {
  const reason = cause === undefined ? "it closed the connection" : (Reflect.get(cause, "code") ?? cause.message);
  const advice = isCertificate(String(reason))
    ? "If a proxy of your network inspects traffic, name its certificate in NODE_EXTRA_CA_CERTS."
    : "Check the network, then try again.";
  return new GatewayError(
    "upstream_unreachable",
    `Cursor's agent host ${origin} cannot be reached (${reason}). ${advice}`,
    {
      cause,
      isRetryable: true,
    },
  );
}

function isCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code);
}
