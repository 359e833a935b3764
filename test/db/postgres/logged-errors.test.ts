import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { run } from '../../../db/postgres/statement.ts';
import { AppError } from '../../../domain/errors.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const PROMPT = 'a prompt that nobody may read';

let testDatabase: TestDatabase;
let database: Database;
let client: pg.Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  await client.query('create table prompts (id text primary key, prompt jsonb not null check (id <> $$x$$))');
  await client.query(`create function explode(text) returns void language plpgsql as
    $$ begin execute 'select 1 / 0 as n -- ' || $1; end $$`);
  await insertWithPg(PROMPT, '{}');
});

afterAll(async () => {
  await client.end();
  await database.close();
  await testDatabase.drop();
});

const INSERT = 'insert into prompts (id, prompt) values';

async function insertWithPg(id: string, prompt: string | null): Promise<void> {
  await client.query(`${INSERT} ($1, $2::jsonb)`, [id, prompt]);
}

async function insertOverPool(id: string, prompt: string | null): Promise<void> {
  await run(database.knex, `${INSERT} (:id, :prompt::jsonb)`, { id, prompt });
}

async function failureOf(work: () => PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(work()).then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
}

/** The line that the logger writes of an error, alone and as the cause of others. */
function logged(error: unknown): string {
  let raw = '';
  const logger = createLogger({
    level: 'info',
    name: 'test',
    destination: { write: (line) => void (raw += line) },
  });
  logger.error({ err: error }, 'it failed');
  const wrapped = new Error('outer', { cause: new AppError('internal', { cause: error }) });
  logger.child({ last: { failure: error } }).error({ err: wrapped, failures: [{ error }] }, 'it failed');
  return raw;
}

const JSON_OF_NO_USE = `{"text": "${PROMPT}", "nothing": "\\u0000"}`;

describe.each([
  ['a session', insertWithPg],
  ['a pool', insertOverPool],
])('the log of a failed statement of %s', (_driver, insert) => {
  test.each<[string, string, string | null, string]>([
    ['a duplicate key', PROMPT, '{}', '23505'],
    ['a row that breaks not null', `${PROMPT}, too`, null, '23502'],
    ['a row that breaks a check', 'x', `{"text": "${PROMPT}"}`, '23514'],
    ['JSON that Postgres cannot store', 'y', JSON_OF_NO_USE, '22P05'],
  ])("contains the error's code and no values of the row: %s", async (_what, id, prompt, code) => {
    const error = await failureOf(() => insert(id, prompt));
    expect(error).toMatchObject({ code });
    const line = logged(error);
    expect(line).not.toContain(PROMPT);
    expect(line).toContain(`"code":"${code}"`);
  });
});

describe('the log of a failure', () => {
  test('contains no parameter of a statement inside a function', async () => {
    const error = await failureOf(() => client.query('select explode($1)', [PROMPT]));
    expect(error).toMatchObject({ code: '22012', where: expect.stringContaining(PROMPT) });
    expect(logged(error)).not.toContain(PROMPT);
  });
});
