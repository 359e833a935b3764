import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createEncryption } from '../../../../platform/encryption.ts';
import { LAPTOP_ENCRYPTION_KEYS, parseEncryptionKeys } from '../../../../platform/encryption-keys.ts';
import { createContentSource } from '../../../../services/broadcast/pump/content-source.ts';
import { sealContent } from '../../../../services/ledger/bodies/sealed-content.ts';
import { broadcastEvent, openRules } from '../../../domain/broadcast/broadcast-event.ts';

const encryption = createEncryption(parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS));
/** JSON that can be parsed, and is nested too deeply to be serialized. */
const DEEP = '['.repeat(200_000) + ']'.repeat(200_000);

test('a dead letter that cannot be loaded gives its room back', async () => {
  let taken = 0;
  const source = createContentSource({
    store: { sizes: async () => new Map(), read: async () => new Map() },
    encryption,
    room: {
      async take() {
        taken += 1;
        return () => void (taken -= 1);
      },
    },
    now: Date.now,
  });
  const event = broadcastEvent({ content: null, generationId: 'gen-1' });
  const compressed = gzipSync(`{"input":${DEEP}}`);
  const contentSealed = sealContent(encryption, 'broadcast_dead_letters', event.generationId, compressed);
  const opening = source.open([{ id: 'letter', event, contentSealed }], {
    organizationId: 'organization',
    spanRules: { rules: { ...openRules(), privacyMode: false }, select: () => 'sent' },
    maxBytes: 1_000,
    waitMs: 0,
    pollMs: 1,
    lateMs: 0,
    signal: new AbortController().signal,
    report: () => {},
  });
  await expect(opening).rejects.toThrow('Maximum call stack size exceeded');
  expect(taken).toBe(0);
});
