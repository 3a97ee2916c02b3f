import { percent, shortCount, wholeCount } from "@curlew/gateway/system/format.js";
import { useRef, useState } from "preact/hooks";
import type { UsageAnswer } from "../../access/contract.js";
import { Button, CutName, Meter } from "../parts/card.js";
import { hrefOf } from "../parts/route.js";
import { costText, UNKNOWN } from "../parts/sum-words.js";
import { PlotCard } from "./plot-card.js";
import type { Measure } from "./question.js";
import { allTokens, inOrder, type NameRow, rowsByName, tokenParts } from "./sums.js";
import { nameTable } from "./tables.js";

interface ByNameProps {
  readonly kind: "model" | "client";
  readonly answer: UsageAnswer;
  readonly measure: Measure;
}

const SHOWN_FIRST = 6;

export function ByName({ kind, answer, measure }: ByNameProps) {
  const [isLong, setLong] = useState(false);
  const [rows, hold] = useHeldOrder(rowsByName(answer, measure));
  const most = Math.max(0, ...rows.map(({ value }) => value ?? 0));
  const shown = isLong ? rows : rows.slice(0, SHOWN_FIRST);
  return (
    <PlotCard title={`By ${kind}`} table={nameTable(kind, rows, answer.total)}>
      <ol
        class="usage-names column gap-4"
        onPointerEnter={() => hold(true)}
        onPointerLeave={() => hold(false)}
        onFocusIn={() => hold(true)}
        onFocusOut={() => hold(false)}
      >
        {shown.map((row) => (
          <Row key={row.name} row={row} kind={kind} measure={measure} most={most} />
        ))}
      </ol>
      {rows.length > SHOWN_FIRST && (
        <Button kind="small above-4" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? "Show fewer" : `Show ${rows.length - SHOWN_FIRST} more`}
        </Button>
      )}
    </PlotCard>
  );
}

/** Keeps the order of rows while they are pointed at or focused. They are sorted again with the next answer after that. */
function useHeldOrder(sorted: readonly NameRow[]): [readonly NameRow[], (isHeld: boolean) => void] {
  const isHeld = useRef(false);
  const shown = useRef(sorted);
  const names = shown.current.map(({ name }) => name);
  shown.current = isHeld.current ? inOrder(sorted, names) : sorted;
  const hold = (isHeldNow: boolean) => {
    isHeld.current = isHeldNow;
  };
  return [shown.current, hold];
}

interface RowProps extends Omit<ByNameProps, "answer"> {
  readonly row: NameRow;
  readonly most: number;
}

function Row({ row: { name, sums, value, share }, kind, measure, most }: RowProps) {
  const isTokens = measure === "tokens";
  const parts = isTokens ? tokenParts(sums) : [{ color: "--of-input", total: value ?? 0 }];
  const notes = [
    share === null ? "" : `${percent(share)} of all`,
    sums.cache_share === null ? "" : `${percent(sums.cache_share)} cached`,
    sums.warm_share === null ? "" : `${percent(sums.warm_share)} warm`,
    isTokens ? costText(sums.cost) : `${shortCount(allTokens(sums))} tokens`,
  ];
  return (
    <li class="anchor">
      <div class="usage-name row-baseline between gap-4">
        {name === "" ? UNKNOWN : <RequestsLink kind={kind} name={name} />}
        <span class="strong fixed-size">{isTokens ? wholeCount(allTokens(sums)) : costText(sums.cost)}</span>
      </div>
      <Meter parts={parts.map(({ color, total }) => ({ color, share: total / most }))} />
      <p class="usage-notes grid faint one-line">
        {notes.map((note, column) => (
          <span key={column} class={column === notes.length - 1 ? "right" : ""}>
            {note}
          </span>
        ))}
      </p>
    </li>
  );
}

function RequestsLink({ kind, name }: { readonly kind: "model" | "client"; readonly name: string }) {
  return (
    <a class="flex medium narrows as-text" href={hrefOf("requests", undefined, { [kind]: name })}>
      <span class="unseen">Requests of </span>
      <CutName name={name} />
    </a>
  );
}
