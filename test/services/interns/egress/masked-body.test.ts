import { expect, test } from '@jest/globals';
import { createTextMask } from '../../../../services/interns/egress/mask/text-mask.ts';
import { createValueAutomaton } from '../../../../services/interns/egress/mask/value-automaton.ts';
import { maskedBody, maskedWhole, passedWhole } from '../../../../services/interns/egress/masked-body.ts';
import { freeMemory } from '../../../support/free-answer.ts';

const KIB = 1024;
const PLACEHOLDER = `{{secret:${'n'.repeat(255)}}}`;

/** A body that has arrived as a whole. */
function arrived(...chunks: Buffer[]) {
  let ready = chunks;
  return {
    get isOver() {
      return ready.length === 0;
    },
    take: () => ready.splice(0),
    more: () => Promise.resolve(),
    close: () => void (ready = []),
  };
}

const mask = createTextMask([
  createValueAutomaton([{ text: Buffer.from('a'), placeholder: Buffer.from(PLACEHOLDER) }]),
]);

async function piecesOf(body: ReturnType<typeof arrived>): Promise<Buffer[]> {
  const pieces = maskedBody(body, mask, freeMemory(), () => {});
  const all: Buffer[] = [];
  for (;;) {
    const { done, value } = await pieces.next();
    if (value !== undefined) all.push(value as Buffer);
    if (done === true) return all;
  }
}

test('a response full of values is passed on in pieces below 5 MiB', async () => {
  const pieces = await piecesOf(arrived(...Array.from({ length: 4 }, () => Buffer.alloc(64 * KIB, 'a'))));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(5 * KIB * KIB);
  expect(Buffer.concat(pieces).toString()).toBe(PLACEHOLDER.repeat(256 * KIB));
});

test('a short response is passed on in one piece', async () => {
  expect((await piecesOf(arrived(Buffer.from('b'), Buffer.from('cab')))).map(String)).toEqual([
    `bc${PLACEHOLDER}b`,
  ]);
});

test.each([
  ['', ''],
  ['b', 'b'],
  ['bab', `b${PLACEHOLDER}b`],
])('a response that has arrived whole is masked whole: %j', (text, masked) => {
  const { body, receivedBytes } = maskedWhole({ takeWhole: () => Buffer.from(text) }, mask)!;
  expect([body.toString(), receivedBytes]).toEqual([masked, text.length]);
  expect(maskedWhole({ takeWhole: () => undefined }, mask)).toBeUndefined();
});

test('a whole response ends when it was taken or its reader left', async () => {
  let ends = 0;
  const pieces = passedWhole(Buffer.from('whole'), freeMemory(), () => (ends += 1));
  expect(await pieces.next()).toEqual({ done: false, value: Buffer.from('whole') });
  expect(ends).toBe(0);
  expect(await pieces.next()).toEqual({ done: true, value: undefined });
  expect(ends).toBe(1);
  const left = passedWhole(Buffer.from('whole'), freeMemory(), () => (ends += 1));
  await left.next();
  await left.return(undefined);
  expect(ends).toBe(2);
});

test('a response that masking makes longer than 128 MiB is cut off', async () => {
  const chunk = Buffer.alloc(100, 'a');
  const body = arrived();
  let chunks = 0;
  const endless = { ...body, isOver: false, take: () => ((chunks += 1), [chunk]) };
  await expect(piecesOf(endless)).rejects.toThrow('broke off');
  expect(chunks).toBe(Math.ceil((128 * KIB * KIB + 1) / (100 * PLACEHOLDER.length)));
});
