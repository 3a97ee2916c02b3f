import type { Execs } from "../channels/execs.js";
import { unknownField, wrapField } from "../transport/raw-fields.js";
import type { Voice } from "../transport/voice.js";

const INTERACTION_UPDATE = 1;
/** Numbers that no schema of today has. */
const UNKNOWN_UPDATE = 190;
const UNKNOWN_MESSAGE = 95;
const UNKNOWN_EXEC = 199;

/** What a newer server may send besides what is known: an update, a message and a request that wants an answer. */
export async function drift(voice: Voice, execs: Execs): Promise<void> {
  await voice.sendBytes(wrapField(INTERACTION_UPDATE, unknownField(UNKNOWN_UPDATE)));
  await voice.sendBytes(unknownField(UNKNOWN_MESSAGE));
  await execs.askUnknown(UNKNOWN_EXEC);
}
