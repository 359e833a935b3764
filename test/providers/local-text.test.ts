import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startUpstream, type UpstreamClient } from './upstream-client.ts';

let client: UpstreamClient;

beforeAll(async () => {
  client = await startUpstream();
});
afterEach(() => client.upstream.clearFaults());
afterAll(() => client.upstream.close());

const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, parameters },
});

async function post(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await client.call('POST', path, body);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

function chat(words: string, more: object = {}) {
  const messages = [{ role: 'user', content: words }];
  return post('/v1/chat/completions', { model: 'echo-1', messages, ...more });
}

/** The names of the tools that an answer calls. */
async function called(words: string, more: object): Promise<string[]> {
  const { body } = await chat(words, { tools: [tool('look_up'), tool('add')], ...more });
  const [choice] = body['choices'] as { message: { tool_calls?: { function: { name: string } }[] } }[];
  return (choice?.message.tool_calls ?? []).map((call) => call.function.name);
}

async function embed(input: unknown, more: object = {}): Promise<number[][]> {
  const { body } = await post('/v1/embeddings', { model: 'embed-1', input, ...more });
  return (body['data'] as { embedding: number[] }[]).map(({ embedding }) => embedding);
}

const product = (a: number[], b: number[]) =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe('the local chat', () => {
  test('gives the same answer to the same request', async () => {
    const said = async () => (await chat('Where is the lighthouse?')).body['choices'];
    expect(await said()).toEqual(await said());
  });

  test('names content parts that are no text', async () => {
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:,' } },
    ];
    const { body } = await chat('', { messages: [{ role: 'user', content }] });
    expect(body).toMatchObject({ choices: [{ message: { content: 'You said: See [image_url]' } }] });
  });

  test.each([
    ['which the user mentions', 'please add and look_up', {}, ['look_up', 'add']],
    ['one at a time, if it must', 'please add and look_up', { parallel_tool_calls: false }, ['look_up']],
    ['which it is told to', 'hello', { tool_choice: tool('add') }, ['add']],
    ['of which one is required', 'hello', { tool_choice: 'required' }, ['look_up']],
    ['but none that nobody mentions', 'hello', {}, []],
    ['but none against the caller’s will', 'add', { tool_choice: 'none' }, []],
  ])('calls tools %s', async (_, words, more, names) => {
    expect(await called(words, more)).toEqual(names);
  });

  test("makes up arguments that fit the tool's parameters", async () => {
    const parameters = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 3 },
        exact: { type: ['boolean', 'null'] },
        places: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
    };
    const { body } = await chat('get_weather', { tools: [tool('get_weather', parameters)] });
    const [choice] = body['choices'] as { message: { tool_calls: { function: { arguments: string } }[] } }[];
    expect(JSON.parse(choice?.message.tool_calls[0]?.function.arguments ?? '')).toEqual({
      city: 'get_weather',
      unit: 'celsius',
      days: 3,
      exact: true,
      places: [{ name: 'get_weather' }],
    });
  });

  test('repeats what a tool returned', async () => {
    const messages = [
      { role: 'user', content: 'add' },
      { role: 'tool', tool_call_id: 'x', content: '42' },
    ];
    const { body } = await chat('', { messages, tools: [tool('add')] });
    expect(body).toMatchObject({ choices: [{ message: { content: 'The tool said: 42' } }] });
  });

  test('returns JSON that fits the requested schema', async () => {
    const schema = { type: 'object', properties: { title: { type: 'string' }, pages: { type: 'number' } } };
    const { body } = await chat('Sea', {
      response_format: { type: 'json_schema', json_schema: { name: 'book', schema } },
    });
    expect(body).toMatchObject({ choices: [{ message: { content: '{"title":"Sea","pages":1}' } }] });
  });

  test('ends with length at its limit of output tokens', async () => {
    const { body } = await chat('x '.repeat(20_000));
    expect(body).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { completion_tokens: 16_384 },
    });
  });

  test('counts the tokens of all its choices', async () => {
    const { body } = await chat('one two', { n: 2 });
    expect(body).toMatchObject({ usage: { prompt_tokens: 5, completion_tokens: 8, total_tokens: 13 } });
  });

  test.each([
    ['an unknown model', { model: 'gpt-5' }, 404, 'model'],
    ['no messages', { messages: [] }, 400, 'messages'],
    ['a role that is none', { messages: [{ role: 'king', content: 'x' }] }, 400, 'messages.0.role'],
    ['stream_options without a stream', { stream_options: {} }, 400, 'stream_options'],
    ['an unknown fault', { faults: [{ kind: 'explode' }] }, 400, 'faults'],
    [
      'more than its context',
      { messages: [{ role: 'user', content: 'x '.repeat(131_073) }] },
      400,
      'messages',
    ],
  ])('refuses %s in OpenAI’s envelope', async (_, more, status, param) => {
    const answer = await chat('x', more);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  test('applies faults of a request to that request only', async () => {
    const faults = [{ kind: 'status', on: 'chat', status: 503 }];
    expect((await chat('x', { faults })).status).toBe(503);
    expect((await chat('x')).status).toBe(200);
  });

  test('logs that a caller left before the end', async () => {
    client.upstream.addFaults({ kind: 'hang-stream', events: 1 });
    const stop = new AbortController();
    const answer = await fetch(`${client.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-local-0123456789abcdef', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'echo-1', stream: true, messages: [{ role: 'user', content: 'x' }] }),
      signal: stop.signal,
    });
    expect(answer.status).toBe(200);
    expect(client.upstream.requests('chat').at(-1)?.brokenOff).toBeUndefined();
    stop.abort();
    await eventually('it notices', async () => client.upstream.requests('chat').at(-1)?.brokenOff);
  });
});

describe('the canned chat', () => {
  async function canned(json: string): Promise<string> {
    const answer = await fetch(`${client.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-local-0123456789abcdef', 'content-type': 'application/json' },
      body: json,
    });
    expect(answer.status).toBe(200);
    return `${answer.headers.get('content-type')} ${await answer.text()}`;
  }

  test.each([
    ['whole', ''],
    ['streamed', ',"stream":true'],
  ])('has the same bytes on the short and the usual path, %s', async (_, more) => {
    const messages = '"messages":[{"role":"user","content":"x"}]';
    const quick = await canned(`{"model":"chat-canned",${messages}${more}}`);
    expect(await canned(`{"model"  :  "chat-canned",${messages}${more.replace(':', '  :  ')}}`)).toBe(quick);
    expect(quick).toMatch(more === '' ? /^application\/json \{/ : /^text\/event-stream[^]*\[DONE\]\n\n$/);
  });

  test('answers only when the model field names chat-canned, not the prompt', async () => {
    const { body } = await chat('{"model":"chat-canned"}');
    expect(body).toMatchObject({ model: 'echo-1' });
  });

  test('appears in the log, needs the key, and obeys faults', async () => {
    const before = client.upstream.requests('chat').length;
    expect((await chat('x', { model: 'chat-canned' })).status).toBe(200);
    expect(client.upstream.requests('chat')).toHaveLength(before + 1);
    const wrong = { authorization: 'Bearer wrong' };
    const body = { model: 'chat-canned', messages: [] };
    expect((await client.call('POST', '/v1/chat/completions', body, wrong)).status).toBe(401);
    client.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    expect((await chat('x', { model: 'chat-canned' })).status).toBe(500);
  });
});

describe('the local embeddings', () => {
  test('have length one, repeat for the same text, and lie near similar texts', async () => {
    const [first = [], again = [], near = [], far = []] = await embed([
      'the lighthouse by the sea',
      'the lighthouse by the sea',
      'a lighthouse by the sea',
      'quarterly report',
    ]);
    expect(first).toHaveLength(256);
    expect(again).toEqual(first);
    expect(product(first, first)).toBeCloseTo(1, 5);
    expect(product(first, near)).toBeGreaterThan(product(first, far));
  });

  test.each([
    ['an unknown model', { model: 'echo-1' }, 404, 'model'],
    ['an empty text', { input: '' }, 400, 'input'],
    ['no input', { input: [] }, 400, 'input'],
    ['more than its context', { input: 'x '.repeat(8_193) }, 400, 'input'],
    ['too many dimensions', { dimensions: 4096 }, 400, 'dimensions'],
    ['another encoding', { encoding_format: 'hex' }, 400, 'encoding_format'],
  ])('refuse %s in OpenAI’s envelope', async (_, more, status, param) => {
    const answer = await post('/v1/embeddings', { model: 'embed-1', input: 'x', ...more });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });
});
