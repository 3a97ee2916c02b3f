import { isDuration } from "../../laboratory/field-diff.js";
import { lengthOf } from "../../packages/simulator/replay/filler.js";
import { isHeartbeat } from "../../packages/wire/messages/calls.js";
import type {
  Capture,
  CapturedCall,
  Cut,
  FrameLine,
  Gap,
  HeaderField,
  Id,
  Node,
  Piece,
} from "../../packages/wire/messages/capture-format.js";

const HASH_BYTES = 32;

/**
 * The differences between two captures, except times and what depends on timing: heartbeats, how the two directions interleave,
 * and how much came before a client left. Numbers of ids and texts may differ if they correspond one to one.
 */
export function differencesBesidesTimes(one: Capture, other: Capture): string[] {
  const comparison = new Comparison();
  comparison.same("the number of calls", one.calls.length, other.calls.length);
  for (const [index, call] of one.calls.entries()) {
    const match = other.calls[index];
    if (match !== undefined) comparison.call(call, match);
  }
  return comparison.differences;
}

class Comparison {
  readonly differences: string[] = [];
  readonly #pairs = new Map<string, string>();
  readonly #backwards = new Map<string, string>();

  same(what: string, one: unknown, other: unknown): boolean {
    const isSame = one === other;
    if (!isSame) this.differences.push(`${what}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
    return isSame;
  }

  call(one: CapturedCall, other: CapturedCall): void {
    const { call, path } = one.opening;
    const where = `call ${call} ${path}`;
    this.same(`${where}, path`, path, other.opening.path);
    this.same(`${where}, http`, one.opening.http, other.opening.http);
    this.#headers(`${where}, request`, one.opening.headers, other.opening.headers);
    const ends = [one, other].map(({ events }) => events.find(({ type }) => type === "end"));
    const [end, otherEnd] = ends.map((each) => (each?.type === "end" ? each : undefined));
    const isCanceled = [end, otherEnd].every((each) => each === undefined || each.how === "canceled");
    for (const from of ["client", "server"] as const) {
      const [frames, others] = [one, other].map(({ events }) => framesOf(events, from));
      this.#frames(`${where}, ${from}`, frames ?? [], others ?? [], isCanceled);
    }
    const [head, otherHead] = [one, other].map(({ events }) => events.find(({ type }) => type === "head"));
    if (head?.type === "head" && otherHead?.type === "head") {
      this.same(`${where}, status`, head.status, otherHead.status);
      this.#headers(`${where}, response`, head.headers, otherHead.headers);
    } else this.same(`${where}, response`, head?.type, otherHead?.type);
    this.same(`${where}, end`, end?.how, otherEnd?.how);
    this.same(`${where}, code`, end?.code, otherEnd?.code);
    if (end?.body !== undefined && otherEnd?.body !== undefined) this.#node(`${where}, end`, end.body, otherEnd.body);
    else this.same(`${where}, end's body`, end?.body, otherEnd?.body);
  }

  #frames(where: string, ones: readonly FrameLine[], others: readonly FrameLine[], mayBeShorter: boolean): void {
    if (!mayBeShorter) this.same(`${where}, the number of messages`, ones.length, others.length);
    for (const [index, one] of ones.slice(0, others.length).entries()) {
      const other = others[index];
      const at = `${where} ${index + 1} ${one.path}`;
      if (other === undefined || !this.same(`${at}, path`, one.path, other.path)) return;
      this.#node(at, one.body, other.body);
    }
  }

  #headers(where: string, ones: readonly HeaderField[], others: readonly HeaderField[]): void {
    const names = (headers: readonly HeaderField[]) => headers.map(({ name }) => name).join(" ");
    if (!this.same(`${where} headers`, names(ones), names(others))) return;
    for (const [index, { name, pieces }] of ones.entries())
      this.#pieces(`${where} ${name}`, pieces, others[index]?.pieces ?? []);
  }

  #node(where: string, one: Node, other: Node): void {
    const at = `${where} / ${one.no ?? ""} ${one.name ?? ""}`;
    if (!this.same(`${at}, number`, one.no, other.no) || !this.same(`${at}, name`, one.name, other.name)) return;
    if (!this.same(`${at}, kind`, one.kind, other.kind)) return;
    if ("fields" in one && "fields" in other) {
      // A duration of 0 is absent.
      const [fields, others] = [one, other].map((each) => each.fields.filter((field) => !isDuration(field)));
      this.same(`${at}, the number of fields`, fields?.length, others?.length);
      for (const [index, field] of (fields ?? []).entries()) {
        const match = others?.[index];
        if (match !== undefined) this.#node(at, field, match);
      }
    } else if (one.kind === "data" && other.kind === "data")
      this.same(`${at}, length`, lengthOf(one.pieces), lengthOf(other.pieces));
    else if ("pieces" in one && "pieces" in other) this.#pieces(at, one.pieces, other.pieces);
    else if (one.kind === "flag" && other.kind === "flag") this.same(at, one.flag, other.flag);
    else if (one.kind === "fixed" && other.kind === "fixed") this.#value(at, one.hex, other.hex);
    else if ("number" in one && "number" in other) this.#value(at, one.number, other.number);
  }

  #pieces(where: string, ones: readonly Piece[], others: readonly Piece[]): void {
    if (!this.same(`${where}, the number of pieces`, ones.length, others.length)) return;
    for (const [index, one] of ones.entries()) this.#value(where, one, others[index]);
  }

  #value(where: string, one: number | Piece, other: number | Piece | undefined): void {
    if (typeof one !== "object" || typeof other !== "object") this.same(where, one, other);
    else if (this.same(`${where}, length`, lengths(one), lengths(other))) this.#pair(where, keyOf(one), keyOf(other));
  }

  #pair(where: string, one: string, other: string): void {
    this.same(where, this.#pairs.get(one) ?? other, other);
    this.same(where, this.#backwards.get(other) ?? one, one);
    this.#pairs.set(one, other);
    this.#backwards.set(other, one);
  }
}

function framesOf(events: CapturedCall["events"], from: "client" | "server"): FrameLine[] {
  return events.flatMap((event) =>
    event.type === "frame" && event.from === from && !isHeartbeat(event) ? [event] : [],
  );
}

function lengths(piece: Cut | Id | Gap): string {
  return `${piece.bytes} ${"escapes" in piece ? piece.escapes : 0}`;
}

/**
 * Hashes and content are compared by place and length alone: the client's content may equal the server's, but not when the
 * server's is filled in.
 */
function keyOf(piece: Cut | Id | Gap): string {
  if ("id" in piece) return piece.bytes === HASH_BYTES ? "hash" : piece.id;
  return "cut" in piece ? piece.cut : "gap";
}
