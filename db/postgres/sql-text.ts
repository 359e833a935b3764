/** Composes SQL statements from pieces, with every outside value as a parameter. */
import type { Knex } from 'knex';
import { type Handle, rowsOf } from './connection.ts';

/** A value that is bound to a statement. */
export type SqlValue = string | number | Date | readonly (string | number)[];

/**
 * A piece of a statement with the values of its `?`. Only `sql` (from templates in the source) and `trustedText` (from
 * trusted names) create it, so no text of a caller becomes SQL.
 */
export class Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }
}

/** Builds a piece from a template. Pieces in its holes become text, all other values become parameters. */
export function sql(strings: TemplateStringsArray, ...holes: (Sql | SqlValue)[]): Sql {
  let text = strings[0] ?? '';
  const values: SqlValue[] = [];
  for (const [index, hole] of holes.entries()) {
    const piece = hole instanceof Sql ? hole : new Sql('?', [hole]);
    text += piece.text + (strings[index + 1] ?? '');
    values.push(...piece.values);
  }
  return new Sql(text, values);
}

/** Returns a piece of trusted text: names of columns, lists of constants. */
export function trustedText(text: string): Sql {
  return new Sql(text, []);
}

/** Joins pieces, skipping undefined ones. */
export function joined(pieces: readonly (Sql | undefined)[], separator: string): Sql {
  const present = pieces.filter((piece) => piece !== undefined);
  return new Sql(
    present.map(({ text }) => text).join(separator),
    present.flatMap(({ values }) => values),
  );
}

/** Returns the rows of a statement. `numeric` and `bigint` arrive as strings. */
export function rowsOfSql<Row>(handle: Handle, { text, values }: Sql): Promise<Row[]> {
  return rowsOf<Row>(handle, text, [...values] as Knex.RawBinding[]);
}
