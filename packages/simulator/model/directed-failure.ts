import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { ErrorDetails_Error, ErrorDetails_ErrorSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { refusal } from "../server/refusal.js";

interface Words {
  title: string;
  detail: string;
  isRetryable?: boolean;
  additionalInfo?: Record<string, string>;
}

/** Errors that clients recognise by more than their name. */
const known: Record<number, Words> = {
  [ErrorDetails_Error.OUTDATED_CLIENT]: { title: "Update Required", detail: "This client is too old for the service." },
  [ErrorDetails_Error.BAD_MODEL_NAME]: { title: "AI Model Not Found", detail: "The model name is not valid." },
  [ErrorDetails_Error.RATE_LIMITED_CHANGEABLE]: {
    title: "Named models unavailable",
    detail: "This plan can only use Auto.",
    additionalInfo: { autoSwitchToModel: "default" },
  },
  [ErrorDetails_Error.RESOURCE_EXHAUSTED]: {
    title: "High Load",
    detail: "The model provider is overloaded.",
    isRetryable: true,
  },
  // Reported from accounts: a short rate limit that calls the client outdated (docs/protocol/older-descriptions.md, framing and
  // errors).
  [ErrorDetails_Error.GPT_4_VISION_PREVIEW_RATE_LIMIT]: {
    title: "Update Required",
    detail: "Too many requests in a short time.",
  },
  [ErrorDetails_Error.PROVIDER_ERROR]: {
    title: "Provider Error",
    detail: "The model provider failed.",
    isRetryable: true,
    additionalInfo: { providerStatusCode: "503" },
  },
};

/** Errors without a text of their own that are worth a retry. */
const retryable: readonly number[] = [
  ErrorDetails_Error.SLOW_POOL,
  ErrorDetails_Error.DEBOUNCED,
  ErrorDetails_Error.TIMEOUT,
  ErrorDetails_Error.NETWORK_ERROR,
  ErrorDetails_Error.INTERNAL,
];

/** The error of `[[fail CODE ERROR_NAME]]`. Without a name it has no details, like many of Cursor's own. */
export function directedFailure(code: Code, error: number | undefined): ConnectError {
  // Cursor's own refusals of this code say nothing more.
  if (error === undefined && code === Code.ResourceExhausted) return new ConnectError("Error", code);
  if (error === undefined) return new ConnectError(`The directive asked for ${codeToString(code)}.`, code);
  const words = known[error] ?? { ...plainWords(error), isRetryable: retryable.includes(error) };
  // The enum is open, so any number is valid.
  return refusal(code, error as ErrorDetails_Error, words);
}

/** The number of `ERROR_NAME`, with or without its prefix, in any case. */
export function errorNumber(name: string): number | undefined {
  const wanted = `ERROR_${name.toUpperCase().replace(/^ERROR_/, "")}`;
  return ErrorDetails_ErrorSchema.values.find((value) => value.name === wanted)?.number;
}

function plainWords(error: number): Words {
  const name = ErrorDetails_ErrorSchema.values.find(({ number }) => number === error)?.name ?? String(error);
  const title = name
    .replace(/^ERROR_/, "")
    .toLowerCase()
    .replaceAll("_", " ");
  return { title: title.charAt(0).toUpperCase() + title.slice(1), detail: `The directive asked for ${name}.` };
}
