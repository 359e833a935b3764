import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { openaiClient } from '../support/sdk-clients.ts';

let gateway: Gateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startGateway();
  client = openaiClient(gateway);
});

afterAll(() => gateway.close());

const messages = [{ role: 'user', content: 'Hello there' }] as const;
const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const;

describe("OpenAI's own client", () => {
  test('completes a conversation', async () => {
    const answer = await client.chat.completions.create({ model: 'local/echo-1', messages: [...messages] });
    expect(answer.choices[0]?.message.content).toBe('You said: Hello there');
    expect(answer.usage!.total_tokens).toBe(answer.usage!.prompt_tokens + answer.usage!.completion_tokens);
  });

  test('streams a conversation, with usage', async () => {
    const stream = await client.chat.completions.create({
      model: 'local/echo-1',
      messages: [...messages],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe('You said: Hello there');
    expect(usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('completes a text, whole and streamed', async () => {
    const asked = { model: 'local/echo-1', prompt: 'Hello there', max_tokens: 20 };
    const answer = await client.completions.create(asked);
    expect(answer).toMatchObject({ object: 'text_completion', choices: [{ text: 'You said: Hello there' }] });
    const stream = await client.completions.create({ ...asked, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe('You said: Hello there');
  });

  test('runs a tool, and continues with its result', async () => {
    const run = client.chat.completions.runTools({
      model: 'local/echo-1',
      messages: [{ role: 'user', content: 'What is the weather?' }],
      tools: [
        {
          ...weather,
          function: { ...weather.function, description: 'Tells.', parse: JSON.parse, function: () => 'rain' },
        },
      ],
    });
    expect(await run.finalContent()).toBe('The tool said: rain');
  });

  test('assembles the tool calls of a stream', async () => {
    const stream = client.chat.completions.stream({
      model: 'local/echo-1',
      messages: [{ role: 'user', content: 'What is the weather?' }],
      tools: [weather],
    });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
    });
  });

  test('embeds texts, and decodes the base64 that it asks for', async () => {
    const { data, usage } = await client.embeddings.create({
      model: 'local/embed-1',
      input: ['a river', 'a lake'],
      dimensions: 64,
    });
    expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 64],
      [1, 64],
    ]);
    expect(usage.prompt_tokens).toBeGreaterThan(0);
  });

  test('throws its own class for each kind of error', async () => {
    const ask = (apiKey: string, model: string) =>
      openaiClient(gateway, apiKey).chat.completions.create({ model, messages: [...messages] });
    await expect(ask('sk-slc-wrong', 'local/echo-1')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(ask(gateway.apiKey, 'no/such')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429 });
    await expect(ask(gateway.apiKey, 'local/echo-1')).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });

  test('throws APIError when a stream fails midway', async () => {
    gateway.upstream.addFaults({ kind: 'error-event', events: 2 });
    const stream = await client.chat.completions.create({
      model: 'local/echo-1',
      messages: [...messages],
      stream: true,
    });
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  test('aborts its request when its reader leaves the stream', async () => {
    gateway.upstream.addFaults({ kind: 'hang-stream', events: 2 });
    const stream = await client.chat.completions.create({
      model: 'local/echo-1',
      messages: [...messages],
      stream: true,
    });
    for await (const _ of stream) break;
    expect(stream.controller.signal.aborted).toBe(true);
  });
});
