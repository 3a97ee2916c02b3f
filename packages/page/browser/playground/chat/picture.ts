export type Picture = Awaited<ReturnType<typeof readPicture>>;

const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];
export const ACCEPTED = TYPES.join(",");
const MIB = 1024 * 1024;
const MAX_BYTES = 5 * MIB;
/** Every request resends all images of the conversation, and the gateway limits the size of bodies. */
const MAX_CONVERSATION_BYTES = 20 * MIB;

/** Why a file cannot be sent as an image; undefined if it can. `sentBytes`: size of the images already in the conversation. */
export function pictureProblem({ name, type, size }: Pick<File, "name" | "type" | "size">, sentBytes: number) {
  if (!TYPES.includes(type)) return `${name} is not an image that models can read. Use PNG, JPEG, WebP or GIF.`;
  if (size > MAX_BYTES) return `${name} has ${mebibytes(size)}. The limit is 5 MiB: resize or crop it.`;
  if (sentBytes + size > MAX_CONVERSATION_BYTES)
    return "The images of a conversation are limited to 20 MiB in total. Start a new one to send more.";
  return undefined;
}

/** @throws Error if the browser cannot read the file as an image */
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
