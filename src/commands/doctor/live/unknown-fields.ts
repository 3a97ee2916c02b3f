import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { OpaqueSchema } from "../../../gen/agent_v1_pb.js";

/** Deeper messages are not looked into. */
const MAX_DEPTH = 50;

/**
 * The fields of a message that its schema does not have, each by its message and its number: `InteractionUpdate 25`. Messages
 * inside are looked into as well.
 */
export function unknownFields<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Iterable<string> {
  return unknownIn(reflect(desc, message), 0);
}

function* unknownIn(message: ReflectMessage, depth: number): Generator<string> {
  if (message.desc.typeName === OpaqueSchema.typeName) return; // its fields are left out of the schema on purpose
  const name = message.desc.typeName.split(".").at(-1) ?? "";
  for (const { no } of message.message.$unknown ?? []) yield `${name} ${no}`;
  if (depth === MAX_DEPTH) return;
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === "message") yield* unknownIn(message.get(field), depth + 1);
    else if (field.fieldKind === "list" && field.listKind === "message") {
      for (const item of message.get(field)) if (isMessage(item)) yield* unknownIn(item, depth + 1);
    } else if (field.fieldKind === "map" && field.mapKind === "message") {
      for (const [, item] of message.get(field)) if (isMessage(item)) yield* unknownIn(item, depth + 1);
    }
  }
}

function isMessage(value: unknown): value is ReflectMessage {
  return typeof value === "object" && value !== null && "desc" in value && "message" in value;
}
