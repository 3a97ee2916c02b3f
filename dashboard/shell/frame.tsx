import type { ComponentChildren } from "preact";
import { useContext, useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { call } from "../api/call.js";
import type { Connection } from "../api/live.js";
import { forgetProof } from "../api/session.js";
import { Dot, type Tone } from "../parts/card.js";
import { icons } from "../parts/icons.js";
import { hrefOf, type ViewName, viewNames } from "../parts/route.js";
import { FailedCard } from "../parts/states.js";
import { LiveContext, useLive } from "../parts/use-live.js";
import { Simulated } from "./door.js";
import { applyTheme, nextTheme, storedTheme } from "./theme.js";

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
  // Another view moves the focus.
  useEffect(() => {
    document.title = `${views[view].title} · Curlew`;
    if (!isFirst.current) main.current?.querySelector("h1")?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [view]);
  const { tone, text } = connections[connection];
  return (
    <div class="shell">
      <button type="button" class="button skip" onClick={() => main.current?.querySelector("h1")?.focus()}>
        Skip to the view
      </button>
      <header class="side">
        <div class="brand">
          <img src={new URL("../curlew.svg", import.meta.url).href} alt="" />
          Curlew
        </div>
        <nav class="views" aria-label="Views">
          {viewNames.map((name) => (
            <a key={name} href={hrefOf(name)} aria-current={name === view ? "page" : undefined}>
              {icons[name]}
              {views[name].name}
            </a>
          ))}
        </nav>
        <div class="side-foot">
          <span class="row gap-2 soft one-line" role="status">
            <Dot tone={tone} />
            {text}
          </span>
          <div class="side-buttons">
            <ThemeButton />
            <button type="button" class="button plain small" onClick={signOut}>
              Sign out
            </button>
          </div>
          <span class="version wide-only">
            {now !== undefined && `${now.gateway.version} · ${now.gateway.backend}`}
          </span>
        </div>
      </header>
      <main class="main" ref={main}>
        {now?.gateway.isSimulated && <Simulated />}
        {now?.health.isUpdated && (
          <p class="notice" role="status">
            Curlew was updated; restart it. Until then it runs as before.
          </p>
        )}
        {connection === "offline" && (
          <div class="notice bad row wrap between gap-2" role="alert">
            {problem} What is shown may be old.
            <button type="button" class="button small" onClick={() => live.reconnect()}>
              Try now
            </button>
          </div>
        )}
        <div class="view">
          <Guarded key={view}>{children}</Guarded>
        </div>
      </main>
    </div>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme());
  const change = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" class="button plain small" onClick={change} title="Change the colours">
      {icons.theme}
      <span class="unseen">Colours: </span>
      {{ system: "Auto", light: "Light", dark: "Dark" }[theme]}
    </button>
  );
}

async function signOut(): Promise<void> {
  await call("session", { method: "DELETE" }).catch(() => {});
  forgetProof();
  location.reload();
}

/** Keeps the way to the other views when one of them has a fault. */
function Guarded({ children }: { readonly children: ComponentChildren }) {
  const [thrown, reset] = useErrorBoundary((error: unknown) => reportError(error));
  if (thrown === undefined) return <>{children}</>;
  return (
    <>
      <h1 tabIndex={-1}>This view has a fault</h1>
      <FailedCard problem={String(thrown)} again={reset} />
    </>
  );
}
