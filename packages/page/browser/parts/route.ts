import { useEffect, useState } from "preact/hooks";

export const viewNames = ["now", "requests", "usage", "models", "playground"] as const;
export type ViewName = (typeof viewNames)[number];

export interface Route {
  readonly view: ViewName;
  readonly item: string | undefined;
  readonly query: Query;
}

export type Query = Readonly<Record<string, string>>;

/** `#/requests/ID?client=NAME`; unknown views lead to the first one. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, item] = path.split("/", 2);
  const view = viewNames.find((each) => each === name);
  if (view === undefined) return { view: "now", item: undefined, query: {} };
  return { view, item: item ? decoded(item) : undefined, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The link to a view. Empty parameters are omitted. */
export function hrefOf(view: ViewName, item?: string, query: Query = {}): string {
  const path = item === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(item)}`;
  const filled = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return filled.size === 0 ? path : `${path}?${filled}`;
}

/** The route of the address. Use it as the base of changes: the rendered state may lag behind. */
export function currentRoute(): Route {
  return parseRoute(location.hash);
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
