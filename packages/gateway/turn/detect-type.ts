/** The first bytes of each type, read as Latin-1. */
const signatures = {
  "image/png": (start: string) => start.startsWith("\x89PNG\r\n\x1a\n"),
  "image/jpeg": (start: string) => start.startsWith("\xff\xd8\xff"),
  "image/gif": (start: string) => start.startsWith("GIF87a") || start.startsWith("GIF89a"),
  "image/webp": (start: string) => start.startsWith("RIFF") && start.startsWith("WEBP", 8),
  "application/pdf": (start: string) => start.startsWith("%PDF-"),
} as const;
const LONGEST_START = 12;

type KnownType = keyof typeof signatures;

/** The type of content by its first bytes, whatever its sender calls it. */
export function detectType(data: Uint8Array): KnownType | undefined {
  const start = Buffer.from(data.subarray(0, LONGEST_START)).toString("latin1");
  return types.find((type) => signatures[type](start));
}

const types = Object.keys(signatures) as KnownType[];
