import { expect, test } from '@jest/globals';
import { Readable } from 'node:stream';
import { readText } from '../../platform/outbound-body.ts';

function bodyOf(...chunks: string[]): Readable {
  return Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
}

test('readText reads a short body whole', async () => {
  expect(await readText(bodyOf('hel', 'lo'), 100)).toBe('hello');
});

test('readText joins a character that is split between chunks', async () => {
  const bytes = Buffer.from('a€b');
  const body = Readable.from([bytes.subarray(0, 2), bytes.subarray(2)]);
  expect(await readText(body, 100)).toBe('a€b');
});

test('readText stops at the limit and destroys the body', async () => {
  const body = bodyOf('hello ', 'endless ', 'world');
  expect(await readText(body, 8)).toBe('hello en');
  expect(body.destroyed).toBe(true);
});

test('readText drops a character that the limit cuts', async () => {
  expect(await readText(bodyOf('ab€'), 4)).toBe('ab');
});
