import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NotFoundResponseError } from '@openrouter/sdk/models/errors';
import { timestampOfId } from '../../domain/ids.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, generationIdOf, readEvents } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';
import { ended, submit } from '../support/jobs.ts';
import { publishedClient } from '../support/published-client.ts';

const UNKNOWN = 'gen-1767225600000-aaaaaaaaaaaaaaaaaaaa';

let gateway: Gateway;
let owner: Caller;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({
    worker: ['video'],
    env: { COUNTRY_HEADER: 'CF-IPCountry', PROVIDER_SECOND_API_KEY: 'upstream-key' },
  });
  owner = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
  await addChatModel(gateway, 'test/two', [
    { provider: 'local' },
    { provider: 'second', adapter: 'openai-compatible' },
  ]);
});

afterAll(() => gateway.close());

const clientOf = (apiKey: string) => publishedClient(gateway, apiKey);

/** A chat's answer, asked with headers that say who asks. */
async function ask(headers: Record<string, string>, body: object = {}): Promise<string> {
  const messages = [{ role: 'user', content: 'Hello there' }];
  const response = await owner.call('POST', '/chat/completions', {
    headers,
    body: { model: 'local/echo-1', messages, ...body },
  });
  return (await completed(response)).id;
}

describe('GET /generation', () => {
  test('returns usage, cost and attempts of a chat, field by field', async () => {
    const headers = {
      'http-referer': 'https://app.example.com/chat?x=1',
      'x-openrouter-title': 'Kites',
      'user-agent': 'kites/1.0',
      'x-request-id': 'the-request',
    };
    const response = await owner.call('POST', '/chat/completions', {
      headers,
      body: {
        model: 'local/echo-1',
        messages: [{ role: 'user', content: 'Hello there' }],
        user: 'customer-1',
        session_id: 'session-1',
      },
    });
    const { usage } = await completed(response);
    const id = generationIdOf(response);
    const shown = await getGeneration(owner, id);
    expect(shown).toEqual({
      id,
      request_id: 'the-request',
      session_id: 'session-1',
      created_at: new Date(timestampOfId(id)).toISOString(),
      model: 'local/echo-1',
      provider_name: 'Local upstream',
      api_type: 'completions',
      origin: 'https://app.example.com',
      app_id: expect.any(Number),
      workspace_id: gateway.workspaceId,
      external_user: 'customer-1',
      preset_id: null,
      usage: usage!.cost,
      total_cost: usage!.cost,
      cost_by_kind: {
        prompt: expect.any(Number),
        completion: expect.any(Number),
        cache_read: null,
        cache_write: null,
        reasoning: null,
        request: null,
        media: null,
      },
      is_byok: false,
      upstream_inference_cost: null,
      cache_discount: null,
      data_region: 'global',
      streamed: false,
      cancelled: false,
      finish_reason: 'stop',
      native_finish_reason: 'stop',
      latency: expect.any(Number),
      generation_time: expect.any(Number),
      moderation_latency: null,
      tokens_prompt: usage!.prompt_tokens,
      tokens_completion: usage!.completion_tokens,
      native_tokens_prompt: usage!.prompt_tokens,
      native_tokens_completion: usage!.completion_tokens,
      native_tokens_reasoning: null,
      native_tokens_cached: null,
      native_tokens_completion_images: null,
      num_media_prompt: null,
      num_media_completion: null,
      num_input_audio_prompt: null,
      num_search_results: null,
      num_fetches: null,
      web_search_engine: null,
      router: null,
      service_tier: null,
      http_referer: 'https://app.example.com/chat?x=1',
      user_agent: 'kites/1.0',
      upstream_id: expect.any(String),
      provider_responses: [
        {
          provider_name: 'Local upstream',
          endpoint_id: 'local/echo-1@local',
          status: 200,
          latency: expect.any(Number),
          is_byok: false,
        },
      ],
    });
    const again = await getGeneration(owner, await ask(headers));
    expect(again['app_id']).toBe(shown['app_id']);
  });

  test('returns chats, streams, embeddings and videos to the published client', async () => {
    const client = clientOf(gateway.apiKey);
    const embedded = await owner.call('POST', '/embeddings', {
      body: { model: 'local/embed-1', input: 'Hello' },
    });
    const streamed = await readEvents(await askChat(gateway, { stream: true }));
    const job = await ended(owner, (await submit(owner)).id);
    for (const [id, facts] of [
      [await ask({}), { apiType: 'completions', streamed: false, origin: '', appId: null }],
      [streamed[0]!.id, { apiType: 'completions', streamed: true }],
      [generationIdOf(embedded), { apiType: 'embeddings', tokensCompletion: 0 }],
      [
        job.generation_id!,
        { apiType: 'video', usage: 0.01, numMediaCompletion: 1, providerName: 'Local upstream' },
      ],
    ] as const) {
      const { data } = await client.generations.getGeneration({ id });
      expect(data).toMatchObject({ id, ...facts, isByok: false, cancelled: false });
      expect(data.providerResponses).toHaveLength(1);
      expect(data.providerResponses![0]).toMatchObject({ providerName: 'Local upstream' });
    }
  });

  test('lists every provider that was tried', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 503 });
    const shown = await getGeneration(
      owner,
      (await completed(await askChat(gateway, { model: 'test/two' }))).id,
    );
    expect(shown['provider_responses']).toMatchObject([
      { status: 503, error: 'overloaded' },
      { status: 200 },
    ]);
  });

  test('returns a failed generation with a cost of zero', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    const response = await askChat(gateway, {});
    await errorOf(response);
    expect(await getGeneration(owner, generationIdOf(response))).toMatchObject({
      usage: 0,
      total_cost: 0,
      tokens_prompt: null,
      finish_reason: 'error',
      cancelled: false,
      provider_responses: [{ status: 500, error: 'server_error' }],
    });
  });

  test('returns cancelled: true if the caller left', async () => {
    gateway.upstream.addFaults({ kind: 'hang-stream', events: 2 });
    const controller = new AbortController();
    const response = await fetch(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'local/echo-1',
        stream: true,
        messages: [{ role: 'user', content: 'Hello there' }],
      }),
    });
    controller.abort();
    const id = generationIdOf(response);
    const shown = await eventually('its generation', async () => {
      const answer = await owner.call('GET', `/generation?id=${id}`);
      return answer.status === 200 ? ((await answer.json()) as { data: object }).data : undefined;
    });
    expect(shown).toMatchObject({ cancelled: true, streamed: true, finish_reason: 'error' });
  });
});

describe('the ledger row of a generation', () => {
  const countryOf = async (header: string | undefined): Promise<string | null> => {
    const id = await ask(header === undefined ? {} : { 'cf-ipcountry': header });
    const { rows } = await gateway.database.query<{ country: string | null }>(
      'select country from generations where id = $1',
      [id],
    );
    return rows[0]!.country;
  };

  test.each([
    ['de', 'DE'],
    ['XX', null],
    ['T1', null],
    ['DE, US', null],
    [undefined, null],
  ])('stores the country of %j as %j', async (header, country) => {
    expect(await countryOf(header)).toBe(country);
  });
});

describe('a generation that the reader cannot see', () => {
  test('answers with the same bytes as an unknown one', async () => {
    const id = await ask({});
    const [neighbour, foreign] = await Promise.all([addWorkspace(gateway), addOrganization(gateway)]);
    const [near, far, chief] = await Promise.all([
      addKey(gateway, neighbour),
      addKey(gateway, foreign),
      addKey(gateway, { ...foreign, kind: 'management' }),
    ]);
    for (const path of ['/generation', '/generation/content']) {
      const unknown = await visibleParts(await owner.call('GET', `${path}?id=${UNKNOWN}`));
      expect(unknown.status).toBe(404);
      for (const { token } of [near, far, chief]) {
        const answer = await createCaller(gateway.origin, token).call('GET', `${path}?id=${id}`);
        expect(await visibleParts(answer)).toEqual(unknown);
      }
    }
    expect((await getGeneration(manager, id)).id).toBe(id);
  });

  test.each([
    '',
    'x',
    'gen-1-short',
    'gen-abc-aaaaaaaaaaaaaaaaaaaa',
    'gen-9999999999999999-aaaaaaaaaaaaaaaaaaaa',
    'gen-999999999999999-aaaaaaaaaaaaaaaaaaaa',
    'gen-0-aaaaaaaaaaaaaaaaaaaa',
    'gen-vid-1767225600000-aaaaaaaaaaaaaaaaaaaa',
    'gen-1767225600000-aaaaaaaaaaaaaaaaaaa%00',
    `gen-${'1'.repeat(5_000)}`,
  ])('answers an id like %j with the same bytes as an unknown one', async (id) => {
    for (const path of ['/generation', '/generation/content']) {
      const unknown = await visibleParts(await owner.call('GET', `${path}?id=${UNKNOWN}`));
      expect(await visibleParts(await owner.call('GET', `${path}?id=${id}`))).toEqual(unknown);
    }
  });

  test.each(['', '?id=a&id=b'])('answers 400 for the query %j', async (query) => {
    for (const path of ['/generation', '/generation/content']) {
      const error = await errorOf(await owner.call('GET', `${path}${query}`));
      expect(error).toMatchObject({ code: 400, metadata: { issues: [{ path: 'query.id' }] } });
    }
  });

  test('makes the published client throw its own NotFoundResponseError', async () => {
    const client = clientOf(gateway.apiKey);
    await expect(client.generations.getGeneration({ id: UNKNOWN })).rejects.toBeInstanceOf(
      NotFoundResponseError,
    );
    await expect(client.generations.listGenerationContent({ id: UNKNOWN })).rejects.toBeInstanceOf(
      NotFoundResponseError,
    );
  });
});
