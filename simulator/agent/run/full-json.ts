import { type DescMessage, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";

/** A message as JSON. Fields that the schema does not know, which newer clients send, become hex under their numbers. */
export function toFullJson(schema: DescMessage, message: Message): JsonValue {
  const json = toJson(schema, message);
  addUnknown(reflect(schema, message), json);
  return json;
}

function addUnknown(message: ReflectMessage, json: JsonValue | undefined): void {
  // The well-known types have a JSON form of their own.
  if (message.desc.typeName.startsWith("google.protobuf.") || !isObject(json)) return;
  for (const { no, data } of message.getUnknown() ?? []) json[`unknown${no}`] = Buffer.from(data).toString("hex");
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const shown = json[field.jsonName];
    if (field.fieldKind === "message") addUnknown(message.get(field), shown);
    if (field.fieldKind !== "list" || field.listKind !== "message" || !Array.isArray(shown)) continue;
    for (const [index, item] of [...message.get(field)].entries())
      if (isReflectMessage(item)) addUnknown(item, shown[index]);
  }
}

function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
