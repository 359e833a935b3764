import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Database, type DatabaseOptions } from '../support/open-database.ts';
import { createListener } from '../../db/postgres/listener.ts';
import { isOutage } from '../../db/postgres/outage.ts';
import { uncheckedRowsOf } from '../support/knex-bridge.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const STATEMENT_TIMEOUT_MS = 500;

let testDatabase: TestDatabase;
let direct: pg.Client;
let proxy: TcpProxy;
const opened: Database[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await startTcpProxy(testDatabase.url);
  direct = new pg.Client({ connectionString: testDatabase.url });
  await direct.connect();
});

afterEach(async () => {
  await proxy.restore();
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

afterAll(async () => {
  await direct.end();
  await proxy.close();
  await testDatabase.drop();
});

/** A pool whose way to Postgres goes through the proxy. */
function open(poolMax: number, url = testDatabase.url): Database['knex'] {
  return opens({ url, poolMax, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
}

/** The same, with all the patience in the world. */
function openUnlimited(): Database['knex'] {
  return opens({ url: testDatabase.url, poolMax: 1 });
}

function opens(options: DatabaseOptions): Database['knex'] {
  const database = createDatabase({ ...options, url: proxy.through(options.url) });
  opened.push(database);
  return database.knex;
}

async function pidOf(knex: Database['knex']): Promise<number> {
  const [row] = await uncheckedRowsOf<{ pid: number }>(knex, 'select pg_backend_pid() pid', []);
  return row!.pid;
}

function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(work).then(
    () => 'none',
    (error: unknown) => error,
  );
}

/** As many connections as the pool holds, all idle in the end. */
async function fill(knex: Database['knex'], count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => knex.raw('select pg_sleep(0.1)')));
}

describe('a Postgres that falls silent', () => {
  test('causes a read timeout, and new connections replace the old ones afterwards', async () => {
    const knex = open(3);
    await fill(knex, 3);
    const before = await pidOf(knex);
    proxy.cut('silence');
    const failure = await failureOf(pidOf(knex));
    expect(failure).toMatchObject({ message: expect.stringContaining('Query read timeout') });
    expect(isOutage(failure)).toBe(true);
    await proxy.restore();
    // Each of the three old ones would have an answer for somebody else in it.
    const pids = await Promise.all([pidOf(knex), pidOf(knex), pidOf(knex)]);
    expect(pids).not.toContain(before);
  });

  test('ends a transaction without waiting for its rollback', async () => {
    const knex = open(1);
    await knex.raw('select 1');
    const failure = await failureOf(
      knex.transaction(async (transaction) => {
        await transaction.raw('select 1');
        proxy.cut('silence');
        await transaction.raw('select 2');
      }),
    );
    expect(isOutage(failure)).toBe(true);
    expect(String(failure)).toContain('Query read timeout');
  });

  test('releases the locks of a process that vanished', async () => {
    const knex = open(1);
    await knex('providers').insert({ slug: 'locked', name: 'Locked', adapter: 'local' });
    const touch = `update providers set name = 'Touched' where slug = 'locked'`;
    const gone = knex.transaction(async (transaction) => {
      await transaction.raw(touch);
      proxy.cut('silence');
      await transaction.raw('select 1');
    });
    expect(isOutage(await failureOf(gone))).toBe(true);
    // Still cut off: Postgres itself lets go.
    expect((await direct.query(touch)).rowCount).toBe(1);
  });

  test('causes an outage error while a connection is being made', async () => {
    proxy.cut('silence');
    expect(isOutage(await failureOf(open(1).raw('select 1')))).toBe(true);
  });

  test('makes the listener report a loss, and receive notices again afterwards', async () => {
    const heard: string[] = [];
    const listener = createListener({
      url: proxy.through(testDatabase.url),
      channels: ['outage'],
      retryMs: 100,
      onNotice: (_channel, payload) => heard.push(payload),
      onConnected: () => heard.push('connected'),
      onLost: () => heard.push('lost'),
    });
    const until = (word: string): Promise<true> =>
      eventually(word, async () => heard.at(-1) === word || undefined);
    await until('connected');
    proxy.cut('silence');
    await until('lost');
    expect(listener.isConnected()).toBe(false);
    await proxy.restore();
    await until('connected');
    await direct.query(`notify outage, 'a notice'`);
    await until('a notice');
    await listener.close();
  });
});

describe('a statement that takes too long', () => {
  test('fails with 57014, and its connection is used again', async () => {
    const knex = open(1);
    const before = await pidOf(knex);
    const failure = await failureOf(knex.raw('select pg_sleep(60)'));
    expect(failure).toMatchObject({ code: '57014' });
    expect(isOutage(failure)).toBe(true);
    expect(await pidOf(knex)).toBe(before);
  });

  test('has no time limit when none is set, as in migrations', async () => {
    const shown = await uncheckedRowsOf(openUnlimited(), 'show statement_timeout', []);
    expect(shown).toEqual([{ statement_timeout: '0' }]);
  });

  test('fails at the client when a pooler drops the parameters', async () => {
    const url = `${testDatabase.url}?statement_timeout=&idle_in_transaction_session_timeout=`;
    const knex = open(1, url);
    expect(await uncheckedRowsOf(knex, 'show statement_timeout', [])).toEqual([{ statement_timeout: '0' }]);
    expect(isOutage(await failureOf(knex.raw('select pg_sleep(60)')))).toBe(true);
  });
});

describe('isOutage', () => {
  test('recognizes ECONNREFUSED when nothing listens', async () => {
    proxy.cut('refusal');
    expect(await outageCode(open(1).raw('select 1'))).toBe('ECONNREFUSED');
  });

  test('recognizes ECONNRESET when the connection breaks during a statement', async () => {
    const answer = outageCode(openUnlimited().raw('select pg_sleep(61)'));
    await forBackendAt('select pg_sleep(61)', 'select pid');
    proxy.cut('refusal');
    expect(await answer).toBe('ECONNRESET');
  });

  test('recognizes 57P01 when Postgres shuts down', async () => {
    const answer = outageCode(openUnlimited().raw('select pg_sleep(62)'));
    await forBackendAt('select pg_sleep(62)', 'select pg_terminate_backend(pid)');
    expect(await answer).toBe('57P01');
  });

  test('recognizes 53300 when Postgres has no connection left', async () => {
    const role = `crowded_${process.pid}`;
    await direct.query(`create role ${role} login password 'x' connection limit 0`);
    const url = new URL(testDatabase.url);
    Object.assign(url, { username: role, password: 'x' });
    expect(await outageCode(open(1, url.href).raw('select 1'))).toBe('53300');
    await direct.query(`drop role ${role}`);
  });

  test('returns false when Postgres rejects the statement, and for other errors', async () => {
    const knex = open(1);
    for (const sql of ['select nonsense', 'not even sql', 'select 1/0', `select 'x'::int`]) {
      expect(isOutage(await failureOf(knex.raw(sql)))).toBe(false);
    }
    expect([new Error('a bug'), { code: 17 }, null, 'timeout expired'].map(isOutage)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  async function outageCode(work: PromiseLike<unknown>): Promise<unknown> {
    const failure = await failureOf(work);
    expect(isOutage(failure)).toBe(true);
    return (failure as { code?: unknown }).code;
  }

  function forBackendAt(statement: string, question: string): Promise<true> {
    return eventually(statement, async () => {
      const { rowCount } = await direct.query(
        `${question} from pg_stat_activity where state = 'active' and query = $1`,
        [statement],
      );
      return rowCount === 0 ? undefined : true;
    });
  }
});
