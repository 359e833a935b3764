import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type BroadcastBodyStore, createBroadcastBodyStore } from '../../../../db/broadcast/body-store.ts';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { createLoggedBodyStore, type LoggedBodyStore } from '../../../../db/ledger/logged-body-store.ts';
import { newGenerationId, newUuid } from '../../../../domain/ids.ts';
import type { LoggedBody } from '../../../../domain/ledger/logged-body.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { createFileObjectStore } from '../../../../platform/file-object-store.ts';
import type { ObjectStore } from '../../../../platform/object-store.ts';
import {
  type BodyLog,
  type BodyLogOptions,
  createBodyLog,
} from '../../../../services/ledger/bodies/body-log.ts';
import { readBody } from '../../../../services/ledger/bodies/read-body.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

const STARTED_AT = Date.parse('2026-01-31T23:59:59.999Z');
const DAY_MS = 86_400_000;
const OWNER = { organizationId: newUuid(), workspaceId: newUuid() };
const BODY: LoggedBody = {
  input: { messages: [{ role: 'user', content: 'the secret question' }] },
  output: { completion: 'the secret answer', reasoning: null },
  error: null,
};

let testDatabase: TestDatabase;
let database: Database;
let folder: string;
let store: LoggedBodyStore;
let objectStore: ObjectStore;
let contents: BroadcastBodyStore;
let lost: { lost: number; lostInAll: number; err: unknown }[];
const encryption = createEncryption({ currentKeyId: 'a', keys: new Map([['a', randomBytes(32)]]) });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-bodies-'));
  store = createLoggedBodyStore(database.knex);
  contents = createBroadcastBodyStore(database.knex);
  objectStore = await createFileObjectStore(folder);
});

beforeEach(() => {
  lost = [];
});

afterEach(() => {
  jest.useRealTimers();
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(folder, { recursive: true });
});

function logOn(parts: Partial<BodyLogOptions> = {}): BodyLog {
  const logger: BodyLogOptions['logger'] = {
    error: ((facts: (typeof lost)[number]) => void lost.push(facts)) as BodyLogOptions['logger']['error'],
  };
  return createBodyLog({ store, contents, objectStore, encryption, retentionMs: DAY_MS, logger, ...parts });
}

function keep(log: BodyLog, body: LoggedBody = BODY): string {
  const id = newGenerationId(STARTED_AT);
  log.keep({ id, ...OWNER }, () => body);
  return id;
}

const readAs = (scope: Parameters<typeof readBody>[1], id: string): Promise<LoggedBody | null> =>
  readBody({ store, objectStore, encryption }, scope, id);
const read = (id: string): Promise<LoggedBody | null> => readAs(OWNER, id);

async function objectOf(id: string): Promise<string> {
  const opened = await objectStore.open(`logged/${OWNER.workspaceId}/2026-01-31/${id}`);
  return text(opened!.body);
}

/** Puts like the real one, but for those that the test answers for. */
function objectStoreThat(put: (key: string) => Promise<never> | undefined): Pick<ObjectStore, 'put'> {
  return { put: (key, body, options) => put(key) ?? objectStore.put(key, body, options) };
}

describe('a logged body', () => {
  test('reads as it was for its workspace and its organization only', async () => {
    const log = logOn();
    const id = keep(log);
    await log.close();
    expect(await read(id)).toEqual(BODY);
    expect(await readAs({ organizationId: OWNER.organizationId }, id)).toEqual(BODY);
    expect(await readAs({ ...OWNER, workspaceId: newUuid() }, id)).toBeNull();
    expect(await readAs({ organizationId: newUuid() }, id)).toBeNull();
    expect(await read(newGenerationId(STARTED_AT))).toBeNull();
    expect(lost).toEqual([]);
  });

  test('lies encrypted in the object store and opens for no other generation', async () => {
    const log = logOn();
    const [id, other] = [keep(log), keep(log)];
    await log.close();
    const sealed = await objectOf(id);
    expect(sealed).toMatch(/^v1\.a\./);
    for (const encoding of ['utf8', 'base64url'] as const) {
      const bytes = sealed.split('.').map((part) => Buffer.from(part, encoding).toString('latin1'));
      expect(bytes.join()).not.toContain('secret');
    }
    await database
      .knex('logged_bodies')
      .where({ generation_id: other })
      .update({
        object_key: `logged/${OWNER.workspaceId}/2026-01-31/${id}`,
      });
    await expect(read(other)).rejects.toMatchObject({ reason: 'not_authentic' });
  });

  test('takes less than 20,000 bytes for a megabyte of repeated text', async () => {
    const log = logOn();
    const id = keep(log, { ...BODY, output: { completion: 'again and '.repeat(100_000), reasoning: null } });
    await log.close();
    expect((await objectOf(id)).length).toBeLessThan(20_000);
  });

  test('has no media in the middle of its text', async () => {
    const log = logOn();
    const completion = '![a](data:image/png;base64,iVBORw0KGgo=)';
    const id = keep(log, { ...BODY, output: { completion, reasoning: null } });
    await log.close();
    expect((await read(id))?.output.completion).toBe('![a]([image/png removed])');
  });

  test('reads as null once its retention is over', async () => {
    const log = logOn({ retentionMs: 0 });
    const id = keep(log);
    await log.close();
    expect(await objectOf(id)).not.toBe('');
    expect(await read(id)).toBeNull();
  });

  test('remains readable like all others of a burst of 200', async () => {
    const log = logOn();
    const ids = Array.from({ length: 200 }, () => keep(log));
    await log.close();
    for (const id of ids) expect(await read(id)).toEqual(BODY);
  });
});

describe('a body that cannot be kept', () => {
  test('counts as lost when the object store refuses it, and others are kept', async () => {
    const refused: string[] = [];
    const log = logOn({
      objectStore: objectStoreThat((key) =>
        refused.some((id) => key.endsWith(id)) ? Promise.reject(new Error('refused')) : undefined,
      ),
    });
    const ids = Array.from({ length: 20 }, () => keep(log));
    refused.push(...ids.slice(0, 12));
    await log.close();
    expect(lost).toMatchObject([{ lost: 12, lostInAll: 12, err: new Error('refused') }]);
    expect(await read(ids[0]!)).toBeNull();
    expect(await read(ids[19]!)).toEqual(BODY);
  });

  test('leaves no object behind when Postgres is away', async () => {
    const log = logOn({ store: { insert: () => Promise.reject(new Error('away')) } });
    const id = keep(log);
    await log.close();
    expect(lost).toMatchObject([{ lost: 1 }]);
    expect(await objectStore.open(`logged/${OWNER.workspaceId}/2026-01-31/${id}`)).toBeNull();
  });

  test('counts as lost when it cannot be serialized, and the next is kept', async () => {
    const log = logOn();
    const circular: { self?: unknown } = {};
    circular.self = circular;
    keep(log, { ...BODY, input: { messages: [circular] } });
    const id = keep(log);
    await log.close();
    expect(lost).toMatchObject([{ lost: 1 }]);
    expect(await read(id)).toEqual(BODY);
  });

  test('counts as lost when 1,000 others wait for a silent object store', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
    const log = logOn({ store: { insert: async () => undefined }, objectStore: silent() });
    const compose = jest.fn(() => BODY);
    for (let i = 0; i < 1_100; i += 1) log.keep({ id: newGenerationId(STARTED_AT), ...OWNER }, compose);
    const closed = log.close();
    await jest.advanceTimersByTimeAsync(10_000);
    await closed;
    expect(lost.at(-1)).toMatchObject({ lostInAll: 1_100 });
    expect(compose).toHaveBeenCalledTimes(1_000);
  });

  test('counts as lost when two large bodies wait already', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
    const log = logOn({ store: { insert: () => new Promise(() => {}) }, objectStore: silent() });
    const large = { ...BODY, output: { completion: 'x'.repeat(15 * 1024 ** 2), reasoning: null } };
    for (let i = 0; i < 3; i += 1) keep(log, large);
    await rendered();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(lost).toMatchObject([{ lost: 1, err: { name: 'QueueFullError' } }]);
    const closed = log.close();
    await jest.advanceTimersByTimeAsync(10_000);
    await closed;
    expect(lost.at(-1)).toMatchObject({ lostInAll: 3 });
  });

  test('counts as lost when it comes after close', async () => {
    const log = logOn();
    await log.close();
    keep(log);
    await log.close();
    expect(lost).toMatchObject([{ lost: 1 }]);
  });
});

test('a reader of a silent object store gets "unavailable", and no stream stays open', async () => {
  const log = logOn();
  const id = keep(log);
  await log.close();
  const opened = await objectStore.open(`logged/${OWNER.workspaceId}/2026-01-31/${id}`);
  const opening = Promise.withResolvers<typeof opened>();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
  const open = async (): Promise<typeof opened> => {
    void jest.advanceTimersByTimeAsync(15_000);
    return opening.promise;
  };
  const reading = readBody({ store, objectStore: { open }, encryption }, OWNER, id);
  await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
  opening.resolve(opened);
  await once(opened!.body, 'close');
});

test('a body that a silent object store holds is given up after 30 seconds', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let puts = 0;
  const put = async (): Promise<never> => {
    puts += 1;
    (puts === 1 ? first : second).resolve();
    return new Promise(() => {});
  };
  const log = logOn({ store: { insert: async () => undefined }, objectStore: { put } });
  keep(log);
  await first.promise;
  keep(log);
  await rendered();
  expect(puts).toBe(1);
  await jest.advanceTimersByTimeAsync(30_000);
  await second.promise;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(lost).toMatchObject([{ lost: 1, lostInAll: 1 }]);
  const closed = log.close();
  await jest.advanceTimersByTimeAsync(10_000);
  await closed;
});

function silent(): Pick<ObjectStore, 'put'> {
  return { put: () => new Promise(() => {}) };
}

/** Bodies are rendered one in each turn. */
async function rendered(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
