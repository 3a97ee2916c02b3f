/** One line for each library in npm's report that users run. `bundled` has the folders of those in the bundle, below node_modules. */
export function findWeaknesses({ vulnerabilities }, bundled, { packages }) {
  const installed = Object.keys(packages).filter((path) => path !== "" && !packages[path].dev);
  const paths = new Set([...installed, ...bundled.map((folder) => `node_modules/${folder}`)]);
  return Object.values(vulnerabilities)
    .filter(({ nodes }) => nodes.some((path) => paths.has(path)))
    .map(({ name, severity, range, via }) => {
      const titles = via.map((cause) => (typeof cause === "string" ? `by way of ${cause}` : cause.title));
      return `${name} ${range} (${severity}): ${titles.join("; ")}`;
    });
}
