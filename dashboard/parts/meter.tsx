interface MeterPart {
  readonly share: number;
  /** A colour of tokens.css, such as `--of-cached`. */
  readonly color: string;
}

interface MeterProps {
  /** The same in words, for those who do not see it. */
  readonly label: string;
  readonly parts: readonly MeterPart[];
}

export function Meter({ label, parts }: MeterProps) {
  return (
    <div class="meter" role="img" aria-label={label}>
      <Filling parts={parts} />
    </div>
  );
}

/** The same where the words beside it say it all. */
export function Bar({ parts }: Pick<MeterProps, "parts">) {
  return (
    <span class="meter" aria-hidden="true">
      <Filling parts={parts} />
    </span>
  );
}

function Filling({ parts }: Pick<MeterProps, "parts">) {
  return (
    <>
      {parts.map(({ share, color }, place) => (
        <span key={place} style={{ width: `${clamp(share) * 100}%`, background: `var(${color})` }} />
      ))}
    </>
  );
}

function clamp(share: number): number {
  return Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0;
}
