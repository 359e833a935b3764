/** Shows a list as a table that scrolls sideways where the screen is narrow. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import styles from './table.module.css';

export interface Column<Row> {
  name: string;
  /** The value of a row. */
  cell: (row: Row) => ReactNode;
  /** True: numbers, which stand at the right. */
  isNumber?: boolean;
  /** True: the column's name is for screen readers only. */
  isNameHidden?: boolean;
}

type RecordPage = '/destinations/$id' | '/generations/$id' | '/jobs/$id' | '/syncs/$id' | '/workspaces/$id';

/** Returns a column whose values lead to the page of their row. */
export function linkColumn<Row extends { id: string }>(
  name: string,
  to: RecordPage,
  text: (row: Row) => ReactNode,
): Column<Row> {
  const cell = (row: Row) => (
    <Link to={to} params={{ id: row.id }}>
      {text(row)}
    </Link>
  );
  return { name, cell };
}

export interface TableProps<Row> {
  /** Names the table. */
  caption: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  columns: readonly Column<Row>[];
}

/** A table without rows says so by what stands in its place. */
export function TableOr<Row>({ empty, ...table }: TableProps<Row> & { empty: ReactNode }) {
  return table.rows.length === 0 ? empty : <Table {...table} />;
}

export function Table<Row>({ caption, rows, keyOf, columns }: TableProps<Row>) {
  return (
    <div className={styles['frame']} role="region" aria-label={caption} tabIndex={0}>
      <table className={styles['table']}>
        <caption className="visuallyHidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, isNameHidden }) => (
              <th key={name} scope="col" className={isNumber ? styles['number'] : undefined}>
                <span className={isNameHidden ? 'visuallyHidden' : undefined}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber }) => (
                <td key={name} className={isNumber ? styles['number'] : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
