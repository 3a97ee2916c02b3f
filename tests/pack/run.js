// Installs the package as npm would publish it and uses it, on each supported Node. Reports its size, and fails when it exceeds
// the limits below: raise them in the commit that needs it. Also checks that another checkout gives the same archive, and the
// files of the container image.
//   node tests/pack/run.js [--only MAJOR]
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nodeBinFolder } from "../../testing/programs/npm-folder.js";
import { Steps } from "../../testing/programs/steps.js";
import { checkImageFiles } from "./image-files.js";
import { installPackage, packElsewhere, packPackage } from "./package.js";
import { checkSbom } from "./sbom.js";
import { checkPackage } from "./uses.js";

const KB = 1_000;
const MB = 1_000 * KB;
const MAX_PACKED_BYTES = 2_200 * KB;
const MAX_UNPACKED_BYTES = 9 * MB;
const MAX_INSTALLED_BYTES = 36 * MB;
const NODE_MAJORS = ["20", "22", "24", "26"];

const { values: flags } = parseArgs({ options: { only: { type: "string" } } });
const steps = new Steps();
const work = mkdtempSync(join(tmpdir(), "curlew-pack-"));
try {
  const packed = await packPackage(work);
  await steps.attempt("another checkout gives the same archive, byte for byte", async () => {
    const other = await packElsewhere(work);
    assert.ok(readFileSync(packed.file).equals(readFileSync(other.file)), `${packed.file} and ${other.file} differ`);
  });
  await steps.attempt(`the archive has ${packed.size / KB} kB`, () => keep(packed.size, MAX_PACKED_BYTES));
  await steps.attempt(`unpacked it has ${packed.unpackedSize / MB} MB`, () =>
    keep(packed.unpackedSize, MAX_UNPACKED_BYTES),
  );
  for (const major of NODE_MAJORS.filter((each) => flags.only === undefined || each === flags.only)) {
    const bin = await nodeBinFolder(major);
    const installed = await steps.attempt(`Node ${major}: it installs`, () =>
      installPackage(packed.file, join(work, `node-${major}`), bin),
    );
    if (installed === undefined) continue;
    await steps.attempt(`Node ${major}: with all it needs it has ${installed.bytes / MB} MB on disk`, () =>
      keep(installed.bytes, MAX_INSTALLED_BYTES),
    );
    await checkPackage({ ...installed, major }, (what, check) => steps.attempt(`Node ${major}: ${what}`, check));
  }
  await steps.attempt("its bill of materials names what is in it, and no tools", () => checkSbom());
  await steps.attempt("the files of the container image build and run", () => checkImageFiles(work));
} finally {
  rmSync(work, { recursive: true, force: true });
}
steps.report();

function keep(bytes, maxBytes) {
  if (bytes > maxBytes) throw new Error(`that is more than the limit of ${maxBytes} bytes in tests/pack/run.js`);
}
