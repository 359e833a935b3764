import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_CLAUDE_API_KEY: 'upstream-key' } });
  await addChatModel(gateway, 'test/native', [{ provider: 'claude', adapter: 'anthropic' }]);
});

afterAll(() => gateway.close());

const messages = [{ role: 'user', content: 'Hello' }];
const OPERATIONS: [string, object][] = [
  ['/rerank', { model: 'local/rerank-1', query: 'a river', documents: ['the river'] }],
  ['/images', { model: 'local/image-canned', prompt: 'A lighthouse' }],
  ['/images', { model: 'local/image-canned', prompt: 'A lighthouse', stream: true }],
  ['/audio/speech', { model: 'local/speech-canned', input: 'Hello' }],
  ['/messages', { model: 'local/echo-1', max_tokens: 9, messages }],
  ['/messages', { model: 'test/native', max_tokens: 9, messages, stream: true }],
  ['/responses', { model: 'local/echo-1', input: 'Hello' }],
  ['/embeddings', { model: 'local/embed-1', input: 'Hello' }],
];

const LONGEST = 'é'.repeat(256);
/** 256 characters, as JSON Schema counts them, and 512 UTF-16 units. */
const LONGEST_IN_PAIRS = '🎬'.repeat(256);

/** Who asks, and which of his visits it is, is for the ledger and for nobody else. */
describe.each(OPERATIONS)('%s %j', (path, body) => {
  const ask = (more: object, headers: Record<string, string> = {}) =>
    createCaller(gateway.origin, gateway.apiKey).call('POST', path, { body: { ...body, ...more }, headers });

  async function rowOf(response: Response) {
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    return ledgerRow(gateway, generationIdOf(response));
  }

  test('stores session and user in the ledger, and sends neither upstream', async () => {
    const before = gateway.upstream.requests().length;
    const trace = { trace_id: 'secret-trace', anything: 'secret-extra' };
    const asked = { session_id: 'secret-visit', user: 'secret-user', trace };
    const row = await rowOf(await ask(asked, { 'x-session-id': 'secret-header' }));
    expect(row).toMatchObject({ session_id: 'secret-visit', external_user: 'secret-user' });
    const sent = gateway.upstream.requests().slice(before);
    expect(sent.length).toBeGreaterThan(0);
    expect(JSON.stringify(sent)).not.toContain('secret-');
  });

  test('reads the session from the header if the body has none', async () => {
    expect(await rowOf(await ask({}, { 'x-session-id': 'by-header' }))).toMatchObject({
      session_id: 'by-header',
      external_user: null,
    });
  });

  test('treats an empty session as none', async () => {
    expect(await rowOf(await ask({ session_id: '' }, { 'x-session-id': '' }))).toMatchObject({
      session_id: null,
    });
    expect(await rowOf(await ask({ session_id: '' }, { 'x-session-id': 'by-header' }))).toMatchObject({
      session_id: 'by-header',
    });
  });

  test('reads the bytes of the header as UTF-8', async () => {
    const header = Buffer.from('Büro 🚀').toString('latin1');
    expect(await rowOf(await ask({}, { 'x-session-id': header }))).toMatchObject({ session_id: 'Büro 🚀' });
    const longest = Buffer.from(LONGEST_IN_PAIRS).toString('latin1');
    expect(await rowOf(await ask({}, { 'x-session-id': longest }))).toMatchObject({
      session_id: LONGEST_IN_PAIRS,
    });
  });

  test('ignores the header, even an invalid one, if the body has a session', async () => {
    const headers = { 'x-session-id': 'x'.repeat(257) };
    expect(await rowOf(await ask({ session_id: 'mine' }, headers))).toMatchObject({ session_id: 'mine' });
  });

  test('accepts 256 characters', async () => {
    expect(await rowOf(await ask({ session_id: LONGEST, user: LONGEST }))).toMatchObject({
      session_id: LONGEST,
      external_user: LONGEST,
    });
  });

  test('counts a surrogate pair as one character', async () => {
    const row = await rowOf(await ask({ session_id: LONGEST_IN_PAIRS, user: LONGEST_IN_PAIRS }));
    expect(row).toMatchObject({ session_id: LONGEST_IN_PAIRS, external_user: LONGEST_IN_PAIRS });
  });

  test.each<[object, Record<string, string>, string]>([
    [{ session_id: `${LONGEST_IN_PAIRS}x` }, {}, 'body.session_id'],
    [{ user: `${LONGEST}x` }, {}, 'body.user'],
    [{}, { 'x-session-id': 'x'.repeat(257) }, 'headers.x-session-id'],
    [{ session_id: 'a\u0000b' }, {}, 'body.session_id'],
    [{ trace: 'x' }, {}, 'body.trace'],
  ])('answers 400 to an invalid session, user or trace and names it (%#)', async (more, headers, name) => {
    const response = await ask(more, headers);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { metadata: { issues: [{ path: name }] } },
    });
  });
});
