import { fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { type ErrorDetails, ErrorDetailsSchema } from "../src/gen/aiserver_v1_pb.js";

/** The forms in which details reach a client: complete, one half missing, or none at all. */
type DetailsForm = "full" | "debug" | "value" | "bare";

const NAME = /^sim-error-(\d+)(?:-([a-z_]+))?(?:\.(debug|value|bare))?(?:\.provider(\d{3}))?$/;

/**
 * The error that a model name asks for: `sim-error-<number>[-<connect code>][.debug|.value|.bare][.provider<status>]`, for
 * instance `sim-error-57-unavailable.value.provider529`. Undefined for any other name.
 */
export function errorByName(name: string): ConnectError | undefined {
  const [, number, word, form, providerStatus] = NAME.exec(name) ?? [];
  if (number === undefined) return undefined;
  const code = codeFromString(word ?? "resource_exhausted") ?? Code.Unknown;
  // Through JSON because a number that no enum has yet is worth simulating too.
  const details = fromJson(ErrorDetailsSchema, {
    error: Number(number),
    details: {
      title: "Simulated error",
      detail: `Asked for by the name ${name}`,
      additionalInfo: providerStatus === undefined ? {} : { providerStatusCode: providerStatus },
    },
    isExpected: true,
  });
  return withDetails(new ConnectError("Error", code), details, (form ?? "full") as DetailsForm);
}

function withDetails(error: ConnectError, details: ErrorDetails, form: DetailsForm): ConnectError {
  if (form === "bare") return error;
  const value = form === "debug" ? new Uint8Array() : toBinary(ErrorDetailsSchema, details);
  const debug = form === "value" ? {} : { debug: toJson(ErrorDetailsSchema, details) };
  error.details = [{ type: ErrorDetailsSchema.typeName, value, ...debug }];
  return error;
}
