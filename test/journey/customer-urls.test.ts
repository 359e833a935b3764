import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel, addEmbeddingsModel } from '../support/catalog.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askMessage, messageIn } from '../support/messages.ts';
import { askResponse, responded } from '../support/responses.ts';

/** The one address that may be reached from here, and another of this machine that may not. */
const OPEN = '127.0.0.1';
const PRIVATE = '127.0.0.2';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const PDF = Buffer.from('%PDF-1.7 and more');
const MP4 = Buffer.from('\0\0\0\x18ftypisom and more', 'latin1');
const PICTURE = `data:image/png;base64,${PNG.toString('base64')}`;
const VIDEO = `data:video/mp4;base64,${MP4.toString('base64')}`;
const DOCUMENT = `data:application/pdf;base64,${PDF.toString('base64')}`;

let gateway: Gateway;
let host: LoopbackServer;
let internal: LoopbackServer;
let embedder: LoopbackServer;
const fetched: IncomingMessage[] = [];
const embedded: string[] = [];

beforeAll(async () => {
  internal = await startLoopbackServer((_request, response) => response.end(PNG), undefined, PRIVATE);
  host = await startLoopbackServer((request, response) => {
    fetched.push(request);
    if (request.url === '/inside.png') response.writeHead(302, { location: `${internal.origin}/a` }).end();
    else if (request.url === '/gone.png') response.writeHead(404).end();
    else if (request.url !== '/slow.png') response.end({ '/a.pdf': PDF, '/a.mp4': MP4 }[request.url!] ?? PNG);
  });
  embedder = await startLoopbackServer(async (request, response) => {
    embedded.push(Buffer.concat(await request.toArray()).toString());
    response.end(JSON.stringify({ data: [{ embedding: [1], index: 0 }] }));
  });
  gateway = await startGateway({
    env: { OUTBOUND_ALLOW: `${OPEN}/32`, PROVIDER_CLAUDE_API_KEY: 'upstream-key' },
  });
  const own = { provider: 'own', adapter: 'openai-compatible', baseUrl: embedder.origin };
  await addEmbeddingsModel(gateway, 'test/eyes', [own], { inputModalities: ['text', 'image'] });
  await addChatModel(gateway, 'test/vendor', [{ provider: 'claude', adapter: 'anthropic' }]);
});

afterAll(async () => {
  await gateway.close();
  for (const server of [host, internal, embedder]) await server.close();
});

beforeEach(() => void fetched.splice(0));

const at = (path: string): string => `${host.origin}${path}`;
const sentChat = () => gateway.upstream.requests('chat').at(-1)?.fields?.['messages'];
const user = (...content: object[]) => [{ role: 'user', content }];
const picture = (url: string) => ({ type: 'image_url', image_url: { url } });
const block = (url: string, type = 'image') => ({ type, source: { type: 'url', url } });

function embed(...urls: string[]): Promise<Response> {
  const body = { model: 'test/eyes', input: [{ content: urls.map(picture) }] };
  return createCaller(gateway.origin, gateway.apiKey).call('POST', '/embeddings', { body });
}

describe('an upstream of the operator', () => {
  test('receives media in place of URLs in a chat', async () => {
    const video = { type: 'video_url', video_url: { url: at('/a.mp4') } };
    await completed(await askChat(gateway, { messages: user(picture(at('/a.png')), video) }));
    expect(sentChat()).toEqual(user(picture(PICTURE), { type: 'video_url', video_url: { url: VIDEO } }));
  });

  test('receives media in place of URLs in a streamed chat', async () => {
    await readEvents(await askChat(gateway, { stream: true, messages: user(picture(at('/a.png'))) }));
    expect(sentChat()).toEqual(user(picture(PICTURE)));
  });

  test('receives media in place of URLs in a message', async () => {
    const tool_result = { type: 'tool_result', tool_use_id: 't', content: [block(at('/b.png'))] };
    const messages = [
      ...user(block(at('/a.png')), block(at('/a.pdf'), 'document')),
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'draw', input: {} }] },
      ...user(tool_result),
    ];
    await messageIn(await askMessage(gateway, { messages }));
    expect(sentChat()).toMatchObject([
      { content: [picture(PICTURE), { type: 'file', file: { file_data: DOCUMENT } }] },
      { role: 'assistant' },
      { role: 'tool', content: [picture(PICTURE)] },
    ]);
  });

  test("receives media in place of URLs in a message's provider options", async () => {
    const provider = { options: { local: { system: [block(at('/a.png'))] } } };
    await messageIn(await askMessage(gateway, { provider }));
    expect(sentChat()).toMatchObject([{ role: 'system', content: [picture(PICTURE)] }, {}]);
  });

  test('receives media in place of URLs in a response', async () => {
    const content = [
      { type: 'input_image', image_url: at('/a.png') },
      { type: 'input_file', file_url: at('/a.pdf') },
      { type: 'input_video', video_url: at('/a.mp4') },
    ];
    const called = { type: 'function_call', call_id: 'c', name: 'draw', arguments: '{}' };
    const output = [{ type: 'input_image', image_url: at('/b.png') }];
    const input = [{ role: 'user', content }, called, { type: 'function_call_output', call_id: 'c', output }];
    await responded(await askResponse(gateway, { input }));
    expect(sentChat()).toMatchObject([
      {
        content: [
          picture(PICTURE),
          { type: 'file', file: { filename: 'a.pdf', file_data: DOCUMENT } },
          { type: 'video_url', video_url: { url: VIDEO } },
        ],
      },
      { role: 'assistant' },
      { role: 'tool', content: [picture(PICTURE)] },
    ]);
  });

  test('receives media in place of URLs in embeddings', async () => {
    const response = await embed(at('/a.png'));
    expect([response.status, await response.json()]).toMatchObject([200, { data: [{ embedding: [1] }] }]);
    expect(JSON.parse(embedded.at(-1)!)).toMatchObject({ input: [{ content: [picture(PICTURE)] }] });
  });

  test('receives media that are fetched without any credential', async () => {
    await completed(await askChat(gateway, { messages: user(picture(at('/a.png'))) }));
    expect(fetched).toHaveLength(1);
    expect(fetched[0]!.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(fetched[0]!.rawHeaders)).not.toContain(gateway.apiKey);
  });
});

describe('an internal address', () => {
  /** How each operation is asked to fetch a URL, and what it calls the place. */
  const OPERATIONS: [string, (url: string) => Promise<Response>, string][] = [
    [
      'a chat',
      (url) => askChat(gateway, { messages: user(picture(url)) }),
      'body.messages.0.content.0.image_url.url',
    ],
    [
      'a message',
      (url) => askMessage(gateway, { messages: user(block(url)) }),
      'body.messages.0.content.0.source.url',
    ],
    [
      'a response',
      (url) => askResponse(gateway, { input: user({ type: 'input_file', file_url: url }) }),
      'body.input.0.content.0.file_url',
    ],
    ['embeddings', (url) => embed(url), 'body.input.0.content.0.image_url.url'],
  ];
  const WAYS: [string, () => string, string][] = [
    ['that the URL names', () => `${internal.origin}/a`, 'The URL leads to an address that is not allowed'],
    ['that another host redirects to', () => at('/inside.png'), 'could not be fetched as '],
  ];
  const CASES = OPERATIONS.flatMap(([operation, ask, path]) =>
    WAYS.map(([way, url, message]) => ({ operation, way, ask, url, path, message })),
  );

  test.each(CASES)('$way never gets a connection from $operation', async ({ ask, url, path, message }) => {
    const asked = gateway.upstream.requests('chat').length + embedded.length;
    const response = await ask(url());
    const { metadata } = await errorOf(response);
    expect(response.status).toBe(400);
    expect(metadata.issues).toEqual([{ path, message: expect.stringContaining(message) }]);
    expect(gateway.upstream.requests('chat').length + embedded.length).toBe(asked);
    expect(internal.connections()).toBe(0);
  });
});

describe("a vendor's upstream", () => {
  const ask = (url: string) => askChat(gateway, { model: 'test/vendor', messages: user(picture(url)) });
  const asked = () => gateway.upstream.requests('messages');

  test('receives a URL unchanged, and the gateway never fetches it', async () => {
    await completed(await ask(at('/a.png')));
    expect(asked().at(-1)?.fields?.['messages']).toMatchObject([{ content: [block(at('/a.png'))] }]);
    expect(fetched).toEqual([]);
  });

  test('never receives a private address', async () => {
    const before = asked().length;
    const { metadata } = await errorOf(await ask('https://10.0.0.1/a.png'));
    expect(metadata.issues).toMatchObject([{ path: 'body.messages.0.content.0.image_url.url' }]);
    expect(asked()).toHaveLength(before);
  });
});

test('a URL that cannot be fetched answers 400 and costs nothing', async () => {
  const response = await askChat(gateway, { messages: user(picture(at('/gone.png'))) });
  const { metadata } = await errorOf(response);
  expect(metadata.issues).toEqual([
    { path: 'body.messages.0.content.0.image_url.url', message: 'could not be fetched as an image' },
  ]);
  expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({
    status: 'failed',
    cost_nanos: '0',
  });
});

test('a caller who leaves ends the fetch of a URL', async () => {
  const leaving = new AbortController();
  const body = { model: 'local/echo-1', messages: user(picture(at('/slow.png'))) };
  const asking = fetch(`${gateway.origin}/api/v1/chat/completions`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: unknown) => error);
  await eventually('a fetch', async () => (fetched.length === 1 ? true : undefined));
  leaving.abort();
  await asking;
  await eventually('the end of the fetch', async () => (fetched[0]!.destroyed ? true : undefined));
});
