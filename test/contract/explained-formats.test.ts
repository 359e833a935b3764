import { glob } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { describeIssue } from '../../contract/issues.ts';
import { operations } from '../../contract/operations.ts';

const CONTRACT = new URL('../../contract/', import.meta.url);

/** Texts of which at least one breaks each format. */
const WRONG = ['', 'tomorrow', '\t', '-', 'ä'.repeat(3_000)];

/** A broken rule that is explained by a pattern, or not at all. */
const UNEXPLAINED = /[\\^[\]{}|]|\(\?|\/[gimsuy]*$|does not have the required form|must be a valid /;

/** Yields a value and all values inside of it, such as the schemas in a module or in another schema. */
function* schemasIn(value: unknown, seen: Set<object>): Generator<z.ZodType> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  const isSchema = value instanceof z.ZodType;
  if (isSchema) yield value;
  const inner: object = isSchema ? value._zod.def : value;
  if (value instanceof z.ZodLazy) yield* schemasIn(value._zod.innerType, seen);
  for (const one of Object.values(inner)) yield* schemasIn(one, seen);
}

/** Returns the names of the formats that a schema of texts checks. */
function formatsOf(schema: z.ZodType): string[] {
  const { format, checks = [] } = schema._zod.def as { format?: string; checks?: z.core.$ZodCheck[] };
  const named = checks.map(({ _zod }) => (_zod.def as { format?: string }).format);
  return [format, ...named].filter((one) => one !== undefined);
}

test('no broken format in the contract is explained by a pattern', async () => {
  const modules: unknown[] = [operations];
  for await (const file of glob('**/*.ts', { cwd: CONTRACT.pathname }))
    modules.push({ ...((await import(new URL(file, CONTRACT).href)) as object) });
  const formats = new Set<string>();
  const unexplained = new Set<string>();
  for (const schema of schemasIn(modules, new Set())) {
    if (schema._zod.def.type !== 'string') continue;
    for (const format of formatsOf(schema)) formats.add(format);
    const failures = WRONG.flatMap(
      (text) => schema.safeParse(text, { error: describeIssue }).error?.issues ?? [],
    );
    if (formatsOf(schema).length > 0) expect(failures).not.toEqual([]);
    for (const issue of failures) if (UNEXPLAINED.test(issue.message)) unexplained.add(JSON.stringify(issue));
  }
  expect([...unexplained]).toEqual([]);
  expect([...formats].toSorted()).toEqual(['date', 'datetime', 'regex', 'uuid']);
});

test.each<[string, z.ZodType, string]>([
  ['time', z.iso.datetime(), 'must be a date and time such as 2026-01-31T00:00:00Z'],
  [
    'time with an offset',
    z.iso.datetime({ offset: true }),
    'must be a date and time such as 2026-01-31T00:00:00Z',
  ],
  ['day', z.iso.date(), 'must be a date such as 2026-01-31'],
  ['id', z.uuid(), 'must be a UUID'],
  ['text of a form without words', z.string().regex(/^a+$/), 'does not have the required form'],
])('describeIssue explains a wrong %s without its pattern', (_what, schema, message) => {
  const { error } = schema.safeParse('tomorrow', { error: describeIssue });
  expect(error?.issues).toMatchObject([{ message }]);
});
