import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { runExample } from '../../support/run-example.ts';
import { pythonOf } from './run-script.ts';

const NAME = 'openai-python';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.close());

test('every example in Python is run here', () => {
  const folder = path.join(import.meta.dirname, '..', '..', '..', 'examples', NAME);
  expect(readdirSync(folder).sort()).toEqual(['chat.py', 'stream.py']);
});

test('chat.py prints the answer', async () => {
  expect(await runExample(gateway, [pythonOf('newest'), `${NAME}/chat.py`])).toBe('You said: Hello there\n');
});

test('stream.py prints the answer and its tokens', async () => {
  const printed = await runExample(gateway, [pythonOf('newest'), `${NAME}/stream.py`]);
  expect(printed).toMatch(/^You said: Hello there\n\d+ tokens\n$/);
});
