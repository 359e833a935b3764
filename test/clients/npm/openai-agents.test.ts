import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, MemorySession, OpenAIProvider, Runner, tool, user, webSearchTool } from '@openai/agents';
import { z } from 'zod';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { EARLY_HEADERS } from './early-headers.ts';
import { expectCancelled, generationIds } from '../cancelled.ts';
import { PNG } from './picture.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: EARLY_HEADERS });
});
afterAll(() => gateway.close());

const weather = tool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `rain in ${city}`,
});
const question = 'What is the weather {"city": "Bergen"}?';
const agentWith = (more: object = {}) => new Agent({ name: 'Echo', model: 'local/echo-1', ...more });

describe.each([
  ['responses', true],
  ['chat', false],
])('@openai/agents with %s', (_name, useResponses) => {
  const runner = (apiKey = gateway.apiKey) =>
    new Runner({
      modelProvider: new OpenAIProvider({ apiKey, baseURL: `${gateway.origin}/api/v1`, useResponses }),
      tracingDisabled: true,
    });

  test('completes a conversation', async () => {
    const { finalOutput, state } = await runner().run(
      agentWith({ instructions: 'Be short.' }),
      'Hello there',
    );
    expect(finalOutput).toBe('You said: Hello there');
    expect(state.usage.outputTokens).toBeGreaterThan(0);
  });

  test('continues a conversation from its session', async () => {
    const session = new MemorySession();
    await runner().run(agentWith(), 'Hello there', { session });
    const { finalOutput } = await runner().run(agentWith(), 'And again', { session });
    expect(finalOutput).toBe('You said: And again');
  });

  test('streams an answer in pieces', async () => {
    const result = await runner().run(agentWith(), 'Hello there', { stream: true });
    const pieces: string[] = [];
    for await (const piece of result.toTextStream()) pieces.push(piece);
    await result.completed;
    expect(pieces.join('')).toBe('You said: Hello there');
    expect(pieces.length).toBeGreaterThan(1);
  });

  test('runs a tool and answers with its result', async () => {
    const { finalOutput } = await runner().run(agentWith({ tools: [weather] }), question);
    expect(finalOutput).toBe('The tool said: rain in Bergen');
  });

  test('runs a tool in a stream', async () => {
    const result = await runner().run(agentWith({ tools: [weather] }), question, { stream: true });
    await result.completed;
    expect(result.finalOutput).toBe('The tool said: rain in Bergen');
  });

  test('hands a conversation to another agent', async () => {
    const other = new Agent({ name: 'Other', model: 'local/echo-1' });
    const { lastAgent } = await runner().run(agentWith({ handoffs: [other] }), 'Please transfer_to_Other');
    expect(lastAgent?.name).toBe('Other');
  });

  test('receives an object that fits a schema', async () => {
    const outputType = z.object({ city: z.string(), degrees: z.int().min(4) });
    const { finalOutput } = await runner().run(agentWith({ outputType }), 'Bergen');
    expect(finalOutput).toEqual({ city: 'Bergen', degrees: 4 });
  });

  test('passes an image to the model', async () => {
    const image = `data:image/png;base64,${PNG.toString('base64')}`;
    const message = user([
      { type: 'input_text', text: 'Look:' },
      { type: 'input_image', image },
    ]);
    const { finalOutput } = await runner().run(agentWith(), [message]);
    expect(finalOutput).toBe('You said: Look: [image_url]');
  });

  test('throws status 401 for a wrong key and 400 for a wrong request', async () => {
    const wrongKey = runner('sk-slc-wrong').run(agentWith(), 'Hello');
    await expect(wrongKey).rejects.toMatchObject({ status: 401 });
    const wrongRequest = runner().run(agentWith({ modelSettings: { topP: 9 } }), 'Hello');
    await expect(wrongRequest).rejects.toMatchObject({ status: 400 });
  });

  test('accepts a late first event because comments keep the stream open', async () => {
    gateway.upstream.addFaults({ kind: 'delay', on: 'chat', delayMs: 500 });
    const result = await runner().run(agentWith(), 'Hello there', { stream: true });
    await result.completed;
    expect(result.finalOutput).toBe('You said: Hello there');
  });

  test('rejects when the stream fails in the middle', async () => {
    gateway.upstream.addFaults({ kind: 'error-event', on: 'chat', events: 3 });
    const result = await runner().run(agentWith(), 'Hello there', { stream: true });
    await expect(result.completed).rejects.toThrow();
  });

  test('cancels the upstream request when a stream is aborted', async () => {
    gateway.upstream.addFaults({ kind: 'hang-stream', on: 'chat', events: 3 });
    const before = await generationIds(gateway);
    const leaving = new AbortController();
    const result = await runner().run(agentWith(), 'Hello there', { stream: true, signal: leaving.signal });
    for await (const piece of result.toTextStream()) if (piece !== '') leaving.abort();
    await result.completed.catch(() => undefined);
    await expectCancelled(gateway, before);
  });
});

describe('@openai/agents with responses', () => {
  test("answers without OpenAI's hosted tools, and runs its own tools", async () => {
    const runner = new Runner({
      modelProvider: new OpenAIProvider({
        apiKey: gateway.apiKey,
        baseURL: `${gateway.origin}/api/v1`,
        useResponses: true,
      }),
      tracingDisabled: true,
    });
    const agent = agentWith({ tools: [webSearchTool(), weather] });
    expect((await runner.run(agent, question)).finalOutput).toBe('The tool said: rain in Bergen');
  });
});
