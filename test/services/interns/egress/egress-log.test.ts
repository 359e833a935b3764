import { expect, test } from '@jest/globals';
import type { EgressEnd, EgressEntry } from '../../../../db/interns/egress-log-store.ts';
import { createEgressLog } from '../../../../services/interns/egress/egress-log.ts';
import { eventually } from '../../../support/eventually.ts';

const entry = (host: string): EgressEntry => ({
  internId: 'i',
  keyHash: 'k',
  method: 'GET',
  host,
  names: ['n'],
});

/** A store whose first insert waits to be let go. */
function createScene() {
  const groups: string[][] = [];
  const ends: EgressEnd[][] = [];
  const failures: Error[] = [];
  const { promise: first, resolve: letGo } = Promise.withResolvers<void>();
  const log = createEgressLog({
    store: {
      async insert(entries) {
        groups.push(entries.map(({ host }) => host));
        if (groups.length === 1) await first;
        if (entries.some(({ host }) => host === 'broken')) throw new Error('broken');
        return entries.map(({ host }) => (host === 'gone' ? null : `id of ${host}`));
      },
      async complete(group) {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        ends.push([...group]);
      },
    },
    logger: { warn: () => {} } as never,
  });
  return { log, groups, ends, failures, letGo };
}

test('requests that come while a statement runs share the next one', async () => {
  const { log, groups, letGo } = createScene();
  const first = log.begin(entry('a'));
  await eventually('the first statement', async () => groups[0]);
  const begun = [first, ...['b', 'c'].map((host) => log.begin(entry(host)))];
  letGo();
  expect(await Promise.all(begun)).toEqual(['id of a', 'id of b', 'id of c']);
  expect(groups).toEqual([['a'], ['b', 'c']]);
  expect(await log.begin(entry('d'))).toBe('id of d');
});

test('requests that come together share one statement', async () => {
  const { log, groups, letGo } = createScene();
  letGo();
  await Promise.all(['a', 'b', 'c'].map((host) => log.begin(entry(host))));
  expect(groups).toEqual([['a', 'b', 'c']]);
});

test('a failed statement fails only its own requests', async () => {
  const { log, groups, letGo } = createScene();
  const first = log.begin(entry('a'));
  await eventually('the first statement', async () => groups[0]);
  const second = log.begin(entry('broken'));
  letGo();
  await expect(second).rejects.toThrow('broken');
  expect(await first).toBe('id of a');
  expect(await log.begin(entry('b'))).toBe('id of b');
});

test('a request of a deleted intern fails with not_found', async () => {
  const { log, letGo } = createScene();
  letGo();
  await expect(log.begin(entry('gone'))).rejects.toMatchObject({ code: 'not_found' });
});

test('a flush ends despite new ends, and a second flush writes those', async () => {
  const written: string[] = [];
  const end = (id: string) => ({ internId: 'i', id, status: 200, bytes: 1 });
  const log = createEgressLog({
    store: {
      insert: async () => [],
      async complete(group) {
        written.push(...group.map(({ id }) => id));
        if (written.length < 3) log.end(end(`after ${written.length}`));
      },
    },
    logger: { warn: () => {} } as never,
  });
  log.end(end('first'));
  await Promise.all([log.flush(), log.flush()]);
  expect(written).toEqual(['first', 'after 1']);
  await eventually('the last one', async () => written[2]);
});

test('ends are written in one statement, and after an empty flush too', async () => {
  const { log, ends } = createScene();
  await log.flush();
  log.end({ internId: 'i', id: '1', status: 200, bytes: 1 });
  log.end({ internId: 'i', id: '2', status: null, bytes: 0 });
  await eventually('the ends', async () => ends[0]);
  expect(ends).toEqual([
    [
      { internId: 'i', id: '1', status: 200, bytes: 1 },
      { internId: 'i', id: '2', status: null, bytes: 0 },
    ],
  ]);
});

test('ends are written again after a failed statement', async () => {
  const { log, ends, failures } = createScene();
  failures.push(new Error('away'));
  log.end({ internId: 'i', id: '1', status: 200, bytes: 1 });
  await log.flush();
  log.end({ internId: 'i', id: '2', status: 200, bytes: 2 });
  await log.close();
  expect(ends.flat().map(({ id }) => id)).toEqual(['1', '2']);
});
