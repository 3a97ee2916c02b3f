interface ChoicesProps<Name extends string> {
  /** What is chosen here. */
  readonly label: string;
  readonly choices: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** A few things of which one is shown. */
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
