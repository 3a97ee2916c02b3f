export type Picture = Awaited<ReturnType<typeof readPicture>>;

const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];
export const ACCEPTED = TYPES.join(",");
const MIB = 1024 * 1024;
const MAX_BYTES = 5 * MIB;
/** All images of a conversation are sent with each of its requests, whose bodies the gateway bounds. */
const MAX_CONVERSATION_BYTES = 20 * MIB;

/** What speaks against sending a file as an image; undefined if nothing does. `sentBytes` is what the conversation has already. */
export function pictureProblem({ name, type, size }: Pick<File, "name" | "type" | "size">, sentBytes: number) {
  if (!TYPES.includes(type)) return `${name} is not an image that models can read. Use PNG, JPEG, WebP or GIF.`;
  if (size > MAX_BYTES) return `${name} has ${mebibytes(size)}. An image may have 5 MiB: make it smaller, or crop it.`;
  if (sentBytes + size > MAX_CONVERSATION_BYTES)
    return "The images of one conversation may have 20 MiB in all. Start a new conversation to send more.";
  return undefined;
}

/** @throws Error when the browser cannot read the file as an image */
export async function readPicture(file: File) {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) throw new Error(`${file.name} cannot be read as an image. Is it damaged?`);
  bitmap.close();
  return { name: file.name, bytes: file.size, dataUrl: await toDataUrl(file) };
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
