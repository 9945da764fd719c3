import type { ComponentChildren, JSX } from "preact";

/** A column by its heading; numbers stand at its end. */
export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

interface TableProps {
  readonly caption: string;
  readonly columns: readonly Column[];
  /** Whether its rows become blocks in a narrow place; the roles keep what `display` would drop. */
  readonly stacks?: boolean;
  readonly children: ComponentChildren;
}

/** A table whose headings stand once. Its bodies are {@link Group}s. */
export function Table({ caption, columns, stacks = false, children }: TableProps): JSX.Element {
  return (
    <table class={stacks ? "table table--stack" : "table"} role="table">
      <caption class="vh">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, isNumber }) => (
            <th key={name} role="columnheader" scope="col" class={isNumber === true ? "num" : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}

interface GroupProps {
  /** The group's heading across all columns; none without it. */
  readonly title?: string;
  readonly note?: string;
  readonly span?: number;
  readonly children: ComponentChildren;
}

/** Rows that belong together; `J` and `K` walk them. */
export function Group({ title, note, span = 1, children }: GroupProps): JSX.Element {
  return (
    <tbody role="rowgroup" data-rows>
      {title === undefined ? null : (
        <tr role="row">
          <th role="rowheader" scope="rowgroup" colSpan={span}>
            {title} {note === undefined ? null : <small>{note}</small>}
          </th>
        </tr>
      )}
      {children}
    </tbody>
  );
}

/** One row; the keys give it the focus. */
export function Row({ head, children }: { readonly head: ComponentChildren; readonly children: ComponentChildren }): JSX.Element {
  return (
    <tr role="row" data-row tabIndex={-1}>
      <th role="rowheader" scope="row">
        {head}
      </th>
      {children}
    </tr>
  );
}

interface CellProps {
  /** What the column is called, where the row is a block. */
  readonly label?: string;
  readonly isNumber?: boolean;
  /** Beside the row's head, where the row is a block. */
  readonly isHalf?: boolean;
  readonly children?: ComponentChildren;
}

/** One cell. */
export function Cell({ label, isNumber = false, isHalf = false, children }: CellProps): JSX.Element {
  const kind = [isNumber ? "num" : "", isHalf ? "half" : ""].filter((name) => name !== "").join(" ");
  return (
    <td role="cell" class={kind === "" ? undefined : kind} data-label={label}>
      {children}
    </td>
  );
}
