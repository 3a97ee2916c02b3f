// Builds what is published: dist/main.js (the command), dist/index.js (for embedding), dist/opencode/ (the plugin), dist/simulator.js (for tests of others), their chunks and the declarations,
// dist/curlew.schema.json (the JSON Schema of curlew.json), dist/cursor.json (what is known about Cursor, to be read by those who change it) and
// dist/fake-cursor-agent.js, the simulator's fake of Cursor's CLI, and dist/dashboard/, the files of the page at `/`.
// dist/serve-with-constants.js is for tests and the bench, and stays out of the package.
// Why everything is bundled: docs/decisions/0001-bundle-the-runtime.md
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "rolldown";
import { build as buildForBrowsers } from "vite";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");
/** The packages of this repository import each other by name. Without their links, a module has one path however it is imported. */
const packageAliases = { "@curlew": join(root, "packages") };
/** What the package depends on at run time stays outside the bundle: libraries with native code cannot go in. */
const { dependencies = {}, optionalDependencies = {} } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

/** Child processes: beside the chunks, their path is the same as in the sources. */
const startedByPath = {
  "sdk-child": "packages/gateway/backends/sdk/sdk-child.js",
  "gateway-child": "packages/cli/opencode/gateway-child.ts",
};

/** Not in the package, and not in a container, which is built without the tests. */
const testProgram = "testing/programs/serve-with-constants.ts";
const forTests = existsSync(join(root, testProgram)) ? { "serve-with-constants": testProgram } : {};

/**
 * Every file costs about a millisecond to find and load, so what is always needed together lies together: these files, those right in
 * these folders, and what they import. The first that a file belongs to takes it.
 */
const together = [
  // What every command begins with.
  {
    name: "base",
    paths: [
      "packages/cli/commands/line",
      "packages/cli/terminal/command-machine.ts",
      "packages/cli/terminal/print.ts",
      "packages/cli/log/log-output.ts",
      "packages/gateway/system/closest.ts",
      "packages/cli/app/version.ts",
    ],
  },
  // What `serve` runs until its port is open.
  {
    name: "start",
    paths: [
      ...["packages/cli/app/start", "packages/cli/app/prepare", "packages/cli/config", "packages/cli/commands/serve"],
      "packages/cli/terminal/spinner.ts",
    ],
  },
];

// The bundles name the files that they are made of. Links are not followed, so that these names are the same wherever the libraries are.

/** Stack traces in the log of a user must be readable: docs/decisions/0001-bundle-the-runtime.md says what that costs. */
const readable = { minify: false, comments: { legal: true, annotation: false, jsdoc: false } };

const report = reporter();
await rm(dist, { recursive: true, force: true });
const [bundle, pdf, fake, page] = await Promise.all([
  report.step("the program", bundleCode()),
  report.step("the reader of PDFs", bundlePdfWorker()),
  report.step("the fake of Cursor's CLI", bundleFakeCli()),
  report.step("the page", bundlePage()),
  report.step("types for programs that embed it", declareTypes()),
  report.step("schema of the settings", writeSettingsFiles()),
]);
const packages = await findPackages([...bundle, ...pdf, ...fake, ...page]);
await compareWithList(packages.map(({ folder }) => folder));
await writeFile(join(dist, "THIRD-PARTY-LICENSES.txt"), await collectLicences(packages));
await settleModes();
await markBuild();
report.end();

/** Says on a terminal what is done, and how long it took. The steps run side by side. */
function reporter() {
  const startedMs = performance.now();
  const say = (text) => process.stderr.isTTY && process.stderr.write(`${text}\n`);
  const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(1).padStart(5)} s`;
  say("Building Curlew");
  return {
    async step(name, work) {
      const result = await work;
      say(`${seconds()}  ${name}`);
      return result;
    },
    end: () => say(`${seconds()}  done: node dist/main.js`),
  };
}

async function bundleCode() {
  const { output } = await build({
    cwd: root,
    input: {
      main: "packages/cli/main.ts",
      index: "packages/cli/index.ts",
      // OpenCode 2 looks for an index.js in the folder that its settings name.
      "opencode/index": "packages/cli/opencode/index.ts",
      simulator: "packages/simulator/library.ts",
      ...startedByPath,
      ...forTests,
    },
    platform: "node",
    // Its other form, made for old loaders, finds its parts at run time, where they would be missing.
    resolve: { symlinks: false, alias: { ...packageAliases, "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    external: Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => new RegExp(`^${name}(/|$)`)),
    // The MCP library also adapts a web server, which is not used here.
    treeshake: { moduleSideEffects: [{ test: /node_modules\/@?hono\//, sideEffects: false }] },
    transform: { target: "node20.19" },
    output: {
      dir: dist,
      format: "esm",
      ...readable,
      banner: (chunk) => (chunk.fileName === "main.js" ? "#!/usr/bin/env node" : ""),
      entryFileNames: ({ name }) => (name in startedByPath ? "chunks/[name].js" : "[name].js"),
      chunkFileNames: "chunks/[name]-[hash].js",
      codeSplitting: {
        groups: together.map(({ name, paths }, at) => ({
          name,
          test: within(paths),
          priority: together.length - at,
        })),
      },
    },
    onLog: refuseWarnings,
  });
  return output;
}

function within(paths) {
  const wanted = new Set(paths.map((path) => join(root, path)));
  for (const path of wanted) if (!existsSync(path)) throw new Error(`${path} is to be put together, but is missing.`);
  return (id) => wanted.has(resolve(id)) || wanted.has(dirname(resolve(id)));
}

/** One script, because a running gateway keeps its text in memory and starts threads from it. */
async function bundlePdfWorker() {
  const { output } = await build({
    cwd: root,
    input: { "pdf-worker": "packages/gateway/core/attachments/pdf-worker.js" },
    platform: "node",
    resolve: { symlinks: false, alias: packageAliases },
    transform: { target: "node20.19" },
    output: { dir: dist, format: "cjs", ...readable, entryFileNames: "chunks/[name].cjs", codeSplitting: false },
    // The library looks beside its own file for fonts, which are not published with it. It works without them.
    onLog: (level, log, report) => log.code !== "EMPTY_IMPORT_META" && refuseWarnings(level, log, report),
  });
  return output;
}

/** Bundled separately: it shares nothing with the gateway, and every call of it should start fast. */
async function bundleFakeCli() {
  const { output } = await build({
    cwd: root,
    input: { "fake-cursor-agent": "packages/simulator/cli/main.ts" },
    platform: "node",
    resolve: { symlinks: false, alias: packageAliases },
    transform: { target: "node20.19" },
    output: {
      dir: dist,
      format: "esm",
      ...readable,
      banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
      chunkFileNames: "chunks/fake-cli-[hash].js",
    },
    onLog: refuseWarnings,
  });
  return output;
}

/** No inline code, because the page's policy allows only its own files. */
async function bundlePage() {
  const { output } = await buildForBrowsers({
    root: join(root, "packages", "page", "browser"),
    configFile: false,
    envDir: false,
    logLevel: "warn",
    resolve: { preserveSymlinks: true, alias: packageAliases },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: join(dist, "dashboard"),
      emptyOutDir: false,
      target: "es2022",
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { onLog: refuseWarnings },
    },
  });
  return output;
}

/** The table of the settings is TypeScript, so what makes a schema of it is bundled before it can run. */
async function writeSettingsFiles() {
  const { output } = await build({
    cwd: root,
    input: "packages/cli/config/json-schema.ts",
    platform: "node",
    resolve: { alias: packageAliases },
    // The table takes only the names of the backends from there, not their code.
    external: (_, importer) => importer?.endsWith("registry.ts") ?? false,
    write: false,
    output: { format: "esm" },
    onLog: refuseWarnings,
  });
  const { settingsJsonSchema } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  await mkdir(dist, { recursive: true });
  await copyFile(join(root, "packages/gateway/backends/profile/cursor.json"), join(dist, "cursor.json"));
  await writeFile(join(dist, "curlew.schema.json"), `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
}

/** A warning here is an import that will not be found at run time, or code that runs in the wrong order. */
function refuseWarnings(level, log, report) {
  // Build times only reflect how busy the machine is.
  if (log.code === "PLUGIN_TIMINGS") return;
  if (level === "warn") throw new Error(log.message);
  report(level, log);
}

/** Only the declarations that a program which embeds the gateway or the simulator, or imports the plugin, can reach. */
async function declareTypes() {
  const all = await mkdtemp(join(tmpdir(), "curlew-types-"));
  try {
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    await promisify(execFile)(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", all], {
      cwd: root,
    });
    const waiting = [
      "packages/cli/index.d.ts",
      "packages/cli/opencode/index.d.ts",
      "packages/simulator/library.d.ts",
    ].map((file) => join(all, file));
    const seen = new Set(waiting);
    for (const file of waiting) {
      const text = withRelativeImports(await readFile(file, "utf8"), relative(dirname(file), join(all, "packages")));
      const target = join(dist, "types", relative(all, file));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      for (const [, specifier] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
        const next = resolve(dirname(file), specifier.replace(/\.js$/, ".d.ts"));
        if (!seen.has(next)) waiting.push(next);
        seen.add(next);
      }
    }
  } catch (thrown) {
    throw new Error(`The declarations could not be written.\n${thrown.stdout ?? ""}`, { cause: thrown });
  } finally {
    await rm(all, { recursive: true, force: true });
  }
}

/** Who installs Curlew has none of its packages. */
function withRelativeImports(text, packages) {
  return text.replaceAll(/"@curlew\/([^"]+)"/g, (_, module) => `"${packages.replaceAll("\\", "/")}/${module}"`);
}

/** The packages that went into the bundle, each with its modules there. */
async function findPackages(output) {
  const byFolder = new Map();
  for (const id of output.flatMap((file) => file.moduleIds ?? []).map((id) => id.replaceAll("\\", "/"))) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
    if (folder !== undefined) byFolder.set(folder, [...(byFolder.get(folder) ?? []), id]);
  }
  const folders = [...byFolder].sort(([one], [other]) => (one < other ? -1 : 1));
  return await Promise.all(
    folders.map(async ([folder, modules]) => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      return { folder, modules, name, version, license };
    }),
  );
}

/** In package.json, all libraries are development dependencies: bundled.json says which of them users run, by folder. */
async function compareWithList(folders) {
  const libraries = join(root, "node_modules");
  const found = folders.map((folder) => relative(libraries, folder).replaceAll("\\", "/"));
  const listed = JSON.parse(await readFile(join(root, "bundled.json"), "utf8"));
  const faults = [
    ...found.filter((name) => !listed.includes(name)).map((name) => `${name} is bundled, but not listed`),
    ...listed.filter((name) => !found.includes(name)).map((name) => `${name} is listed, but not bundled`),
  ];
  if (faults.length > 0) throw new Error(`bundled.json is out of date: ${faults.join("; ")}.`);
}

/** What is bundled is redistributed, and its licences want their text to go along. */
async function collectLicences(packages) {
  const texts = [];
  for (const { folder, modules, name, version, license } of packages) {
    const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file === undefined ? await noticesIn(modules) : await readFile(join(folder, file), "utf8");
    if (text.trim() === "") throw new Error(`${name} is bundled but says nothing about its licence.`);
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  // Inside unpdf, whose own licence does not speak of it.
  texts.push("PDF.js (Apache-2.0)\n\nCopyright Mozilla Foundation. Licensed under the Apache License, Version 2.0.\n");
  texts.push(await readFile(join(root, "licences", "Apache-2.0.txt"), "utf8"));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** The notices at the head of a package's files, for a package without a licence file. */
async function noticesIn(modules) {
  const heads = modules.map(async (id) => /^(?:\/\/.*\n)+/.exec(await readFile(id, "utf8"))?.[0] ?? "");
  const notices = (await Promise.all(heads)).filter((head) => /copyright/i.test(head));
  return [...new Set(notices)].join("\n").replaceAll(/^\/\/ ?/gm, "");
}

/** Appends a hash of all files to the command, by which a running gateway knows that they were replaced. */
async function markBuild() {
  const built = await readdir(dist, { recursive: true, withFileTypes: true });
  const paths = built.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash("sha256");
  for (const path of paths.sort()) hash.update(path.slice(dist.length)).update(await readFile(path));
  await appendFile(join(dist, "main.js"), `\n// build ${hash.digest("hex")}\n`);
}

/** npm packs files with the modes that they have here. Otherwise the archive would depend on the umask. */
async function settleModes() {
  const built = await readdir(dist, { recursive: true, withFileTypes: true });
  const beside = ["package.json", "README.md", "LICENSE", "CHANGELOG.md"].map((name) => join(root, name));
  const paths = built.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const commands = ["main.js", "fake-cursor-agent.js"].map((name) => join(dist, name));
  for (const path of [...paths, ...beside.filter((each) => existsSync(each))]) {
    await chmod(path, commands.includes(path) ? 0o755 : 0o644);
  }
}
