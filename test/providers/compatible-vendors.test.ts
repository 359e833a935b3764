/** Checks the vendors that need no adapter of their own: each gets a demanding request in the form of its own wire. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import { COMPATIBLE_VENDORS } from '../../providers/openai-compatible/vendors.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import type { ChatAdapter } from '../../providers/chat-adapter.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createProviders, needsKey } from '../../providers/registry.ts';
import { freeAnswer } from '../support/free-answer.ts';
import { startStrictVendor, WIRES } from './strict-vendor.ts';
import { chunksOf, failureOf, wordsOf } from './text-adapter-under-test.ts';

/** A second turn with everything that some vendor refuses. */
const REQUEST = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    { role: 'user', name: 'ann', content: 'Hi' },
    { role: 'assistant', content: 'Yes?', reasoning: 'why', reasoning_content: 'why' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'One' },
        { type: 'text', text: 'Two' },
      ],
    },
  ],
  max_completion_tokens: 64,
  seed: 7,
  reasoning: { effort: 'high' },
};

let vendor: Awaited<ReturnType<typeof startStrictVendor>>;
let outbound: OutboundGuard;
const dispatcher = createProviderDispatcher();
beforeAll(async () => {
  vendor = await startStrictVendor();
  outbound = createOutboundGuard({ allow: ['127.0.0.0/8'] });
});
afterAll(async () => {
  await dispatcher.destroy();
  await outbound.close();
  await vendor.close();
});

function providerOf(
  slug: string,
  apiKey: string | null = 'sk-vendor',
  adapter = 'compatible-vendor',
): Provider {
  const { pathname } = new URL(`http://x${WIRES[slug]?.path.replace(/\/chat\/completions$/, '')}`);
  const rows = [{ slug, adapter, baseUrl: `${vendor.origin}${pathname.replace(/\/$/, '')}` }];
  vendor.wire = WIRES[slug]!;
  return createProviders({
    rows,
    credentials: () => (apiKey === null ? {} : { apiKey }),
    outbound,
    dispatcher,
  }).get(slug)!;
}

const chatOf = (slug: string, apiKey?: string): ChatAdapter => providerOf(slug, apiKey).chat!;
const sent = () => JSON.parse(vendor.calls.at(-1)!.body) as Record<string, unknown> & { messages: object[] };
const context = (): LiveCallContext => ({
  signal: new AbortController().signal,
  requestId: 'req_test',
  timeouts: { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 },
  answer: freeAnswer(true),
});

const SLUGS = COMPATIBLE_VENDORS.map(({ slug }) => slug);

test('every vendor has a wire here, and its address in the catalog leads to that path', () => {
  expect(Object.keys(WIRES)).toEqual(SLUGS);
  for (const { slug, baseUrl } of COMPATIBLE_VENDORS) {
    if (baseUrl !== undefined)
      expect([slug, `${new URL(baseUrl).pathname}/chat/completions`.replace('//', '/')]).toEqual([
        slug,
        WIRES[slug]!.path,
      ]);
  }
});

describe.each(SLUGS)('%s', (slug) => {
  test('takes a whole request in its own form', async () => {
    const { choices } = await chatOf(slug).complete(REQUEST, context());
    expect(choices[0]?.message.content).toBe('Hello');
    const { max_tokens: older, max_completion_tokens: newer } = sent();
    expect(older ?? newer).toBe(64);
  });

  test('takes a streamed request in its own form', async () => {
    const chunks = await chunksOf(await chatOf(slug).stream(REQUEST, context()));
    expect(wordsOf(chunks)).toBe('Hello');
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 1 });
  });

  test('refuses a wrong key as unauthorized, without the key in the message', async () => {
    const failing = chatOf(slug, 'sk-wrong');
    const { answer } = vendor;
    vendor.answer = (_, response) => {
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"error":{"message":"bad key sk-wrong"}}');
    };
    const failure = await failureOf(failing.complete(REQUEST, context()));
    vendor.answer = answer;
    expect(failure).toMatchObject({ code: 'unauthorized' });
    expect(failure.publicMessage).not.toContain('sk-wrong');
  });
});

const OWN_SERVERS = COMPATIBLE_VENDORS.filter(({ ownServer }) => ownServer).map(({ slug }) => slug);

test.each(OWN_SERVERS)('%s needs an address and no key, and gets no URL to fetch', async (slug) => {
  const row = bundledCatalogs().flatMap(({ providers }) => providers.filter((one) => one.slug === slug))[0]!;
  expect([row.baseUrl, needsKey(row.adapter)]).toEqual([null, false]);
  const provider = providerOf(slug, null, row.adapter);
  expect((await provider.chat!.complete(REQUEST, context())).choices[0]?.message.content).toBe('Hello');
  expect(vendor.calls.at(-1)?.key).toBeUndefined();
  expect(provider.takesUrls).toBeUndefined();
});

test('joins texts for vendors that take one text', async () => {
  await chatOf('deepseek').complete(REQUEST, context());
  expect(sent().messages.at(-1)).toEqual({ role: 'user', content: 'One\nTwo' });
});

test.each([
  ['high', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
  ['none', { thinking: { type: 'disabled' } }],
])('switches thoughts for the effort %s at vendors with a switch', async (effort, expected) => {
  await chatOf('z-ai').complete({ ...REQUEST, reasoning: { effort } }, context());
  const { thinking, reasoning_effort: level } = sent();
  expect({ thinking, reasoning_effort: level }).toEqual({ reasoning_effort: undefined, ...expected });
});

test('sends the seed under the name that Mistral has for it', async () => {
  await chatOf('mistral').complete(REQUEST, context());
  expect(sent()).toMatchObject({ random_seed: 7, max_tokens: 64 });
});

test('keeps thoughts for vendors that name them reasoning', async () => {
  await chatOf('groq').complete(REQUEST, context());
  expect(sent().messages[2]).toEqual({ role: 'assistant', content: 'Yes?', reasoning: 'why' });
});

test('leaves pictures beside texts as parts', async () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  ];
  await chatOf('together').complete({ model: 'm', messages: [{ role: 'user', content }] }, context());
  expect(sent().messages[0]).toEqual({ role: 'user', content });
});

const catalog = bundledCatalogs().find(({ providers }) => providers.some(({ slug }) => slug === 'mistral'))!;

test.each(
  catalog.liveEndpoints.map(({ id, providerSlug, upstreamModelId }) => [id, providerSlug, upstreamModelId]),
)('calls %s by its name at the vendor', async (_, slug, model) => {
  await chatOf(slug).complete({ ...REQUEST, model }, context());
  expect(sent()['model']).toBe(model);
});
