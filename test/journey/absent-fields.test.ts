import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../contract/operations.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let caller: Caller;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_CLAUDE_API_KEY: 'upstream-key' } });
  await addChatModel(gateway, 'test/native', [{ provider: 'claude', adapter: 'anthropic' }]);
  caller = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

async function statusOf(path: string, body: object): Promise<number> {
  const response = await caller.call('POST', path, { body });
  await response.arrayBuffer();
  return response.status;
}

const messages = [{ role: 'user', content: 'Hello' }];
const ASKED = [
  ['createChatCompletion', { model: 'local/echo-1', messages }, 200],
  ['createMessage', { model: 'local/echo-1', max_tokens: 9, messages }, 200],
  ['createResponse', { model: 'local/echo-1', input: 'Hello' }, 200],
  ['createEmbeddings', { model: 'local/embed-1', input: 'Hello' }, 200],
  ['createRerank', { model: 'local/rerank-1', query: 'a river', documents: ['the river'] }, 200],
  ['createImages', { model: 'local/image-canned', prompt: 'A lighthouse' }, 200],
  ['createSpeech', { model: 'local/speech-canned', input: 'Hello' }, 200],
  ['createVideo', { model: 'local/clip-canned', prompt: 'A lighthouse' }, 202],
] as const;

describe.each(ASKED)('the operation %s', (id, body, status) => {
  const { path, body: declared } = operations[id];

  test('accepts null in every optional field', async () => {
    const names = Object.keys(declared.schema.shape);
    const nothing = Object.fromEntries(names.map((name) => [name, null]));
    expect(await statusOf(path, { ...nothing, ...body })).toBe(status);
  });

  test("accepts null for a provider's options", async () => {
    expect(await statusOf(path, { ...body, provider: { options: { local: null, other: null } } })).toBe(
      status,
    );
  });

  test('ignores unknown fields of provider', async () => {
    const sort = { by: 'price', newer: 1 };
    const max_price = { newer: '1' };
    // A video refuses every `max_price`, because it would not hold.
    const limits = id === 'createVideo' ? {} : { max_price };
    const provider = { newer: true, sort, ...limits, preferred_max_latency: { p42: 1 } };
    expect(await statusOf(path, { ...body, provider })).toBe(status);
  });
});

describe('a chat message', () => {
  test('reaches the upstream without the fields that are null', async () => {
    const call = { id: 'call_1', type: null, function: { name: 'f', arguments: '{}' } };
    const body = {
      model: 'local/echo-1',
      messages: [
        { role: 'user', content: 'Hello', name: null, tool_calls: null, tool_call_id: null },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Done' },
      ],
    };
    expect(await statusOf('/chat/completions', body)).toBe(200);
    const sent = gateway.upstream.requests('chat').at(-1)?.fields?.['messages'] as [object, object];
    expect(sent[0]).toEqual({ role: 'user', content: 'Hello' });
    expect(sent[1]).toMatchObject({ tool_calls: [{ id: 'call_1', function: call.function }] });
    expect(JSON.stringify(sent[1])).not.toContain('"type":null');
  });
});

describe('the request that an upstream receives', () => {
  const sentTo = (target: 'chat' | 'messages' | 'embeddings') =>
    gateway.upstream.requests(target).at(-1)?.fields ?? {};

  /** All optional fields of an operation, each null. */
  const nothingOf = (id: 'createChatCompletion' | 'createMessage' | 'createEmbeddings') =>
    Object.fromEntries(Object.keys(operations[id].body.schema.shape).map((name) => [name, null]));

  test('has no null in a chat, at any depth', async () => {
    const image = { url: 'data:image/png;base64,iVBORw0KGgo=', detail: null };
    const body = {
      ...nothingOf('createChatCompletion'),
      model: 'local/echo-1',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: null }] },
        {
          role: 'assistant',
          content: 'Hi',
          refusal: null,
          annotations: null,
          audio: null,
          function_call: null,
        },
        { role: 'user', content: [{ type: 'image_url', image_url: image }] },
      ],
      tools: [
        { type: 'function', function: { name: 'f', description: null, parameters: null, strict: null } },
      ],
      response_format: { type: 'text', json_schema: null },
      reasoning: { effort: null, max_tokens: null },
    };
    expect(await statusOf('/chat/completions', body)).toBe(200);
    expect(JSON.stringify(sentTo('chat'))).not.toContain('null');
    expect(sentTo('chat')).toMatchObject({ tools: [{ function: { name: 'f' } }] });
  });

  test("keeps null where it is a value of a tool's schema", async () => {
    const properties = { unit: { enum: ['C', null], default: null } };
    const described = { name: 'f', parameters: { type: 'object', properties } };
    const tools = [{ type: 'function', function: described }];
    expect(await statusOf('/chat/completions', { model: 'local/echo-1', messages, tools })).toBe(200);
    expect(sentTo('chat')['tools']).toEqual(tools);
  });

  test('has no null for embeddings', async () => {
    const provider = { options: { local: null } };
    const body = { ...nothingOf('createEmbeddings'), model: 'local/embed-1', input: 'Hello', provider };
    expect(await statusOf('/embeddings', body)).toBe(200);
    expect(Object.values(sentTo('embeddings'))).not.toContain(null);
  });

  test('has no null for messages in the same dialect', async () => {
    const block = { type: 'text', text: 'Hello', cache_control: null, citations: null };
    const use = { type: 'tool_use', id: 't1', name: 'f', input: { unit: null } };
    const body = {
      ...nothingOf('createMessage'),
      model: 'test/native',
      system: [block],
      messages: [
        { role: 'user', content: [block] },
        { role: 'assistant', content: [use] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', is_error: null, content: [block] }],
        },
      ],
      tools: [
        { name: 'f', type: null, description: null, cache_control: null, input_schema: { type: 'object' } },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: null },
      thinking: { type: 'disabled', budget_tokens: null },
    };
    expect(await statusOf('/messages', body)).toBe(200);
    const { messages: sent, ...others } = sentTo('messages') as { messages: { content: unknown }[] };
    expect(JSON.stringify(others)).not.toContain('null');
    // The input of a tool is what the model said.
    expect(sent[1]?.content).toEqual([use]);
    expect(JSON.stringify([sent[0], sent[2]])).not.toContain('null');
  });

  test("uses the caller's provider option when the request's own field is null", async () => {
    const provider = { options: { local: { temperature: 0.5 } } };
    const body = { model: 'local/echo-1', messages, temperature: null, provider };
    expect(await statusOf('/chat/completions', body)).toBe(200);
    expect(sentTo('chat')).toMatchObject({ temperature: 0.5 });
  });
});

describe('a document of POST /rerank', () => {
  test('loses the fields beside its text', async () => {
    const documents = [{ text: 'the river', image: null, title: 'A', url: 'https://example.com' }];
    const body = { model: 'local/rerank-1', query: 'a river', documents };
    const response = await caller.call('POST', '/rerank', { body });
    const { results } = (await response.json()) as { results: { document: object }[] };
    expect(results.map(({ document }) => document)).toEqual([{ text: 'the river' }]);
    expect(gateway.upstream.requests('rerank').at(-1)?.fields?.['documents']).toEqual(['the river']);
  });

  test.each([[{}], [{ text: null, image: null }], [{ title: 'A' }]])(
    'answers 400 when it has no content: %j',
    async (document) => {
      const body = { model: 'local/rerank-1', query: 'a river', documents: [document] };
      expect(await statusOf('/rerank', body)).toBe(400);
    },
  );
});

describe('POST /images without a model', () => {
  const ask = (body: object = {}) =>
    caller.call('POST', '/images', { body: { prompt: 'A lighthouse', size: '128x128', ...body } });

  test('answers 400 for body.model when the workspace has no default image model', async () => {
    const error = await errorOf(await ask());
    expect([error.code, error.metadata.issues]).toEqual([
      400,
      [{ path: 'body.model', message: 'is required' }],
    ]);
  });

  test("uses the workspace's default_image_model instead of its text model", async () => {
    await updateWorkspace(manager, gateway.workspaceId, {
      default_image_model: 'local/image-1',
      default_text_model: 'local/echo-1',
    });
    for (const body of [{}, { model: null }]) {
      const response = await ask(body);
      const { data } = (await response.json()) as { data: object[] };
      expect(data).toHaveLength(1);
      const { rows } = await gateway.database.query<{ model: string }>(
        'select model from generations where id = $1',
        [response.headers.get('x-generation-id')],
      );
      expect(rows).toEqual([{ model: 'local/image-1' }]);
    }
  });
});

describe('a request without a model', () => {
  test.each([
    ['image', '/images', { prompt: 'A lighthouse' }],
    ['text', '/chat/completions', { messages }],
  ])('answers 404 and names an unknown default_%s_model of the workspace', async (kind, path, body) => {
    const setting = `default_${kind}_model`;
    await updateWorkspace(manager, gateway.workspaceId, { [setting]: 'no/such' });
    const error = await errorOf(await caller.call('POST', path, { body }));
    const message = `no/such, the ${setting} of the workspace, is not a model that this deployment can reach. GET /models lists the models.`;
    expect([error.code, error.metadata.issues]).toEqual([404, [{ path: 'body.model', message }]]);
  });
});
