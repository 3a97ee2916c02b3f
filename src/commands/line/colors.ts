import pc from "picocolors";

export type Colors = ReturnType<typeof pc.createColors>;

/** Colours for a terminal that wants them, none for pipes and files. */
export function colorsFor(stream: { readonly isTTY?: boolean }): Colors {
  return pc.createColors(stream.isTTY === true && pc.isColorSupported);
}
