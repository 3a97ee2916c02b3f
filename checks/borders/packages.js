/** The name and the module of an import that goes by the name of a package; undefined for a relative one. */
function packageImport(from) {
  const [, name, module] = /^(@curlew\/[^/]+)\/(.+)$/.exec(from) ?? [];
  return name === undefined ? undefined : { name, module };
}

/** The package of a file: the folder below packages/. */
export function packageOf(file) {
  return /^packages\/([^/]+)\//.exec(file)?.[1];
}

/**
 * Sentences about imports from package to package that their package.json files do not allow, and about what these files list in vain.
 *
 * @param {{ folder: string, name: string, dependencies?: object, exports?: object }[]} manifests
 * @param {import("./find-imports.js").SourceFile[]} files
 */
export function judgePackages(manifests, files) {
  const faults = [];
  const used = new Set();
  const ofFolder = new Map(manifests.map((manifest) => [manifest.folder, manifest]));
  for (const { file, imports } of files) {
    const mine = ofFolder.get(packageOf(file));
    for (const { line, from, to } of imports) {
      const theirs = ofFolder.get(packageOf(to));
      if (theirs === undefined || theirs === mine) continue;
      const fault = judgeImport(mine, theirs, from);
      if (fault !== undefined) faults.push(`${file}:${line} imports ${to}\n  ${fault}`);
      used.add(`${mine.name} needs ${theirs.name}`).add(`${theirs.name} gives ./${packageImport(from)?.module}`);
    }
  }
  for (const { folder, name, dependencies = {}, exports = {} } of manifests) {
    const place = `packages/${folder}/package.json`;
    const ours = Object.keys(dependencies).filter((each) => manifests.some((other) => other.name === each));
    for (const each of ours.filter((each) => !used.has(`${name} needs ${each}`))) {
      faults.push(`${place}: depends on ${each}, which nothing there imports: take it out`);
    }
    for (const each of Object.keys(exports).filter((each) => !used.has(`${name} gives ${each}`))) {
      faults.push(`${place}: exports ${each}, which no other package imports: take it out`);
    }
  }
  return faults;
}

function judgeImport(mine, theirs, from) {
  const named = packageImport(from);
  if (named === undefined) return `by its path: another package is imported by its name, ${theirs.name}`;
  if (!(theirs.name in (mine.dependencies ?? {}))) {
    return `but packages/${mine.folder}/package.json does not depend on ${theirs.name}`;
  }
  const isExported = `./${named.module}` in (theirs.exports ?? {});
  return isExported ? undefined : `but packages/${theirs.folder}/package.json does not export ./${named.module}`;
}
