import { expect, test } from '@jest/globals';
import { oneRow } from '../../../db/postgres/results.ts';
import { int4 } from '../../../db/postgres/shape.ts';
import { sql } from '../../../db/postgres/sql-text.ts';
import { prepared, type Runner, type Statement, tables, withValues } from '../../../db/postgres/statement.ts';

const FIELDS = [{ name: 'n', dataTypeID: 23 }];
const EMPTY = { query: async () => ({ rows: [], rowCount: 0, fields: FIELDS }) } as unknown as Runner;

const TEXT = `select n
  from things where n = `;

test.each<[string, Statement, string]>([
  ['text', `${TEXT}:n`, ':n'],
  ['pieces', sql`select n from things where n = ${5}`, '?'],
  ['a prepared statement', prepared('find-thing', `${TEXT}:n`), '$1'],
  ['a statement with its values', withValues(prepared('find-things', `${TEXT}:n`), [5]), '$1'],
  ['a built query', tables('things').select('n').where({ n: 5 }), 'select "n" from "things" where "n" = $1'],
])('a statement given as %s without its row is named in the error', async (_, statement, value) => {
  const named = value.startsWith('select') ? value : `select n from things where n = ${value}`;
  await expect(oneRow(EMPTY, { n: int4 }, statement, { n: 5 })).rejects.toThrow(`returned none: ${named}`);
});

test('a long statement is cut in the error', async () => {
  const statement = `select n from things where ${'n = 1 or '.repeat(20)}false`;
  const error = await oneRow(EMPTY, { n: int4 }, statement).catch((thrown: unknown) => thrown);
  expect((error as Error).message.endsWith(`: ${statement.slice(0, 80)}`)).toBe(true);
});
