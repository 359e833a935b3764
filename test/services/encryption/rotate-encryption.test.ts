import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createSealedColumnStore } from '../../../db/sealed-column-store.ts';
import { createEncryption, EncryptionError } from '../../../platform/encryption.ts';
import { rotateEncryption } from '../../../services/encryption/rotate-encryption.ts';
import type { RotatedKind } from '../../../services/encryption/rotation-tally.ts';
import { SEALED_PLACES } from '../../../services/encryption/sealed-places.ts';
import { openConfig, sealConfig } from '../../../services/broadcast/sealed-config.ts';
import { sealBody } from '../../../services/ledger/bodies/sealed-body.ts';
import { BOTH, NEW_ONLY, OLD_ONLY, openSealedScene, type SealedScene } from './sealed-scene.ts';
import { watched } from '../../support/handles.ts';

let scene: SealedScene;
beforeEach(async () => {
  scene = await openSealedScene();
});
afterEach(() => scene.end());

const PLACE = SEALED_PLACES.find(({ table }) => table === 'webhook_secrets')!;
const kindOf = (kinds: RotatedKind[], kind: string): RotatedKind =>
  kinds.find((rotated) => rotated.kind === kind)!;
const counted = ({ before, after }: RotatedKind): object[] => [
  Object.fromEntries(before),
  Object.fromEntries(after),
];

/** Every sealed value as it lies in the database and in the object store. */
async function stored(): Promise<unknown[]> {
  const values: unknown[] = [await scene.objectOf(scene.bodyId)];
  for (const { table, column } of SEALED_PLACES) {
    values.push(await scene.database.knex(table).select(column).orderBy(column));
  }
  return values;
}

describe('a rotation', () => {
  test('brings every kind of value under the new key with the same content', async () => {
    const before = await scene.openAll(OLD_ONLY);
    const kinds = await rotateEncryption(scene.deps());
    expect(kinds.filter(({ isEnding }) => !isEnding).map(counted)).toEqual(
      Array.from({ length: 10 }, () => [{ old: 1 }, { new: 1 }]),
    );
    expect(await scene.openAll(NEW_ONLY)).toEqual(before);
    await expect(scene.openAll(OLD_ONLY)).rejects.toThrow('No encryption key with id new');
  });

  test('only counts broadcast bodies, which expire by themselves', async () => {
    const kinds = await rotateEncryption(scene.deps());
    const bodies = kinds.find(({ kind }) => kind.startsWith('broadcast bodies'))!;
    expect(counted(bodies)).toEqual([{ old: 1 }, { old: 1 }]);
    expect(bodies).toMatchObject({ rewrapped: 0, isEnding: true });
  });

  test('changes nothing when it is repeated', async () => {
    await rotateEncryption(scene.deps());
    const values = await stored();
    const kinds = await rotateEncryption(scene.deps());
    expect(kinds.map(({ rewrapped }) => rewrapped)).toEqual(kinds.map(() => 0));
    expect(await stored()).toEqual(values);
  });

  test('counts in a dry run what it would do, and changes nothing', async () => {
    const values = await stored();
    const dry = await rotateEncryption(scene.deps({ isDryRun: true }));
    expect(await stored()).toEqual(values);
    const real = await rotateEncryption(scene.deps());
    const numbers = (kinds: RotatedKind[]) =>
      kinds.map(({ kind, rewrapped, after }) => {
        return { kind, rewrapped, new: after.get('new') ?? 0, old: after.get('old') ?? 0 };
      });
    expect(numbers(dry)).toEqual(numbers(real));
  });

  test('leaves every value readable when it is killed, and the next one completes it', async () => {
    await scene.addSecrets(450);
    const said = await scene.openAll(OLD_ONLY);
    const killed = rotateEncryption(
      scene.deps({
        onProgress: (kind, read) => {
          if (kind === PLACE.kind && read >= 200) throw new Error('killed');
        },
      }),
    );
    await expect(killed).rejects.toThrow('killed');
    const counts = await createSealedColumnStore(scene.database.knex, PLACE).countByKeyId();
    expect(Object.fromEntries(counts)).toEqual({ new: 200, old: 251 });
    expect(await scene.openAll(BOTH)).toEqual(said);
    const secrets = kindOf(await rotateEncryption(scene.deps()), PLACE.kind);
    expect(secrets.rewrapped).toBe(251);
    expect(await scene.openAll(NEW_ONLY)).toEqual(said);
  });

  test('loses no change beside readers and writers, and keeps values readable', async () => {
    await scene.addSecrets(450);
    const { knex } = scene.database;
    const writing = createEncryption(BOTH);
    const id = scene.destinationId;
    let isOver = false;
    let written = '';
    const write = async (): Promise<void> => {
      for (let version = 0; !isOver; version += 1) {
        written = `https://app.example/${version}`;
        const { configSealed } = sealConfig(writing, id, { type: 'webhook', config: { url: written } });
        await knex('observability_destinations').where({ id }).update({ config_sealed: configSealed });
      }
    };
    const read = async (): Promise<void> => {
      while (!isOver) await scene.openAll(BOTH);
    };
    const [kinds] = await Promise.all([
      rotateEncryption(scene.deps()).finally(() => (isOver = true)),
      write(),
      read(),
    ]);
    const [row] = await knex('observability_destinations').where({ id }).select('config_sealed');
    const opened = openConfig(createEncryption(NEW_ONLY), {
      id,
      type: 'webhook',
      configSealed: row.config_sealed,
    });
    expect(opened.config).toEqual({ url: written });
    expect(kinds.every(({ left }) => left.size === 0)).toBe(true);
  });

  test('does not replace a value changed since it was read', async () => {
    const { knex } = scene.database;
    const store = createSealedColumnStore(knex, PLACE);
    const [row] = (await store.page(undefined, 1, 'new')).rows;
    await knex('webhook_secrets').update({ sealed_secret: 'changed meanwhile' });
    expect(await store.replace(row!, 'rewrapped')).toBe(false);
    expect(await knex('webhook_secrets').pluck('sealed_secret')).toEqual(['changed meanwhile']);
  });

  test('leaves a backup readable with the key of its time', async () => {
    const { knex } = scene.database;
    const backup = await knex('webhook_secrets').select('*');
    const said = await scene.openAll(OLD_ONLY);
    await rotateEncryption(scene.deps());
    await knex('webhook_secrets').delete();
    await knex('webhook_secrets').insert(backup);
    await expect(scene.openAll(NEW_ONLY)).rejects.toThrow(EncryptionError);
    expect(await scene.openAll(BOTH)).toEqual(said);
  });
});

describe('a value that cannot be rotated', () => {
  test('stays unchanged when it does not open; all others are re-wrapped', async () => {
    const { knex } = scene.database;
    await scene.addSecrets(3);
    const ids = (await knex('webhook_secrets')
      .whereNotNull('retires_at')
      .orderBy('id')
      .pluck('id')) as string[];
    const [moved = '', altered = '', garbage = ''] = ids;
    const own = await knex('webhook_secrets').whereNull('retires_at').first('sealed_secret');
    const cut = (await knex('webhook_secrets').where({ id: altered }).first('sealed_secret')).sealed_secret;
    const broken: Record<string, string> = {
      [moved]: own.sealed_secret,
      [altered]: `${String(cut).slice(0, -8)}AAAAAAAA`,
      [garbage]: 'no sealed value',
    };
    for (const id of ids) await knex('webhook_secrets').where({ id }).update({ sealed_secret: broken[id] });
    const secrets = kindOf(await rotateEncryption(scene.deps()), PLACE.kind);
    expect(counted(secrets)).toEqual([
      { old: 3, '': 1 },
      { old: 2, new: 1, '': 1 },
    ]);
    expect([...secrets.left]).toEqual([['does_not_open', { count: 3, examples: ids }]]);
    const after = await knex('webhook_secrets').whereIn('id', ids).orderBy('id').pluck('sealed_secret');
    expect(after).toEqual(ids.map((id) => broken[id]));
  });

  test('counts under its own key when that key is not configured', async () => {
    const kinds = await rotateEncryption(scene.deps({}, NEW_ONLY));
    for (const kind of kinds) expect(counted(kind)[0]).toEqual(counted(kind)[1]);
    const lefts = kinds.filter(({ isEnding }) => !isEnding).map(({ left }) => left.get('no_key')?.count);
    expect(lefts).toEqual(lefts.map(() => 1));
    expect(await scene.openAll(OLD_ONLY)).toHaveLength(10);
  });
});

test('the pages of remembered answers are read from an index', async () => {
  const place = SEALED_PLACES.find(({ table }) => table === 'remembered_answers')!;
  const { knex } = scene.database;
  const { last } = await createSealedColumnStore(knex, place).page(undefined, 1, 'new');
  const plan: string[] = [];
  await knex.transaction(async (transaction) => {
    await transaction.raw('set local enable_seqscan = off');
    const explaining = watched(transaction, async ({ text, values }, run) => {
      const { rows } = await transaction.query({ text: `explain ${text}`, values });
      plan.push(...rows.map((row) => String(row['QUERY PLAN'])));
      return run();
    });
    await createSealedColumnStore(explaining, place).page(last, 1, 'new');
  });
  expect(plan.join('\n')).toMatch(/Index Cond: .*created_at/);
  expect(plan.join('\n')).toContain('Presorted Key: created_at');
});

describe('a logged body', () => {
  const bodies = async (change = {}): Promise<RotatedKind> =>
    kindOf(await rotateEncryption(scene.deps(change)), 'logged bodies');
  const oldBody = (id: string) => sealBody(createEncryption(OLD_ONLY), id, '{}');

  test('stays under the old key when it expires within the hour', async () => {
    const id = await scene.addBody(oldBody, 3_000_000);
    const before = await scene.objectOf(id);
    expect(counted(await bodies())).toEqual([{ old: 2 }, { old: 1, new: 1 }]);
    expect(await scene.objectOf(id)).toBe(before);
  });

  test('stays as it is when it is empty', async () => {
    const empty = await scene.addBody(() => Buffer.alloc(0));
    const { left, after } = await bodies();
    expect(left.get('does_not_open')).toEqual({ count: 1, examples: [empty] });
    expect(Object.fromEntries(after)).toEqual({ new: 1, '': 1 });
  });

  test('stays deleted when it is deleted after it was read', async () => {
    const { objectStore } = scene;
    const put: string[] = [];
    const vanishing = {
      open: async (key: string, range?: { start: number; end: number }) => {
        const opened = await objectStore.open(key, range);
        if (range === undefined) await objectStore.delete(key);
        return opened;
      },
      put: (key: string, ...rest: [never, never]) => {
        put.push(key);
        return objectStore.put(key, ...rest);
      },
    };
    expect(await bodies({ objectStore: vanishing })).toMatchObject({ rewrapped: 0 });
    expect(put).toEqual([]);
  });

  test('stays as it is when the object store fails; all others are re-wrapped', async () => {
    const lost = await scene.addBody(oldBody);
    const { objectStore } = scene;
    const open: typeof objectStore.open = (key, range) =>
      key.endsWith(lost) ? Promise.reject(new Error('away')) : objectStore.open(key, range);
    const { left, after } = await bodies({ objectStore: { open, put: objectStore.put } });
    expect(left.get('object_store')).toEqual({ count: 1, examples: [`${lost} (Error)`] });
    expect(Object.fromEntries(after)).toEqual({ new: 1 });
  });
});
