import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button, Card, HeadRow } from "../parts/card.js";
import { useCopy } from "../parts/copy.js";
import { type Table, toCsv } from "./tables.js";

interface PlotCardProps<Row> {
  readonly title: string;
  readonly table: Table<Row>;
  readonly children: ComponentChildren;
}

/** A plot that can be shown as a table and copied as CSV. */
export function PlotCard<Row>({ title, table, children }: PlotCardProps<Row>) {
  const [isTable, setTable] = useState(false);
  const shows = isTable ? "Show as plot" : "Show as table";
  return (
    <Card
      title={title}
      class={isTable ? "whole-row" : ""}
      aside={
        <div class="flex gap-1" style={{ margin: "-4px -10px -4px 0" }}>
          <Button kind="plain small" aria-label={`${shows}: ${title}`} onClick={() => setTable(!isTable)}>
            {shows}
          </Button>
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
      <Button kind="plain small" aria-label={`${text}: ${what}`} onClick={copy}>
        {text}
      </Button>
      <span class="unseen" role="status">
        {{ idle: "", copied: "Copied", refused: "The browser does not allow copying" }[outcome]}
      </span>
    </>
  );
}

/** A scrollable table with sums in the footer. Names, titles and sums are sticky. */
function TableBody<Row>({ table: { caption, columns, rows, keyOf } }: { readonly table: Table<Row> }) {
  const [names, ...numbers] = columns;
  if (names === undefined) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard
    <section class="table-scroll usage-table" aria-label={`${caption}, as a table`} tabIndex={0}>
      <table class="data">
        <caption class="unseen">{caption}</caption>
        <thead>
          <HeadRow titles={columns.map(({ title }) => title)} />
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row" title={names.cellOf(row).text}>
                {names.cellOf(row).text}
              </th>
              {numbers.map(({ title, cellOf }) => {
                const { value, text } = cellOf(row);
                return (
                  <td key={title} class={value === 0 ? "number pale" : "number"}>
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{names.all.text}</th>
            {numbers.map(({ title, all, sum }) => (
              <td key={title} class="number" data-sum={sum} data-value={sum && (all.value ?? "")}>
                {all.text}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
