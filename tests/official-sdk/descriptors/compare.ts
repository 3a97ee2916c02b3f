import type { Field, Schema } from "./schema.js";

/** What differs on purpose, with its reason, by full name: of a message, an enum or a method, or of a field or a value. */
export interface Decisions {
  /** Only Cursor has it. A message stands for all fields that ours lacks, an enum for all values. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Only we have it. */
  readonly onlyOurs: ReadonlyMap<string, string>;
  /** A message of ours, then the name of one of Cursor's for which it stands. */
  readonly shapes: ReadonlyMap<string, string>;
}

export interface Comparison {
  /** Our name and Cursor's, of each message and enum that is compared. */
  readonly pairs: readonly (readonly [string, string])[];
  readonly messages: number;
  readonly fields: number;
  readonly values: number;
  /** Fields whose message is declared as `Opaque`, because only their presence matters. */
  readonly presenceOnly: number;
  /** How many fields and values each reason leaves out. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** What differs without a decision, and decisions that nothing needs: one line each. */
  readonly undecided: readonly string[];
}

const OPAQUE = "agent.v1.Opaque";

/** Compares what we declare with what Cursor declares, from messages of one name and from methods along the fields. */
export function compareSchemas(ours: Schema, theirs: Schema, decisions: Decisions): Comparison {
  const undecided: string[] = [];
  const used = new Set<string>();
  const leftOut = new Map<string, number>();
  const pairs = new Map<string, readonly [string, string]>();
  const enums = new Map<string, readonly [string, string]>();
  let fields = 0;
  let values = 0;
  let presenceOnly = 0;

  for (const name of ours.messages.keys()) if (theirs.messages.has(name)) pair(name, name);
  for (const [method, { input, output }] of ours.methods) {
    const their = theirs.methods.get(method);
    if (their === undefined) decide("onlyOurs", method.replace("/", "."), `${method} is unknown to Cursor's package`);
    else {
      pair(input, their.input);
      pair(output, their.output);
    }
  }
  // A Map's iteration also visits the pairs that are found on the way.
  for (const [our, their] of pairs.values()) comparePair(our, their);
  for (const [our, their] of enums.values()) compareEnum(our, their);
  const all = [...pairs.values(), ...enums.values()];
  const isPaired = new Set(all.map(([our]) => our));
  for (const name of [...ours.messages.keys(), ...ours.enums.keys()])
    if (!isPaired.has(name) && name !== OPAQUE) decide("onlyOurs", name, `${name} is unknown to Cursor's package`);
  for (const kind of ["leftOut", "onlyOurs", "shapes"] as const)
    for (const name of decisions[kind].keys())
      if (!used.has(`${kind} ${name}`)) undecided.push(`${name} needs no decision in ${kind} any more`);
  return { pairs: all, messages: pairs.size, fields, values, presenceOnly, leftOut, undecided };

  function pair(our: string, their: string): void {
    pairs.set(`${our} ${their}`, [our, their]);
    if (our !== their) decide("shapes", `${our}.${withoutPackage(their)}`, `${their} has the name ${our} here`);
  }

  function comparePair(our: string, their: string): void {
    const [mine, cursors] = [ours.messages.get(our), theirs.messages.get(their)];
    for (const [number, field] of mine ?? []) {
      const cursor = cursors?.get(number);
      const where = `${our} ${number}`;
      if (cursor === undefined) decide("onlyOurs", `${our}.${field.name}`, `${where} ${field.name} is not in ${their}`);
      else compareField(where, field, cursor);
    }
    for (const [number, field] of cursors ?? [])
      if (!mine?.has(number)) leaveOut(their, field.name, `${their} ${number} ${field.name} is not in ${our}`);
  }

  function compareField(where: string, our: Field, their: Field): void {
    fields += 1;
    for (const part of ["name", "label", "oneof"] as const)
      if (our[part] !== their[part])
        undecided.push(`${where} ${our.name}: ${part} is ${our[part] || "none"} here, ${their[part] || "none"} there`);
    const [[ourKey, ourType], [theirKey, theirType]] = [keyAndType(our), keyAndType(their)];
    if (ourKey !== theirKey || !isSameType(ourType, theirType))
      undecided.push(`${where} ${our.name}: type is ${our.type} here, ${their.type} there`);
  }

  /** Two messages or two enums are the same type here: they are compared in their turn, their names too. */
  function isSameType(our: string, their: string): boolean {
    const areMessages = ours.messages.has(our) && theirs.messages.has(their);
    const areEnums = ours.enums.has(our) && theirs.enums.has(their);
    if (areMessages && our === OPAQUE) presenceOnly += 1;
    else if (areMessages) pair(our, their);
    else if (areEnums) enums.set(`${our} ${their}`, [our, their]);
    return areMessages || areEnums || our === their;
  }

  function compareEnum(our: string, their: string): void {
    if (our !== their) undecided.push(`enum ${their} has the name ${our} here`);
    const [mine, cursors] = [ours.enums.get(our), theirs.enums.get(their)];
    for (const [number, name] of cursors ?? []) {
      values += 1;
      const value = mine?.get(number);
      if (value === undefined) leaveOut(their, name, `${their} ${number} ${name} is not in ${our}`);
      else if (value !== name) undecided.push(`${our} ${number} is ${value} here, ${name} there`);
    }
    for (const [number, name] of mine ?? [])
      if (!cursors?.has(number)) decide("onlyOurs", `${our}.${name}`, `${our} ${number} ${name} is not in ${their}`);
  }

  function leaveOut(owner: string, name: string, otherwise: string): void {
    const decided = [`${owner}.${name}`, owner].find((each) => decisions.leftOut.has(each));
    const reason = decide("leftOut", decided ?? `${owner}.${name}`, otherwise);
    if (reason !== undefined) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  }

  function decide(kind: keyof Decisions, name: string, otherwise: string): string | undefined {
    used.add(`${kind} ${name}`);
    const reason = decisions[kind].get(name);
    if (reason === undefined && !undecided.includes(otherwise)) undecided.push(otherwise);
    return reason;
  }
}

/** The type of a field, behind the type of its keys if it is a map. */
function keyAndType({ type }: Field): readonly [string, string] {
  const [key = "", value] = type.split(", ");
  return value === undefined ? ["", key] : [key, value];
}

function withoutPackage(name: string): string {
  return name.replace(/^.*\.v\d+\./, "");
}
