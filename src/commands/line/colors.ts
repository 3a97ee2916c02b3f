import pc from "picocolors";

/** Colours for a terminal that wants them, none for pipes and files. */
export function colorsFor(stream: { readonly isTTY?: boolean }): ReturnType<typeof pc.createColors> {
  return pc.createColors(stream.isTTY === true && pc.isColorSupported);
}
