import { useEffect, useState } from "preact/hooks";

export const viewNames = ["now", "requests", "usage", "models", "playground"] as const;
export type ViewName = (typeof viewNames)[number];

export interface Route {
  readonly view: ViewName;
  /** What of it is shown, such as a request's id. */
  readonly item: string | undefined;
}

/** `#/requests/ID`; what is not known leads to the first view. */
export function parseRoute(hash: string): Route {
  const [name, item] = hash.replace(/^#\/?/, "").split("/", 2);
  const view = viewNames.find((each) => each === name);
  return view === undefined ? { view: "now", item: undefined } : { view, item: item ? decoded(item) : undefined };
}

/** The link to a view. */
export function hrefOf(view: ViewName, item?: string): string {
  return item === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(item)}`;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return parseRoute(hash);
}

function decoded(item: string): string | undefined {
  try {
    return decodeURIComponent(item);
  } catch {
    return undefined;
  }
}
