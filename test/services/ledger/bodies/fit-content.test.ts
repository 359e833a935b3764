import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import {
  compressContent,
  lengthOf,
  MAX_CHARACTERS,
  MAX_COMPRESSED_BYTES,
  renderContent,
} from '../../../../services/ledger/bodies/fit-content.ts';

const noise = (bytes: number): string => randomBytes(bytes).toString('base64');
const says = (content: string) => ({ role: 'user', content });
const contentOf = (change: Partial<BroadcastContent> = {}): BroadcastContent => ({
  input: [says('Hello')],
  output: [{ role: 'assistant', content: 'Hi' }],
  outputText: 'Hi',
  ...change,
});

async function stored(content: BroadcastContent): Promise<BroadcastContent & { bytes: number }> {
  const { bytes, size } = await compressContent(renderContent(content));
  const json = gunzipSync(bytes).toString('utf8');
  expect(size).toBe(json.length);
  return { ...(JSON.parse(json) as BroadcastContent), bytes: bytes.length };
}

describe('stored content', () => {
  test('stays as it was when it fits', async () => {
    const content = contentOf({ system: 'Be kind', tools: [{ type: 'function' }], input: [] });
    expect(await stored(content)).toEqual({ ...content, bytes: expect.any(Number) });
  });

  test('has no images in the middle of its texts', async () => {
    const text = 'A ![x](data:image/png;base64,iVBORw0KGgo=)';
    const content = await stored(contentOf({ input: [says(text)], outputText: text }));
    expect(content).toMatchObject({
      input: [says('A ![x]([image/png removed])')],
      outputText: 'A ![x]([image/png removed])',
    });
  });

  test('loses its oldest messages until it fits, and sets isTruncated', async () => {
    const input = Array.from({ length: 12 }, (_, n) => says(`${n} ${noise(60_000)}`));
    const content = await stored(contentOf({ input }));
    expect(content.isTruncated).toBe(true);
    expect(content.bytes).toBeLessThanOrEqual(MAX_COMPRESSED_BYTES);
    expect(content.input.length).toBeGreaterThan(1);
    expect(content.input).toEqual(input.slice(-content.input.length));
    expect(content.output).toEqual(contentOf().output);
  });

  test('keeps the beginning of a single message that is too long', async () => {
    const text = noise(1_000_000);
    const content = await stored(contentOf({ input: [says('old'), says(text)] }));
    const [{ content: kept }] = content.input as [{ content: string }];
    expect(content.isTruncated).toBe(true);
    expect(kept.length).toBeGreaterThan(50_000);
    expect(text.startsWith(kept)).toBe(true);
    expect(content.outputText).toBe('Hi');
  });

  test('obeys MAX_CHARACTERS before compression and holds no half characters', async () => {
    const content = contentOf({ input: [says('😀'.repeat(MAX_CHARACTERS))], outputText: 'a'.repeat(9_999) });
    expect(lengthOf(renderContent(content))).toBeLessThanOrEqual(MAX_CHARACTERS);
    const [{ content: kept }] = (await stored(content)).input as [{ content: string }];
    expect(kept.isWellFormed()).toBe(true);
    expect(kept.length).toBeGreaterThan(100_000);
  });

  test('becomes empty when it consists of too many small pieces', async () => {
    const tools = Array.from({ length: 40_000 }, () => ({ name: noise(20) }));
    expect(await stored(contentOf({ tools }))).toMatchObject({ input: [], output: [], isTruncated: true });
  });
});
