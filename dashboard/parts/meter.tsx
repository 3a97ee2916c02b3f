interface MeterProps {
  /** The same in words, for those who do not see it. None where the words beside it say it all. */
  readonly label?: string;
  /** Their colours are names of tokens.css, such as `--of-cached`. */
  readonly parts: readonly { readonly share: number; readonly color: string }[];
}

export function Meter({ label, parts }: MeterProps) {
  const spoken = label === undefined ? { "aria-hidden": true } : ({ role: "img", "aria-label": label } as const);
  return (
    <span class="meter" {...spoken}>
      {parts.map(({ share, color }, place) => (
        <span key={place} style={{ width: `${clamp(share) * 100}%`, background: `var(${color})` }} />
      ))}
    </span>
  );
}

function clamp(share: number): number {
  return Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0;
}
