/** A field of a message or of JSON as it is on the wire. `Node` of format.ts is the same with its content cut. */
export type RawNode = Label &
  (
    | { kind: "text" | "data"; bytes: Buffer }
    | { kind: "number"; value: bigint | number }
    | { kind: "choice"; value: bigint }
    | { kind: "fixed"; bytes: Buffer }
    | { kind: "flag"; flag: boolean | null }
    | { kind: "message" | "list"; fields: RawNode[] }
    | { kind: "base64"; type: string; fields: RawNode[] }
  );

export interface Label {
  no?: number | undefined;
  name?: string | undefined;
}
