import { type DescField, type DescFile, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";

/** What a set of `.proto` files declares, in a form in which two sets can be compared. Types are written as in `.proto`. */
export interface Schema {
  /** By full name, then by number. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<number, Field>>;
  readonly enums: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** `service/method` to its two messages. */
  readonly methods: ReadonlyMap<string, { readonly input: string; readonly output: string }>;
}

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly label: "" | "optional" | "repeated" | "map";
  readonly oneof: string;
}

/** The schema of generated code. */
export function schemaOf(files: readonly DescFile[]): Schema {
  const messages = new Map<string, Map<number, Field>>();
  const enums = new Map<string, Map<number, string>>();
  const methods = new Map<string, { input: string; output: string }>();
  for (const file of files) {
    for (const type of nestedTypes(file)) {
      if (type.kind === "message") messages.set(type.typeName, fieldsOf(type));
      if (type.kind === "enum")
        enums.set(type.typeName, new Map(type.values.map(({ number, name }) => [number, name])));
    }
    for (const { typeName, methods: declared } of file.services)
      for (const { name, input, output } of declared)
        methods.set(`${typeName}/${name}`, { input: input.typeName, output: output.typeName });
  }
  return { messages, enums, methods };
}

export function scalarName(type: ScalarType): string {
  return (ScalarType[type] ?? `scalar ${type}`).toLowerCase();
}

function fieldsOf({ fields }: DescMessage): Map<number, Field> {
  return new Map(
    fields.map((field) => [
      field.number,
      { name: field.name, type: typeOf(field), label: labelOf(field), oneof: field.oneof?.name ?? "" },
    ]),
  );
}

function typeOf(field: DescField): string {
  if (field.fieldKind === "map") return `${scalarName(field.mapKey)}, ${named(field)}`;
  return named(field);
}

function named({ message, enum: choice, scalar }: DescField): string {
  if (message !== undefined) return message.typeName;
  return choice?.typeName ?? scalarName(scalar ?? ScalarType.BYTES);
}

function labelOf(field: DescField): Field["label"] {
  if (field.fieldKind === "map") return "map";
  if (field.fieldKind === "list") return "repeated";
  return field.proto.proto3Optional ? "optional" : "";
}
