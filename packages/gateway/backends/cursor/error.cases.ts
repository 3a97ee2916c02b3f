import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  CustomErrorDetailsSchema,
  type ErrorDetails_Error as E,
  type ErrorButtonSchema,
  ErrorDetailsSchema,
  type PlanChoiceSchema,
} from "@curlew/wire/gen/aiserver_v1_pb.js";

export interface Reported {
  code: string;
  error?: E;
  title?: string;
  detail?: string;
  isRetryable?: boolean;
  additionalInfo?: Record<string, string>;
  buttons?: MessageInitShape<typeof ErrorButtonSchema>[];
  planChoices?: MessageInitShape<typeof PlanChoiceSchema>[];
  message?: string;
}

/** An end frame as Cursor writes it, with the details in their binary form. */
export function endFrame({ code, message = "Error", error, ...details }: Reported): string {
  const value =
    error === undefined && details.title === undefined
      ? undefined
      : toBinary(
          ErrorDetailsSchema,
          create(ErrorDetailsSchema, { error: error ?? 0, details: create(CustomErrorDetailsSchema, details) }),
        );
  const list = value && [
    { type: "aiserver.v1.ErrorDetails", value: Buffer.from(value).toString("base64").replace(/=+$/, "") },
  ];
  return JSON.stringify({ error: { code, message, ...(list && { details: list }) } });
}
