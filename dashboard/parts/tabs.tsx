import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly children: ComponentChildren;
}

/** Parts of a view of which one is shown. Arrow keys, Home and End go from one to the next. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(tabs) as Name[];
  const onKeyDown = (event: KeyboardEvent) => {
    const next = names[tabAfter(event.key, names.indexOf(chosen), names.length)];
    if (next === undefined) return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
    onChoose(next);
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-controls="tab-panel"
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {tabs[name]}
          </button>
        ))}
      </div>
      <div class="column room narrows" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </>
  );
}

/** The place to which a key leads, around both ends; -1 if it leads nowhere. */
export function tabAfter(key: string, at: number, count: number): number {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (at + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return -1;
  }
}

interface ChoicesProps<Name extends string> {
  readonly label: string;
  readonly choices: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

export function Choices<Name extends string>({ label, choices, chosen, onChoose }: ChoicesProps<Name>) {
  return (
    <fieldset class="choices" aria-label={label}>
      {(Object.keys(choices) as Name[]).map((name) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {choices[name]}
        </button>
      ))}
    </fieldset>
  );
}
