import { z } from "zod";
import {
  documentText,
  type ImageBlock,
  type PdfBlock,
  type RemoteImageBlock,
  type RemotePdfBlock,
  type TextBlock,
} from "../../turn/blocks.js";
import { detectType } from "../../turn/detect-type.js";

/** The longest prefix we look for: `data:` + MIME type + parameters + `;base64,`. */
const MAX_HEAD_CHARS = 256;

/** The block that a document becomes, or a sentence about what is wrong with it. */
export type ParsedDocument = TextBlock | PdfBlock | RemotePdfBlock | ImageBlock | { problem: string };

/** The fields of OpenAI's `file` and `input_file` parts. */
export const fileFields = {
  file_data: z.string().nullish(),
  file_id: z.string().nullish(),
  filename: z.string().nullish(),
};
type FileFields = Partial<z.infer<z.ZodObject<typeof fileFields>>> & { readonly file_url?: string | null | undefined };

/** The fields of an Anthropic document's `source`, except nested content, which is plain text. */
export interface SourceFields {
  type: "base64" | "text" | "url" | "file";
  media_type?: string | null | undefined;
  data?: string | null | undefined;
  url?: string | null | undefined;
}

export const NO_STORE = "names an uploaded file, and files cannot be uploaded to this gateway; send the content itself";

export function parseFile({ file_data, file_url, file_id, filename }: FileFields): ParsedDocument {
  const name = filename ?? undefined;
  if (file_data) return parseFileData(file_data, name);
  if (file_url?.startsWith("data:")) return parseFileData(file_url, name);
  if (file_url) return parseDocumentUrl(file_url, name);
  return { problem: file_id ? NO_STORE : "must have file_data with the content of the file" };
}

export function parseSource(source: SourceFields, title?: string | null): ParsedDocument {
  const name = title ?? undefined;
  switch (source.type) {
    case "text":
      return documentText(source.data ?? "", name);
    case "base64":
      return parseContent(source.data ?? "", source.media_type ?? "", name);
    case "url":
      return parseDocumentUrl(source.url ?? "", name);
    case "file":
      return { problem: NO_STORE };
  }
}

/** The type is in the `data:` URL. If there is only base64, the content decides. */
function parseFileData(fileData: string, name: string | undefined): ParsedDocument {
  const parts = splitDataUrl(fileData);
  if (parts === undefined) return parseContent(fileData, "", name);
  if (!parts.isBase64) return { problem: "must be base64: data:application/pdf;base64,..." };
  return parseContent(parts.content, parts.mimeType, name);
}

function parseContent(base64: string, declared: string, name: string | undefined): ParsedDocument {
  const data = decodeBase64(base64);
  if (data === undefined) return { problem: "holds broken base64" };
  if (data.length === 0) return { problem: "holds no data" };
  const type = detectType(data);
  if (type === "application/pdf") return { type: "pdf", ...(name !== undefined && { name }), data };
  if (type !== undefined) return { type: "image", mimeType: type, data };
  // Many kinds of text have types of their own (JSON, YAML, source code), so the content decides.
  const text = declared === "application/pdf" ? undefined : decodeText(data);
  if (text !== undefined) return documentText(text, name);
  const called = /^[a-z]+\/[a-z0-9.+-]{1,80}$/.test(declared) ? ` (declared as ${declared})` : "";
  return { problem: `is not a PDF, an image or UTF-8 text${called}; send its text instead` };
}

function parseDocumentUrl(url: string, name: string | undefined): ParsedDocument {
  const isAddress = /^https?:\/\//i.test(url) && URL.canParse(url);
  if (!isAddress) return { problem: "must be the http(s) address of a PDF" };
  return { type: "remote-pdf", ...(name !== undefined && { name }), url };
}

/** Undefined if the bytes cannot be text: no text contains a NUL, and nearly every other file does. */
function decodeText(data: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** An image as APIs pass it: a `data:` URL or an address. Anything else becomes a sentence about the problem. */
export function parseImageUrl(url: string): ImageBlock | RemoteImageBlock | { problem: string } {
  if (/^https?:\/\//i.test(url)) {
    return URL.canParse(url) ? { type: "remote-image", url } : { problem: "is not a valid address" };
  }
  const parts = splitDataUrl(url);
  if (parts === undefined) return { problem: "must be a data: URL (data:image/png;base64,...) or an http(s) address" };
  const { isBase64, content } = parts;
  if (!isBase64) return { problem: "must be base64: data:image/png;base64,..." };
  const data = decodeBase64(content);
  if (data === undefined) return { problem: "holds broken base64" };
  if (data.length === 0) return { problem: "holds no image data" };
  const mimeType = parts.mimeType.startsWith("image/") ? parts.mimeType : (detectType(data) ?? "");
  if (!mimeType.startsWith("image/")) return { problem: "must have an image type, such as data:image/png;base64,..." };
  return { type: "image", mimeType, data };
}

/** Undefined if the text is not a URL. The type is in lower case, and empty if the URL names none. */
function splitDataUrl(url: string) {
  const comma = url.slice(0, MAX_HEAD_CHARS).indexOf(",");
  const head = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[^;,]*)*)$/i.exec(url.slice(0, Math.max(comma, 0)));
  if (head === null) return undefined;
  const [, mimeType = "", parameters = ""] = head;
  return {
    mimeType: mimeType.toLowerCase(),
    isBase64: /;base64$/i.test(parameters),
    content: url.slice(comma + 1),
  };
}

/** Node's decoder skips invalid characters; here they are an error, except white space (some clients wrap lines). */
function decodeBase64(text: string): Uint8Array | undefined {
  const data = Buffer.from(text, "base64");
  if (data.length === Buffer.byteLength(text, "base64")) return data;
  const dense = text.replace(/\s+/g, "");
  return data.length === Buffer.byteLength(dense, "base64") ? data : undefined;
}
