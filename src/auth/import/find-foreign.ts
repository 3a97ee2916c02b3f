import { existsSync } from "node:fs";
import { readCliFile, readSdkFile } from "./cursor-files.js";
import { readEditorState } from "./editor-state.js";
import type { ForeignCredential, ForeignLookup } from "./foreign-credential.js";
import { type RunProgram, readMacKeychain } from "./mac-keychain.js";
import type { CursorPlaces } from "./places.js";

interface ForeignPlace {
  /** Whose it is, in words. */
  readonly name: string;
  /** What is read. */
  readonly what: string;
  read(): Promise<ForeignLookup>;
}

/** The places that exist here, best first. Nothing of them is read yet. */
export function foreignPlaces(places: CursorPlaces, run: RunProgram, nowMs: number): ForeignPlace[] {
  const { cliFiles, sdkFile, hasKeychain, editorDatabase } = places;
  const file = (name: string, what: string, read: (path: string, nowMs: number) => ForeignLookup): ForeignPlace[] =>
    existsSync(what) ? [{ name, what, read: async () => read(what, nowMs) }] : [];
  return [
    ...cliFiles.flatMap((path) => file("Cursor's CLI", path, readCliFile)),
    ...file("Cursor's SDK", sdkFile, readSdkFile),
    ...(hasKeychain
      ? [{ name: "Cursor's CLI", what: "the macOS Keychain", read: () => readMacKeychain(run, nowMs) }]
      : []),
    ...file("Cursor's editor", editorDatabase, readEditorState),
  ];
}

interface ForeignSearch {
  readonly found: { readonly place: ForeignPlace; readonly credential: ForeignCredential } | undefined;
  /** Why the places before it, or all, were of no use. */
  readonly reasons: readonly string[];
}

/** Reads one place after the other until one has a credential for this server. */
export async function findForeign(places: readonly ForeignPlace[], backendUrl: string): Promise<ForeignSearch> {
  const reasons: string[] = [];
  for (const place of places) {
    const lookup = await place.read();
    const isElsewhere = lookup.state === "found" && (lookup.backendUrl ?? backendUrl) !== backendUrl;
    if (lookup.state === "found" && !isElsewhere) return { found: { place, credential: lookup }, reasons };
    const why = isElsewhere
      ? "its key is for another server"
      : lookup.state === "unusable"
        ? lookup.why
        : "nobody is signed in there";
    reasons.push(`${place.name} (${place.what}): ${why}`);
  }
  return { found: undefined, reasons };
}
