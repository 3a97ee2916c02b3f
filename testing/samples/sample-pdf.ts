import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createDeflate } from "node:zlib";

/** A PDF with one line of text on each page, for tests. */
export function samplePdf(...pages: readonly string[]): Buffer {
  return pdfOf(pages.map((text) => stream(`BT /F1 12 Tf 72 720 Td (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`)));
}

/** Pages without readable text, as a scanner makes them. */
export function scannedPdf(): Buffer {
  return pdfOf([stream("0 0 m 100 100 l S")]);
}

export function lockedPdf(): Buffer {
  const key = `<${"41".repeat(32)}>`;
  return pdfOf([stream("")], `/ID [<41> <41>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ${key} /U ${key} >>`);
}

/** A few kilobytes that inflate to many megabytes. */
export async function foldedPdf(megabytes: number): Promise<Buffer> {
  const megabyte = Buffer.alloc(1024 * 1024, " ");
  const data = await buffer(Readable.from(Array(megabytes).fill(megabyte)).pipe(createDeflate()));
  const head = `<< /Length ${data.length} /Filter /FlateDecode >>\nstream\n`;
  return pdfOf([Buffer.concat([Buffer.from(head), data, Buffer.from("\nendstream")])]);
}

function stream(content: string): Buffer {
  return Buffer.from(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
}

function pdfOf(contents: readonly Buffer[], trailing = ""): Buffer {
  const first = 4;
  const kids = contents.map((_, page) => `${first + page * 2} 0 R`).join(" ");
  const objects: Buffer[] = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...contents.flatMap((content, page) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + page * 2 + 1} 0 R ` +
          "/Resources << /Font << /F1 3 0 R >> >> >>",
      ),
      content,
    ]),
  ];
  const parts = [Buffer.from("%PDF-1.4\n")];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    offsets.push(at);
    at += part.length;
    parts.push(part);
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R ${trailing} >>\nstartxref\n${at}\n%%EOF\n`;
  parts.push(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${entries}${trailer}`));
  return Buffer.concat(parts);
}
