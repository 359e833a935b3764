import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { addChatModel } from '../support/catalog.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { completed } from '../support/chat.ts';
import { type NativeGateway, startNativeGateway } from '../support/native-gateway.ts';
import {
  addCredential,
  addPrivateEndpoint,
  clearOwnResources,
  type CustomerServer,
  noticed,
  startCustomerServer,
} from '../support/own-resources.ts';
import { askResponse, responded } from '../support/responses.ts';

const NATIVE = 'test/native';
const CLAUDE = 'test/claude';

let gateway: NativeGateway['gateway'];
let upstream: NativeGateway['upstream'];
let close: NativeGateway['close'];
let server: CustomerServer;

beforeAll(async () => {
  server = await startCustomerServer();
  ({ gateway, upstream, close } = await startNativeGateway(
    { [NATIVE]: ['openai'] },
    { PROVIDER_CLAUDE_API_KEY: 'upstream-key' },
  ));
  await addChatModel(gateway, CLAUDE, [{ provider: 'claude', adapter: 'anthropic' }]);
});

afterAll(async () => {
  await close();
  await server.close();
});

const HELLO = [{ role: 'user', content: 'Hello there' }];
const DOCUMENT = [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }];
const IN_CHAT = [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }];
const FILE_OF_CHAT = 'body.messages.0.content.0.file.file_id';
const LINK = 'https://a.example/a.png';
const inPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });
const options = (slug: string, own: object) => ({ provider: { options: { [slug]: own } } });

/** The requests of all kinds that reached the operator's upstreams. */
const sent = (): number =>
  upstream.asked.length +
  (['chat', 'messages', 'embeddings', 'rerank', 'image', 'speech', 'create'] as const)
    .map((target) => gateway.upstream.requests(target).length)
    .reduce((sum, count) => sum + count, 0);

describe("a stored object's id with the operator's credential", () => {
  test.each<[string, object, string]>([
    ['/messages', { model: CLAUDE, messages: DOCUMENT }, 'body.messages.0.content.0.source.file_id'],
    ['/messages', { model: CLAUDE, messages: HELLO, container: 'c' }, 'body.container'],
    [
      '/messages',
      { model: CLAUDE, messages: HELLO, mcp_servers: [{ url: 'https://a.example' }] },
      'body.mcp_servers',
    ],
    ['/messages', { model: CLAUDE, messages: HELLO, thread: { type: 'create' } }, 'body.thread'],
    [
      '/messages',
      { model: CLAUDE, messages: HELLO, ...options('claude', { container: 'c' }) },
      'body.provider.options.claude.container',
    ],
    [
      '/messages/count_tokens',
      { model: CLAUDE, messages: DOCUMENT },
      'body.messages.0.content.0.source.file_id',
    ],
    ['/chat/completions', { messages: IN_CHAT }, FILE_OF_CHAT],
    [
      '/chat/completions',
      { messages: HELLO, tools: [{ type: 'mcp', server_url: 'https://a.example' }] },
      'body.tools.0.server_url',
    ],
    [
      '/chat/completions',
      { messages: HELLO, ...options('local', { conversation_id: 'c' }) },
      'body.provider.options.local.conversation_id',
    ],
    [
      '/chat/completions',
      { model: CLAUDE, messages: HELLO, ...options('claude', { mcp_servers: [{}] }) },
      'body.provider.options.claude.mcp_servers',
    ],
    [
      '/responses',
      { model: NATIVE, input: 'Hm', previous_response_id: 'resp_1' },
      'body.previous_response_id',
    ],
    [
      '/responses',
      {
        model: NATIVE,
        input: [
          {
            type: 'computer_call_output',
            call_id: 'c',
            output: { type: 'computer_screenshot', file_id: 'f' },
          },
        ],
      },
      'body.input.0.output.file_id',
    ],
    ['/completions', { prompt: 'Hm', previous_response_id: 'resp_1' }, 'body.previous_response_id'],
    ['/embeddings', { model: 'local/embed-1', input: 'Hm', file_id: 'f' }, 'body.file_id'],
    [
      '/embeddings',
      { model: 'local/embed-1', input: 'Hm', ...options('local', { webhook: 'https://a.example' }) },
      'body.provider.options.local.webhook',
    ],
    [
      '/rerank',
      { model: 'local/rerank-1', query: 'Hm', documents: ['x'], dataset_id: 'd' },
      'body.dataset_id',
    ],
    [
      '/images',
      { model: 'local/image-1', prompt: 'Hm', ...options('local', { mask: { file_id: 'f' } }) },
      'body.provider.options.local.mask.file_id',
    ],
    [
      '/audio/speech',
      { model: 'local/speech-1', input: 'Hm', ...options('local', { voice: { id: 'v' } }) },
      'body.provider.options.local.voice.id',
    ],
    [
      '/videos',
      { model: 'local/clip-canned', prompt: 'Hm', ...options('local', { webhook: 'https://a.example' }) },
      'body.provider.options.local.webhook',
    ],
    ['/chat/completions', { messages: HELLO, image_url: LINK }, 'body.image_url'],
    [
      '/chat/completions',
      { messages: HELLO, ...options('local', { video_url: LINK }) },
      'body.provider.options.local.video_url',
    ],
    ['/chat/completions', inPart({ type: 'clip', clip: LINK }), 'body.messages.0.content.0.clip'],
    [
      '/chat/completions',
      inPart({ type: 'video_frames', frames: [LINK] }),
      'body.messages.0.content.0.frames.0',
    ],
    ['/embeddings', { model: 'local/embed-1', input: 'Hm', image_url: LINK }, 'body.image_url'],
    [
      '/rerank',
      { model: 'local/rerank-1', query: 'Hm', documents: ['x'], ...options('local', { image_url: LINK }) },
      'body.provider.options.local.image_url',
    ],
    [
      '/audio/speech',
      { model: 'local/speech-1', input: 'Hm', ...options('local', { audio_url: LINK }) },
      'body.provider.options.local.audio_url',
    ],
  ])('answers 400 to POST %s and names the field %j', async (path, body, field) => {
    const before = sent();
    const answer = await gateway.call('POST', path, {
      body: { model: 'local/echo-1', max_tokens: 5, ...body },
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(field);
    expect(sent()).toBe(before);
  });

  test('answers 400 where a preset that contains it is used', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const body = { model: CLAUDE, container: 'c', messages: HELLO };
    await (await manager.call('POST', '/presets/contained/chat/completions', { body })).arrayBuffer();
    for (const path of ['/messages', '/chat/completions']) {
      const used = { model: '@preset/contained', max_tokens: 5, messages: HELLO };
      const answer = await gateway.call('POST', path, { body: used });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('body.container');
    }
  });

  test('passes in a hosted tool that is dropped, and keeps the index of other tools', async () => {
    const hosted = { type: 'mcp', server_url: 'https://a.example' };
    const answer = await askResponse(gateway, { model: NATIVE, tools: [hosted] });
    expect(answer.headers.get('sluice-dropped-tools')).toBe('mcp');
    await responded(answer);
    expect(upstream.asked.at(-1)).not.toHaveProperty('tools');
    const tools = [hosted, { type: 'function', name: 'f', server_url: 'https://a.example' }];
    const error = await errorOf(await askResponse(gateway, { model: NATIVE, tools }));
    expect(error.metadata.issues).toMatchObject([{ path: 'body.tools.1.server_url' }]);
  });

  test('stays out of a reasoning item without encrypted_content sent to OpenAI', async () => {
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };
    const sealed = { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'sealed' };
    const input = [{ ...thought, id: 'rs_1' }, sealed, { role: 'user', content: 'Go on' }];
    await responded(await askResponse(gateway, { model: NATIVE, input }));
    expect(upstream.asked.at(-1)!['input']).toEqual([thought, sealed, input[2]]);
  });
});

describe("a stored object's id with the customer's own credential", () => {
  afterEach(() => clearOwnResources(gateway));

  const stored = { messages: IN_CHAT, model: 'local/echo-1' };
  const ask = (body: object = stored) => gateway.call('POST', '/chat/completions', { body });
  const untilOwn = () =>
    noticed(async () => {
      const { usage } = await completed(await ask({ ...stored, messages: HELLO }));
      return usage?.is_byok === true;
    });

  test('goes to a private endpoint and to no shared endpoint after it', async () => {
    await addPrivateEndpoint(gateway, server.baseUrl, {});
    await addCredential(gateway, server.apiKey, { base_url: server.baseUrl, origin: server.origin });
    await untilOwn();
    expect((await ask()).status).toBe(200);
    expect(server.requests('chat').at(-1)!.fields!['messages']).toEqual(IN_CHAT);
    const before = sent();
    server.addFaults({ kind: 'status', on: 'chat', status: 500, times: 5 });
    expect((await ask()).status).toBe(502);
    server.clearFaults();
    expect(sent()).toBe(before);
  });

  test('goes to a fallback credential before shared endpoints are tried', async () => {
    await addCredential(gateway, server.apiKey, {
      provider_slug: 'local',
      base_url: server.baseUrl,
      origin: server.origin,
      is_fallback: true,
    });
    const before = sent();
    await noticed(async () => (await ask()).status === 200);
    expect(sent()).toBe(before);
  });

  test('goes to OpenAI for a response, conversation, prompt and items', async () => {
    await addCredential(gateway, 'own', { provider_slug: 'openai', base_url: upstream.baseUrl });
    const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
    const file = { role: 'user', content: [{ type: 'input_file', file_id: 'f' }] };
    const named = {
      previous_response_id: 'resp_1',
      conversation: 'conv_1',
      prompt: { id: 'pmpt_1' },
      input: [{ type: 'item_reference', id: 'msg_1' }, thought, file],
    };
    await noticed(async () => {
      const answer = await askResponse(gateway, { model: NATIVE, ...named });
      await answer.arrayBuffer();
      return answer.status === 200;
    });
    expect(upstream.asked.at(-1)).toMatchObject({ ...named, store: false });
  });

  test("answers 400 naming the field when the customer's endpoint has no translation for it", async () => {
    await addPrivateEndpoint(gateway, server.baseUrl, {});
    await addCredential(gateway, server.apiKey, { base_url: server.baseUrl, origin: server.origin });
    await untilOwn();
    for (const [path, body, field] of [
      ['/responses', { input: 'Hm', previous_response_id: 'resp_1' }, 'body.previous_response_id'],
      ['/responses', { input: [{ type: 'item_reference', id: 'x' }] }, 'body.input.0.type'],
      ['/messages', { messages: HELLO, thread: { type: 'create' }, max_tokens: 5 }, 'body.thread'],
      ['/messages', { messages: DOCUMENT, max_tokens: 5 }, 'body.messages.0.content.0.source'],
    ] as const) {
      const answer = await gateway.call('POST', path, { body: { model: 'local/echo-1', ...body } });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(await answer.text()).toContain(field);
    }
  });
});
