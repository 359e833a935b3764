import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { expectCancelled, generationIds } from '../cancelled.ts';
import { type Environment, pythonOf } from './run-script.ts';

const SCRIPT = path.join(import.meta.dirname, 'leave_stream.py');

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Starts the script, which waits for the end of its input once it has left the stream. */
function start(environment: Environment, client: string) {
  const { origin, apiKey } = gateway;
  const env = { PATH: process.env['PATH'], GATEWAY_ORIGIN: origin, GATEWAY_KEY: apiKey, CLIENT: client };
  return spawn(pythonOf(environment), [SCRIPT], { env, stdio: ['pipe', 'pipe', 'inherit'] });
}

describe('a Python client that leaves a stream', () => {
  test.each<[string, Environment]>([
    ['openai', 'newest'],
    ['anthropic', 'newest'],
    ['openrouter', 'newest'],
    ['langchain_openai', 'newest'],
    ['langchain_openrouter', 'older'],
    ['litellm', 'litellm'],
  ])('cancels its generation: %s', async (client, environment) => {
    gateway.upstream.addFaults({ kind: 'hang-stream', on: 'chat', events: 3 });
    const before = await generationIds(gateway);
    const child = start(environment, client);
    const died = once(child, 'close').then(() => Promise.reject(new Error('the script ended early')));
    try {
      await Promise.race([once(child.stdout, 'data'), died]);
      await expectCancelled(gateway, before);
    } finally {
      child.stdin.end();
    }
  });
});
