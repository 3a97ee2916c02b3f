import { type DescField, type DescFile, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { type Descriptors, scalarName } from "../../../packages/wire/descriptors/read-bundle.js";

/** What a set of `.proto` files declares, in a form in which two sets can be compared. Types are written as in `.proto`. */
export interface Schema {
  /** By full name, then by number. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<number, Field>>;
  readonly enums: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** `service/method` to its two messages. */
  readonly methods: Descriptors["methods"];
}

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly label: "" | "optional" | "repeated" | "map";
  readonly oneof: string;
}

/** The schema of a program's descriptors: a value is a single word, a field has a type before its name. */
export function schemaIn({ types, methods }: Descriptors): Schema {
  const messages = new Map<string, Map<number, Field>>();
  const enums = new Map<string, Map<number, string>>();
  for (const [name, forms] of types) {
    const all = [...forms].map(([number, form]): [number, string] => [Number(number), form]);
    const isEnum = all.length > 0 && all.every(([, form]) => !form.includes(" "));
    if (isEnum) enums.set(name, new Map(all));
    else messages.set(name, new Map(all.map(([number, form]) => [number, fieldIn(form)])));
  }
  return { messages, enums, methods };
}

const FORM = /^(?<label>optional |repeated |map |)(?<type>(?:\w+, )?\S+) (?<name>\w+)(?: in (?<oneof>\w+))?$/;

function fieldIn(form: string): Field {
  const { label = "", type = "", name = "", oneof = "" } = FORM.exec(form)?.groups ?? {};
  return { name, type, label: label.trim() as Field["label"], oneof };
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
