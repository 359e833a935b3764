import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import { BadGatewayResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors';
import OpenAI from 'openai';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';
import { openaiClient } from '../support/sdk-clients.ts';

let gateway: Gateway;
let openai: OpenAI;
let openRouter: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  openai = openaiClient(gateway);
  openRouter = publishedClient(gateway, gateway.apiKey);
});

afterAll(() => gateway.close());

const request = { model: 'local/echo-1', input: 'Hello there' };
const weather = {
  type: 'function' as const,
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};

describe("OpenAI's own client", () => {
  test('creates a response', async () => {
    const response = await openai.responses.create({ ...request, store: false });
    expect(response.output_text).toBe('You said: Hello there');
    expect(response.usage!.total_tokens).toBeGreaterThan(0);
  });

  test('streams a response', async () => {
    let text = '';
    const types: string[] = [];
    for await (const event of await openai.responses.create({ ...request, stream: true })) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(text).toBe('You said: Hello there');
    expect(types.at(-1)).toBe('response.completed');
  });

  test('assembles a streamed function call', async () => {
    const stream = openai.responses.stream({ ...request, input: 'The weather please', tools: [weather] });
    const snapshots: string[] = [];
    stream.on('response.function_call_arguments.delta', ({ snapshot }) => snapshots.push(snapshot));
    const response = await stream.finalResponse();
    const [call] = response.output;
    if (call?.type !== 'function_call') throw new Error('no call');
    expect(call.name).toBe('weather');
    expect(snapshots.at(-1)).toBe(call.arguments);
  });

  test("continues with a tool's result", async () => {
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'The weather please' }];
    const first = await openai.responses.create({ ...request, input, tools: [weather] });
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error('no call');
    const answered = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Rain' };
    const second = await openai.responses.create({
      ...request,
      input: [...input, call, answered],
      tools: [weather],
    });
    expect(second.output_text).toBe('The tool said: Rain');
  });

  test('parses an answer by its JSON schema', async () => {
    const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
    const response = await openai.responses.parse({
      ...request,
      text: { format: { type: 'json_schema', name: 'answer', schema, strict: false } },
    });
    expect(JSON.parse(response.output_text)).toHaveProperty('word');
  });

  test('throws its own classes, and its stream reports response.failed', async () => {
    await expect(openai.responses.create({ ...request, model: 'no/such' })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    await expect(openai.responses.create({ ...request, store: true })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
    gateway.upstream.addFaults({ kind: 'error-event', events: 3 });
    const stream = openai.responses.stream(request);
    const failed = await new Promise((resolve, reject) => {
      stream.on('event', (event) => event.type === 'response.failed' && resolve(event.response.error));
      stream.on('end', () => reject(new Error('no failure')));
    });
    expect(failed).toMatchObject({ code: 'server_error' });
  });
});

describe('the published client', () => {
  test('creates a response', async () => {
    const response = await openRouter.responses.send({ responsesRequest: request });
    if (!('output' in response)) throw new Error('a stream');
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ type: 'output_text', text: 'You said: Hello there' }] },
    ]);
    expect(response.usage).toMatchObject({ isByok: false, cost: expect.any(Number) });
    expect(response.usage!.costDetails!.upstreamInferenceOutputCost).toBeGreaterThan(0);
  });

  test('streams a response, and knows all of its events', async () => {
    const responsesRequest = {
      ...request,
      input: 'The weather please',
      tools: [weather],
      stream: true as const,
    };
    const stream = await openRouter.responses.send({ responsesRequest });
    if (!(Symbol.asyncIterator in stream)) throw new Error('no stream');
    const events: { type: string }[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).not.toContain('UNKNOWN');
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { status: 'completed', output: [{ type: 'function_call', name: 'weather' }] },
    });
  });

  test('throws its own class for 404 and 502', async () => {
    const unknown = openRouter.responses.send({ responsesRequest: { ...request, model: 'no/such' } });
    await expect(unknown).rejects.toBeInstanceOf(NotFoundResponseError);
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    const failed = openRouter.responses.send({ responsesRequest: request });
    await expect(failed).rejects.toBeInstanceOf(BadGatewayResponseError);
  });
});
