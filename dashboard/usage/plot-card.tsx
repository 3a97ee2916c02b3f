import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Card } from "../parts/card.js";
import { useCopy } from "../parts/copy.js";
import { type Table, toCsv } from "./table.js";
import { TableBody } from "./table-body.js";

interface PlotCardProps<Row> {
  readonly title: string;
  readonly table: Table<Row>;
  /** The plot. */
  readonly children: ComponentChildren;
}

/** A plot that can be read as a table too, and copied. */
export function PlotCard<Row>({ title, table, children }: PlotCardProps<Row>) {
  const [isTable, setTable] = useState(false);
  const shows = isTable ? "Show as plot" : "Show as table";
  return (
    <Card
      title={title}
      class={isTable ? "usage-wide" : ""}
      aside={
        <div class="usage-card-buttons">
          <button
            type="button"
            class="button plain small"
            aria-label={`${shows}: ${title}`}
            onClick={() => setTable(!isTable)}
          >
            {shows}
          </button>
          <CopyCsv table={table} what={title} />
        </div>
      }
    >
      {isTable ? <TableBody table={table} /> : children}
    </Card>
  );
}

function CopyCsv<Row>({ table, what }: { readonly table: Table<Row>; readonly what: string }) {
  const { outcome, copy } = useCopy(() => toCsv(table));
  const text = { idle: "Copy CSV", copied: "Copied", refused: "Not allowed" }[outcome];
  return (
    <>
      <button type="button" class="button plain small" aria-label={`${text}: ${what}`} onClick={copy}>
        {text}
      </button>
      <span class="unseen" role="status">
        {{ idle: "", copied: "Copied", refused: "The browser does not allow pages to copy" }[outcome]}
      </span>
    </>
  );
}
