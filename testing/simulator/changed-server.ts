import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { TakeOver } from "../../packages/simulator/index.js";
import { EnvelopeReader, encodeEnvelope } from "../../packages/simulator/server/envelope.js";
import { isRun } from "../../packages/wire/messages/calls.js";

/** What a newer server does differently in its runs. */
export interface ServerChange {
  /** Called for each run: what becomes of each message, in order. */
  messages?(http: "1.1" | "2"): (payload: Buffer) => readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends every run at once with this error, as JSON. */
  readonly error?: object;
}

const END = 2;

/** Changes what the simulator sends, on its way to the socket. */
export function changedServer({ messages, headers = {}, error }: ServerChange): TakeOver {
  return (request, response) => {
    if (!isRun(String(request.url))) return false;
    if (error !== undefined) {
      response.writeHead(200, { "content-type": "application/connect+proto" });
      response.end(encodeEnvelope(END, Buffer.from(JSON.stringify({ error }))));
      return true;
    }
    const output = "stream" in response ? response.stream : response;
    if ("stream" in response) {
      const respond = response.stream.respond.bind(response.stream);
      response.stream.respond = (own, options) => respond({ ...own, ...headers }, options);
    } else for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (messages === undefined) return false;
    const change = messages("stream" in response ? "2" : "1.1");
    const write = output.write.bind(output);
    Object.assign(output, {
      write(frames: Buffer, onSent: () => void) {
        const envelopes = new EnvelopeReader().push(frames);
        const changed = envelopes.flatMap(({ flags, payload }) =>
          change(payload).map((bytes) => encodeEnvelope(flags, bytes)),
        );
        return write(Buffer.concat(changed), onSent);
      },
    });
    return false;
  };
}

export interface Field {
  readonly no: number;
  readonly wireType: WireType;
  /** With its length, if it has one. */
  readonly data: Uint8Array;
}

/** Changes the fields of a message, or of the one inside at this path of field numbers. Other messages stay as they are. */
export function editFields(
  bytes: Uint8Array,
  [inside, ...path]: readonly number[],
  edit: (fields: readonly Field[]) => readonly Field[],
): Uint8Array {
  const reader = new BinaryReader(bytes);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    fields.push({ no, wireType, data: reader.skip(wireType, no) });
  }
  const edited =
    inside === undefined
      ? edit(fields)
      : fields.map((field) =>
          field.no === inside ? bytesField(inside, editFields(bytesIn(field), path, edit)) : field,
        );
  const writer = new BinaryWriter();
  for (const { no, wireType, data } of edited) writer.tag(no, wireType).raw(data);
  return writer.finish();
}

function bytesIn({ data }: Field): Uint8Array {
  return new BinaryReader(data).bytes();
}

export function bytesField(no: number, bytes: Uint8Array): Field {
  return { no, wireType: WireType.LengthDelimited, data: new BinaryWriter().bytes(bytes).finish() };
}

export function numberField(no: number, value: number): Field {
  return { no, wireType: WireType.Varint, data: new BinaryWriter().uint32(value).finish() };
}

/** Whether the message has a field at this path. */
export function has(bytes: Uint8Array, path: readonly number[]): boolean {
  let isThere = false;
  editFields(bytes, path, (fields) => {
    isThere = true;
    return fields;
  });
  return isThere;
}
