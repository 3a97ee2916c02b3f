import { z } from "zod";
import { GatewayError } from "../../turn/error.js";
import type { SocketMessage } from "../front.js";
import { toDialectError } from "./error.js";

const CreateEvent = z.looseObject({ type: z.literal("response.create"), previous_response_id: z.unknown().optional() });

/**
 * A message is a request with an added type.
 *
 * @throws {GatewayError} `invalid_request`, if the message has another type.
 */
export function readMessage(message: unknown): SocketMessage {
  const event = CreateEvent.safeParse(message);
  if (!event.success) {
    throw new GatewayError("invalid_request", 'type: must be "response.create"; nothing else is understood here.', {
      param: "type",
    });
  }
  const { previous_response_id: id } = event.data;
  return { body: event.data, continuedId: typeof id === "string" ? id : undefined };
}

/** The error in the form that clients know from the wire, and again in the form of the API's description. */
export function writeErrorMessage(error: GatewayError): string {
  const { status, ...body } = toDialectError(error);
  const { code, message, param } = body;
  return JSON.stringify({ type: "error", status, error: body, code, message, param, sequence_number: 0 });
}
