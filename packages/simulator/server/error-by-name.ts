import { fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { type ErrorDetails, ErrorDetailsSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";

/** The forms in which details reach a client: complete, one half missing, or none. */
type DetailsForm = "full" | "debug" | "value" | "bare";

const NAME =
  /^sim-error-(\d+)(?:-([a-z_]+))?(?:\.(debug|value|bare))?(?:\.provider(\d{3}))?(?:\.retry(\d+))?(\.update)?(\.final)?(\.offer)?$/;

/**
 * The error that a model name requests: `sim-error-<number>[-<connect
 * code>][.debug|.value|.bare][.provider<status>][.retry<seconds>][.update][.final][.offer]`, for instance
 * `sim-error-57-unavailable.value.provider529`. `.update` adds the title of an outdated client, `.final` says that a retry is
 * pointless, `.offer` adds a button with a link, and plans. Undefined for any other name.
 */
export function errorByName(name: string): ConnectError | undefined {
  const [, number, word, form, providerStatusCode, retryAfter, update, final, offer] = NAME.exec(name) ?? [];
  if (number === undefined) return undefined;
  const code = codeFromString(word ?? "resource_exhausted") ?? Code.Unknown;
  // Made from JSON, so that numbers without an enum name can be simulated too.
  const details = fromJson(ErrorDetailsSchema, {
    error: Number(number),
    details: {
      title: update === undefined ? "Simulated error" : "Update Required",
      detail: `Asked for by the name ${name}`,
      additionalInfo: {
        ...(providerStatusCode !== undefined && { providerStatusCode }),
        ...(retryAfter !== undefined && { retryAfter }),
      },
      ...(final !== undefined && { isRetryable: false }),
      ...(offer !== undefined && {
        buttons: [{ label: "Upgrade to Pro", url: { url: "https://cursor.com/pricing" } }],
        planChoices: [
          { label: "Pro", value: "pro" },
          { label: "Ultra", value: "ultra" },
        ],
      }),
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
