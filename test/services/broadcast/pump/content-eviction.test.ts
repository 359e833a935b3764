import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { BodyKey } from '../../../../db/broadcast/body-store.ts';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { LAPTOP_ENCRYPTION_KEYS, parseEncryptionKeys } from '../../../../platform/encryption-keys.ts';
import { createContentRoom } from '../../../../services/broadcast/content/content-room.ts';
import { sealContent } from '../../../../services/ledger/bodies/sealed-content.ts';
import {
  type ContentOrder,
  createContentSource,
} from '../../../../services/broadcast/pump/content-source.ts';
import { broadcastEvent, openRules } from '../../../domain/broadcast/broadcast-event.ts';

const encryption = createEncryption(parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS));
const CONTENT: BroadcastContent = { input: [], output: [], outputText: 'the answer' };
const LARGE = 4 * 1024 ** 2;

const entryOf = (generationId: string) => {
  const event = broadcastEvent({ content: null, generationId, settledAt: new Date(0) });
  return {
    shard: 0,
    pos: 1n,
    movedAt: '2026-01-01 00:00:00+00',
    loggedAtMs: 0,
    event: { ...event, facts: { ...event.facts, hasContent: true } },
  };
};

const ORDER: ContentOrder = {
  organizationId: 'organization',
  spanRules: { rules: { ...openRules(), privacyMode: false }, select: () => 'sent' },
  maxBytes: LARGE,
  waitMs: 0,
  pollMs: 1,
  lateMs: 0,
  signal: new AbortController().signal,
  report: () => {},
};

test('content evicted by another pump during a size query is read again', async () => {
  let beforeSizes = async (): Promise<void> => {};
  const store = {
    async sizes(keys: readonly BodyKey[]) {
      const run = beforeSizes;
      beforeSizes = async () => {};
      await run();
      return new Map(
        keys.map(({ generationId: id }) => [id, id.startsWith('large') ? LARGE : 10] as [string, number]),
      );
    },
    async read(keys: readonly BodyKey[]) {
      const sealed = (id: string): string =>
        sealContent(encryption, 'broadcast_bodies', id, gzipSync(JSON.stringify(CONTENT)));
      return new Map(keys.map(({ generationId: id }) => [id, Buffer.from(sealed(id), 'latin1')]));
    },
  };
  const source = createContentSource({ store, encryption, room: createContentRoom(), now: Date.now });
  const load = async (...ids: string[]) => {
    const part = (await source.load(ids.map(entryOf), ORDER))!;
    part.release();
    return part.entries.map(({ event }) => event?.content);
  };
  await load('first');
  beforeSizes = async () => {
    for (let n = 0; n < 5; n += 1) await load(`large-${n}`);
  };
  expect(await load('first', 'second')).toEqual([CONTENT, CONTENT]);
});
