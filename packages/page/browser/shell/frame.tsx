import type { ComponentChildren } from "preact";
import { useContext, useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { call, forgetProof } from "../api/call.js";
import type { Connection } from "../api/live.js";
import { Button, Dot, FailedCard, type Tone } from "../parts/card.js";
import { icons } from "../parts/icons.js";
import { hrefOf, type ViewName, viewNames } from "../parts/route.js";
import { LiveContext, useLive } from "../parts/use-live.js";
import { Simulated } from "./door.js";

const views: Readonly<Record<ViewName, { readonly name: string; readonly title: string }>> = {
  now: { name: "Now", title: "Now" },
  requests: { name: "Requests", title: "Requests" },
  usage: { name: "Usage", title: "Usage" },
  models: { name: "Models", title: "Models and clients" },
  playground: { name: "Playground", title: "Playground" },
};

const connections: Readonly<Record<Connection, { tone: Tone; text: string }>> = {
  connecting: { tone: "plain", text: "Connecting" },
  live: { tone: "good", text: "Live" },
  offline: { tone: "bad", text: "Offline" },
  "locked-out": { tone: "bad", text: "Signed out" },
};

export function Frame({ view, children }: { readonly view: ViewName; readonly children: ComponentChildren }) {
  const live = useContext(LiveContext);
  const { connection, now, problem } = useLive();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // Move the focus to the new view.
  useEffect(() => {
    document.title = `${views[view].title} · Curlew`;
    if (!isFirst.current) main.current?.querySelector("h1")?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [view]);
  const { tone, text } = connections[connection];
  return (
    <div class="shell">
      <Button kind="skip" onClick={() => main.current?.querySelector("h1")?.focus()}>
        Skip to the view
      </Button>
      <header class="side column gap-5">
        <div class="brand row gap-3">
          <img src={new URL("../curlew.svg", import.meta.url).href} width={30} alt="" />
          Curlew
        </div>
        <nav class="views column" style={{ gap: "2px" }} aria-label="Views">
          {viewNames.map((name) => (
            <a
              key={name}
              class="row gap-3 rounded soft weight-500"
              href={hrefOf(name)}
              aria-current={name === view ? "page" : undefined}
            >
              {icons[name]}
              {views[name].name}
            </a>
          ))}
        </nav>
        <div class="side-foot column gap-3 faint">
          <span class="row gap-2 soft one-line" role="status">
            <Dot tone={tone} />
            {text}
          </span>
          {/* Aligns the icon, not the edge of its button. */}
          <div class="flex gap-1" style={{ marginLeft: "-13px" }}>
            <ThemeButton />
            <Button kind="plain small" onClick={signOut}>
              Sign out
            </Button>
          </div>
          {/* Reserves the space before the version is known. */}
          <span class="wide-only" style={{ minHeight: "1.5em" }}>
            {now !== undefined && `${now.gateway.version} · ${now.gateway.backend}`}
          </span>
        </div>
      </header>
      <main class="main column narrows" ref={main}>
        {now?.gateway.isSimulated && <Simulated />}
        {now?.health.isUpdated && (
          <p class="notice small medium" role="status">
            Curlew was updated; restart it. Until then the old version keeps running.
          </p>
        )}
        {connection === "offline" && (
          <div class="notice bad row wrap between gap-2 small medium" role="alert">
            {problem} The data shown may be out of date.
            <Button kind="small" onClick={() => live.reconnect()}>
              Reconnect
            </Button>
          </div>
        )}
        <div class="view column room">
          <Guarded key={view}>{children}</Guarded>
        </div>
      </main>
    </div>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme());
  const change = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Button kind="plain small" onClick={change} title="Change the colours">
      {icons.theme}
      <span class="unseen">Colours: </span>
      {{ system: "Auto", light: "Light", dark: "Dark" }[theme]}
    </Button>
  );
}

async function signOut(): Promise<void> {
  await call("session", { method: "DELETE" }).catch(() => {});
  forgetProof();
  location.reload();
}

/** Error boundary: keeps the navigation usable when a view fails. */
function Guarded({ children }: { readonly children: ComponentChildren }) {
  const [thrown, reset] = useErrorBoundary((error: unknown) => reportError(error));
  if (thrown === undefined) return <>{children}</>;
  return (
    <>
      <h1 tabIndex={-1}>This view has failed</h1>
      <FailedCard problem={String(thrown)} again={reset} />
    </>
  );
}

const STORED_AS = "curlew.theme";
const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

export function storedTheme(): Theme {
  try {
    return themes.find((each) => each === localStorage.getItem(STORED_AS)) ?? "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
  try {
    localStorage.setItem(STORED_AS, theme);
  } catch {
    // storage is blocked: the theme lasts until the page is closed
  }
}
