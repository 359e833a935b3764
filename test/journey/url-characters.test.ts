import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { configSchemas } from '../../contract/broadcast/destination-configs.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { CONFIGS, draftOf, makeDestination } from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { endpointDraft } from '../support/private-endpoints.ts';

/** What URL parsers drop or encode in silence, and what Postgres cannot store. */
const CHARACTERS = ['\0', '\t', '\n', '\x1b', '\x7f', '\x85', ' ', '\u00a0', '\u3000', '\ufeff'];

let gateway: Gateway;
let manager: Caller;
let destinationId: string;

beforeAll(async () => {
  gateway = await startGateway({ bootstrap: { entitlements: ['private_endpoints'] } });
  manager = createCaller(gateway.origin, gateway.managementKey);
  ({ id: destinationId } = await makeDestination(manager));
});

afterAll(() => gateway.close());

const user = (part: object) => ({ model: 'local/echo-1', messages: [{ role: 'user', content: [part] }] });

type Request = (url: string) => [method: string, path: string, body: object];

const PLACES: [field: string, request: Request][] = [
  [
    'body.callback_url',
    (url) => ['POST', '/videos', { model: 'local/clip-canned', prompt: 'x', callback_url: url }],
  ],
  [
    'body.default_callback_url',
    (url) => ['POST', '/workspaces', { name: 'x', slug: 'x', default_callback_url: url }],
  ],
  ['body.default_callback_url', (url) => ['PATCH', '/workspaces/:workspace', { default_callback_url: url }]],
  ['body.url', (url) => ['POST', '/workspaces/:workspace/webhook/test', { url }]],
  ['body.base_url', (url) => ['POST', '/private-endpoints', endpointDraft({ base_url: url })]],
  [
    'body.base_url',
    (url) => ['POST', '/byok', { provider: 'openai', key: 'a-key', name: 'x', base_url: url }],
  ],
  ['body.base_url', (url) => ['PUT', '/scim/source', { type: 'scim', base_url: url, token: 'x' }]],
  ['body.config.url', (url) => ['PATCH', '/observability/destinations/:destination', { config: { url } }]],
  ['image_url.url', (url) => ['POST', '/chat/completions', user({ type: 'image_url', image_url: { url } })]],
  [
    'source.url',
    (url) => [
      'POST',
      '/messages',
      { ...user({ type: 'image', source: { type: 'url', url } }), max_tokens: 5 },
    ],
  ],
  [
    'body.documents.0',
    (url) => ['POST', '/rerank', { model: 'local/rerank-1', query: 'x', documents: [{ image: url }] }],
  ],
  [
    'body.input_references.0',
    (url) => [
      'POST',
      '/images',
      { model: 'local/image-1', prompt: 'x', input_references: [{ type: 'image_url', image_url: { url } }] },
    ],
  ],
  [
    'body.input_references.0',
    (url) => [
      'POST',
      '/audio/speech',
      {
        model: 'local/speech-1',
        input: 'x',
        input_references: [{ type: 'input_audio', input_audio: { data: url } }],
      },
    ],
  ],
  [
    'body.frame_images.0',
    (url) => [
      'POST',
      '/videos',
      {
        model: 'local/clip-canned',
        frame_images: [{ type: 'image_url', image_url: { url }, frame_type: 'first_frame' }],
      },
    ],
  ],
  ...urlsOfDestinations(),
];

/** Every field of every type of destination that takes a URL. */
function urlsOfDestinations(): [field: string, request: Request][] {
  const names = ['host', 'url', 'baseUrl', 'endpoint', 'otlpEndpoint', 'dsn'];
  return (Object.keys(CONFIGS) as (keyof typeof CONFIGS)[]).flatMap((type) =>
    Object.keys(configSchemas[type].shape)
      .filter((name) => names.includes(name))
      .map((name): [string, Request] => [
        `body.config.${name}`,
        (url) => [
          'POST',
          '/observability/destinations',
          draftOf(type, { config: { ...CONFIGS[type], [name]: url } }),
        ],
      ]),
  );
}

describe('a URL with a blank or a control character', () => {
  test('covers at least twelve URL fields of destinations', () => {
    expect(urlsOfDestinations().length).toBeGreaterThanOrEqual(12);
  });

  test.each(
    PLACES.map(([field, request], n) => [`${n}: ${request('')[1]} ${field}`, field, request] as const),
  )('answers 400 and names the field in %s', async (_place, field, request) => {
    for (const character of CHARACTERS) {
      for (const url of [`https://a.example/${character}x`, `https://a.example/x${character}`]) {
        const [method, template, body] = request(url);
        const path = template
          .replace(':workspace', gateway.workspaceId)
          .replace(':destination', destinationId);
        const caller = /^\/(videos|chat|messages|rerank|images|audio)/.test(path)
          ? createCaller(gateway.origin, gateway.apiKey)
          : manager;
        const answer = await caller.call(method, path, { body });
        const error = await errorOf(answer);
        expect([JSON.stringify(character), answer.status]).toEqual([JSON.stringify(character), 400]);
        expect(JSON.stringify(error.metadata.issues)).toContain(field);
      }
    }
  });
});
