interface MeterPart {
  /** Between 0 and 1. */
  readonly share: number;
  /** A colour of tokens.css, such as `--of-cached`. */
  readonly color: string;
}

interface MeterProps {
  /** The same in words, for those who do not see it. */
  readonly label: string;
  readonly parts: readonly MeterPart[];
}

/** A bar that is filled by shares. */
export function Meter({ label, parts }: MeterProps) {
  return (
    <div class="meter" role="img" aria-label={label}>
      {parts.map(({ share, color }, place) => (
        <span key={place} style={{ width: `${clamp(share) * 100}%`, background: `var(${color})` }} />
      ))}
    </div>
  );
}

function clamp(share: number): number {
  return Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0;
}
