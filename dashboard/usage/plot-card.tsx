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
  return (
    <Card
      title={title}
      class={isTable ? "usage-wide" : ""}
      aside={
        <div class="usage-card-buttons">
          <button type="button" class="button plain small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? "Show as plot" : "Show as table"}
            <span class="unseen">: {title}</span>
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
  const { outcome, copy } = useCopy(toCsv(table));
  const said = { idle: "", copied: "Copied", refused: "The browser does not allow it" }[outcome];
  return (
    <>
      <button type="button" class="button plain small" onClick={copy}>
        {outcome === "idle" ? "Copy CSV" : outcome === "copied" ? "Copied" : "Not allowed"}
        <span class="unseen">: {what}</span>
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}
