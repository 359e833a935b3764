import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { createDatabase, type Database, type DatabaseOptions } from '../../support/open-database.ts';
import { DRIVER_MESSAGES, isPostgresDown, isOutage } from '../../../db/postgres/outage.ts';
import { createOutageDetector, type OutageDetector } from '../../../db/postgres/outage-detector.ts';
import { createSession, type SessionOptions } from '../../../db/postgres/session.ts';
import { run } from '../../../db/postgres/statement.ts';
import { eventually } from '../../support/eventually.ts';
import { type OwnPostgres, startOwnPostgres } from '../../support/own-postgres.ts';

let postgres: OwnPostgres;
const databases: Database[] = [];
const sessions: pg.Client[] = [];

beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterEach(async () => {
  postgres.resume();
  await postgres.restart();
  for (const session of sessions.splice(0)) await session.end().catch(() => {});
  for (const database of databases.splice(0)) await database.close();
});
afterAll(() => postgres.close());

async function connect(options: Partial<SessionOptions> = {}): Promise<pg.Client> {
  const session = createSession({ url: postgres.url, applicationName: 'test', ...options });
  sessions.push(session);
  await session.connect();
  return session;
}

function open(limits: Partial<DatabaseOptions> = { statementTimeoutMs: 500 }): Database['knex'] {
  const database = createDatabase({ url: postgres.url, poolMax: 1, ...limits });
  databases.push(database);
  return database.knex;
}

function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(work).then(
    () => 'none',
    (error: unknown) => error,
  );
}

/** Returns the server's process of a connection. The server takes its death for a crash. */
async function backendOf(session: pg.Client): Promise<number> {
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() pid');
  return rows[0]!.pid;
}

/** Begins a statement that takes a minute, and returns its failure once Postgres works on it. */
async function begin(session: pg.Client, beside: pg.Client): Promise<{ failure: Promise<unknown> }> {
  const pid = await backendOf(session);
  const failure = failureOf(session.query('select pg_sleep(60)'));
  await eventually('the statement', async () => {
    const sleeping = `select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`;
    return (await beside.query(sleeping, [pid])).rowCount === 1 ? true : undefined;
  });
  return { failure };
}

const seen = new Set<string>();

/** Expects an error of the driver that has no code and is known as an outage all the same. */
function expectKnown(error: unknown, message: string): void {
  expect(error).toBeInstanceOf(Error);
  expect((error as { code?: unknown }).code).toBeUndefined();
  expect((error as Error).message.endsWith(message)).toBe(true);
  expect(isOutage(error)).toBe(true);
  seen.add(message);
}

describe('an error without a code', () => {
  test('counts as an outage when a paused Postgres leaves a statement unanswered', async () => {
    const knex = open();
    await knex.raw('select 1');
    await postgres.pause();
    expectKnown(await failureOf(knex.raw('select 2')), 'Query read timeout');
  });

  test('counts as an outage when a paused Postgres accepts no connection', async () => {
    await postgres.pause();
    expectKnown(await failureOf(connect({ connectMs: 500 })), 'timeout expired');
  });

  test('counts as an outage when a transaction continues after an unanswered statement', async () => {
    const knex = open();
    const failure = knex.transaction(async (transaction) => {
      await run(transaction, 'select 1');
      await postgres.pause();
      await run(transaction, 'select 2').catch(() => {});
      await run(transaction, 'select 3');
    });
    expectKnown(await failureOf(failure), 'Client was closed and is not queryable');
  });

  test('counts as an outage when no connection becomes free', async () => {
    const knex = open({});
    await knex.transaction(async () => {
      expectKnown(await failureOf(run(knex, 'select 1')), 'timeout exceeded when trying to connect');
    });
  });

  test('counts as an outage when this process closes a waiting connection', async () => {
    const session = await connect();
    await postgres.pause();
    const failure = failureOf(session.query('select 1'));
    void session.end();
    expectKnown(await failure, 'Connection terminated');
  });

  test('counts as an outage when Postgres crashes during a statement', async () => {
    const session = await connect();
    const pid = await backendOf(session);
    const { failure } = await begin(session, await connect());
    process.kill(pid, 'SIGKILL');
    expectKnown(await failure, 'Connection terminated unexpectedly');
  });

  test('counts as an outage when Postgres crashed between two statements', async () => {
    const session = await connect();
    const pid = await backendOf(session);
    const lost = new Promise((resolve) => session.once('end', resolve));
    process.kill(pid, 'SIGKILL');
    await lost;
    const failure = await failureOf(session.query('select 1'));
    expectKnown(failure, 'Client has encountered a connection error and is not queryable');
  });

  test('covers every driver message that the code lists', () => {
    expect([...seen].toSorted()).toEqual(DRIVER_MESSAGES.toSorted());
  });
});

describe('an error that has a code of Postgres or of the system', () => {
  test('counts as an outage when an operator stops Postgres during a statement', async () => {
    const session = await connect();
    const { failure } = await begin(session, await connect());
    await postgres.stop();
    expect(await failure).toMatchObject({ code: '57P01' });
    expect(isOutage(await failure)).toBe(true);
  });

  test('counts as an outage when Postgres shuts down, and when nothing listens', async () => {
    await postgres.stop();
    await eventually('a closed port', async () => {
      const failure = await failureOf(connect());
      expect(isOutage(failure)).toBe(true);
      return (failure as { code?: unknown }).code === 'ECONNREFUSED' || undefined;
    });
  });
});

describe('the outage detector', () => {
  let detector: OutageDetector;
  let messages: unknown[];
  beforeAll(() => {
    const log = (_facts: unknown, message?: string): unknown => messages.push(message ?? _facts);
    detector = createOutageDetector({ url: postgres.url, logger: { warn: log, info: log } });
  });
  afterAll(() => detector.close());

  test.each(['stop', 'kill', 'pause'] as const)(
    'reports an outage after "%s", and later the recovery',
    async (outage) => {
      messages = [];
      const knex = open();
      const ask = (): Promise<unknown> => detector.run(async () => knex.raw('select 1'));
      await ask();
      await postgres[outage]();
      await eventually('the outage', async () => isPostgresDown(await failureOf(ask())) || undefined);
      postgres.resume();
      await postgres.restart();
      await eventually('an answer', () => ask().catch(() => undefined));
      expect(messages).toEqual(['Postgres cannot be reached', 'Postgres is reached again']);
    },
  );
});
