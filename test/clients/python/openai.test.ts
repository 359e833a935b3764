import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { runScript } from './run-script.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.close());

describe('openai from PyPI', () => {
  test('lists the models and completes a conversation', async () => {
    expect(await runScript('openai_client.py', gateway)).toEqual({
      models: expect.arrayContaining(['local/echo-1']),
      chat: 'You said: Hello there',
    });
  });
});
