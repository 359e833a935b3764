import { describe, expect, test } from '@jest/globals';
import type { LiveModel } from '../../../../domain/catalog/catalog.ts';
import { ProviderError } from '../../../../domain/provider-error.ts';
import type { TextRequest } from '../../../../providers/chat-adapter.ts';
import type { ChatBody } from '../../../../services/live/chat/chat-body.ts';
import { createChatService } from '../../../../services/live/chat/chat-service.ts';
import { closeAfterEach, guardWith, serve } from '../../../platform/outbound-setup.ts';
import { createLiveScene, liveCall, type LiveScene } from '../../../support/live-scene.ts';

closeAfterEach();

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const DATA_URL = `data:image/png;base64,${PNG.toString('base64')}`;
const FAILS = new ProviderError({ code: 'server_error', sent: true, retryable: true, publicMessage: 'No' });

interface Sent {
  to: string;
  urls: unknown[];
}

const bodyOf = (...urls: string[]): ChatBody => ({
  model: 'm/one',
  messages: [{ content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }],
});
const urlsOf = (fields: TextRequest | ChatBody): unknown[] =>
  (fields['messages'] as { content: { image_url: { url: unknown } }[] }[])[0]!.content.map(
    ({ image_url: image }) => image.url,
  );

/** Asks a chat of providers in this order. Those called `vendor…` take URLs; those that end in `!` fail. */
async function ask(providers: string[], body: ChatBody, guard = guardWith()) {
  const sent: Sent[] = [];
  const scene = createLiveScene(({ endpoint: { providerSlug: slug } }) => ({
    ...(slug.startsWith('vendor') ? { takesUrls: true } : {}),
    chat: {
      cacheControl: false,
      async complete(request: TextRequest) {
        sent.push({ to: slug, urls: urlsOf(request) });
        if (slug.endsWith('!')) throw FAILS;
        const message = { role: 'assistant', content: 'Hi' };
        return { choices: [{ index: 0, finish_reason: 'stop', message }] };
      },
      stream: () => Promise.reject(new Error('not asked for')),
    },
  }));
  const service = createChatService({ ...servedBy(scene, providers), outbound: guard });
  const error: unknown = await service.create(liveCall(body)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { sent, error, rows: scene.rows, reserved: scene.reserved() };
}

function servedBy({ deps }: LiveScene, providers: string[]): LiveScene['deps'] {
  const model = deps.catalog.findLiveModel('m/one', 'chat')!;
  const [first] = model.endpoints;
  const endpoints = providers.map((slug) => ({ ...first!, id: `m/one@${slug}`, providerSlug: slug }));
  return { ...deps, catalog: { ...deps.catalog, findLiveModel: (): LiveModel => ({ ...model, endpoints }) } };
}

describe('the URLs of a request', () => {
  test('need one fetch for all own upstreams and leave the body unchanged', async () => {
    const { origin, connections } = await serve((_request, response) => response.end(PNG));
    const body = bodyOf(origin);
    const { sent } = await ask(['first!', 'second!', 'third'], body);
    expect(sent).toEqual(['first!', 'second!', 'third'].map((to) => ({ to, urls: [DATA_URL] })));
    expect(connections()).toBe(1);
    expect(urlsOf(body)).toEqual([origin]);
  });

  test('go unchanged to a vendor after an own upstream failed', async () => {
    const { origin } = await serve((_request, response) => response.end(PNG));
    const { sent } = await ask(['own!', 'vendor'], bodyOf(origin));
    expect(sent).toEqual([
      { to: 'own!', urls: [DATA_URL] },
      { to: 'vendor', urls: [origin] },
    ]);
  });

  test('need no fetch and no DNS lookup for a vendor', async () => {
    const guard = guardWith({ resolve: () => Promise.reject(new Error('looked up')) });
    const url = 'https://media.example/a.png';
    const { sent } = await ask(['vendor'], bodyOf(url), guard);
    expect(sent).toEqual([{ to: 'vendor', urls: [url] }]);
  });

  test('go to a vendor when they cannot be fetched', async () => {
    const { origin } = await serve((_request, response) => response.writeHead(404).end());
    expect((await ask(['own', 'vendor'], bodyOf(origin))).sent).toEqual([{ to: 'vendor', urls: [origin] }]);
  });

  test('cause a 400 with a free row when they cannot be fetched and no vendor exists', async () => {
    const { origin, connections } = await serve((_request, response) => response.writeHead(404).end());
    const { sent, error, rows, reserved } = await ask(['own', 'other'], bodyOf(DATA_URL, origin));
    expect(error).toMatchObject({
      code: 'invalid_request',
      options: {
        issues: [
          {
            path: 'body.messages.0.content.1.image_url.url',
            message: 'could not be fetched as an image',
          },
        ],
      },
    });
    expect(rows).toMatchObject([{ status: 'failed', costNanos: 0n }]);
    expect([sent, reserved, connections()]).toEqual([[], 0, 1]);
  });

  test.each([
    ['a private address', 'https://10.0.0.1/a.png', 'address that is not allowed'],
    ['an address in another spelling', 'https://2852039166/', 'address that is not allowed'],
    ['a host of cloud metadata', 'https://metadata.google.internal/', 'host that is not allowed'],
    ['a password', 'https://user:secret@media.example/', 'user name or password'],
    ['another scheme', 'file:///etc/passwd', 'must use https'],
    ['no URL at all', '/etc/passwd', 'is not valid'],
  ])('cause a 400 without reservation or DNS lookup when they contain %s', async (_what, url, message) => {
    const guard = guardWith({ resolve: () => Promise.reject(new Error('looked up')) });
    for (const provider of ['own', 'vendor']) {
      const { sent, error, rows } = await ask([provider], bodyOf('https://media.example/', url), guard);
      expect(error).toMatchObject({
        code: 'invalid_request',
        options: { issues: [{ path: 'body.messages.0.content.1.image_url.url' }] },
      });
      expect((error as { options: { issues: object[] } }).options.issues).toMatchObject([
        { message: expect.stringContaining(message) },
      ]);
      expect([sent, rows]).toEqual([[], []]);
    }
  });

  test('go unchanged to every upstream when they are data URLs', async () => {
    const { sent } = await ask(['own'], bodyOf('data:text/weird,x', DATA_URL));
    expect(sent).toEqual([{ to: 'own', urls: ['data:text/weird,x', DATA_URL] }]);
  });
});
