import type { PageViews, ViewsDeps } from "../page/views/index.js";

/** What the views of the page read. Nobody may ever look, so it is loaded for the first who does. */
export function pageViews(deps: ViewsDeps): () => Promise<PageViews> {
  let loaded: Promise<PageViews> | undefined;
  return () => (loaded ??= import("../page/views/index.js").then(({ createViews }) => createViews(deps)));
}
