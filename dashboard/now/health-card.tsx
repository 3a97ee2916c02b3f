import { Card } from "../parts/card.js";
import { Dot } from "../parts/chip.js";
import type { Check } from "./checks.js";
import { Command } from "./command.js";

/** Everything that can work or not, one by one. */
export function HealthCard({ checks, since }: { readonly checks: readonly Check[]; readonly since: string }) {
  return (
    <Card title="Health" class="now-health" aside={since}>
      <ul class="now-checks">
        {[...checks.filter(isTroubled), ...checks.filter((check) => !isTroubled(check))].map((check) => (
          <CheckTile key={check.name} {...check} />
        ))}
      </ul>
    </Card>
  );
}

function CheckTile({ name, tone, state, trouble }: Check) {
  return (
    <li class={trouble === null ? "now-check" : "now-check now-troubled"}>
      <Dot tone={tone} />
      <span class="now-check-name">
        <strong>{name}</strong>
        <span>{state}</span>
      </span>
      {trouble !== null && (
        <div class="now-check-advice">
          {trouble.advice}
          {trouble.command !== null && <Command text={trouble.command} />}
        </div>
      )}
    </li>
  );
}

function isTroubled({ trouble }: Check): boolean {
  return trouble !== null;
}
