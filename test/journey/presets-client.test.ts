import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ConflictResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { newSlug } from '../support/presets.ts';
import { publishedClient } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = clientOf(gateway.managementKey);
});

afterAll(() => gateway.close());

const clientOf = (apiKey: string) => publishedClient(gateway, apiKey);

const user = { role: 'user', content: 'Hello' } as const;

describe('the published client', () => {
  test('makes versions from chat, messages and responses requests', async () => {
    const slug = newSlug();
    const chat = await client.presets.createPresetsChatCompletions({
      slug,
      chatRequest: {
        model: 'a/b',
        maxTokens: 5,
        provider: { allowFallbacks: false, sort: 'price' },
        plugins: [{ id: 'web', maxResults: 3 }],
        stopServerToolsWhen: [{ type: 'step_count_is', stepCount: 3 }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        sessionId: 's',
        messages: [{ role: 'system', content: 'Be brief.' }, user],
      },
    });
    expect(chat.data).toMatchObject({
      slug,
      status: 'active',
      designatedVersion: {
        version: 1,
        systemPrompt: 'Be brief.',
        config: {
          model: 'a/b',
          max_tokens: 5,
          provider: { allow_fallbacks: false, sort: 'price' },
          plugins: [{ id: 'web', max_results: 3 }],
          stop_server_tools_when: [{ type: 'step_count_is', step_count: 3 }],
          tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        },
      },
    });
    const messages = await client.presets.createPresetsMessages({
      slug,
      messagesRequest: {
        model: 'a/b',
        maxTokens: 5,
        system: 'Be kind.',
        cacheControl: { type: 'ephemeral', ttl: '1h' },
        fallbacks: [{ model: 'c/d' }],
        outputConfig: { effort: 'high' },
        speed: 'fast',
        stopSequences: ['END'],
        tools: [{ name: 'f', inputSchema: { type: 'object' } }],
        toolChoice: { type: 'any' },
        messages: [user],
      },
    });
    expect(messages.data.designatedVersion).toMatchObject({
      version: 2,
      systemPrompt: 'Be kind.',
      config: {
        model: 'a/b',
        models: ['c/d'],
        max_tokens: 5,
        cache_control: { type: 'ephemeral', ttl: '1h' },
        reasoning: { effort: 'high' },
        service_tier: 'fast',
        stop: ['END'],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        tool_choice: 'required',
      },
    });
    const responses = await client.presets.createPresetsResponses({
      slug,
      responsesRequest: {
        model: 'a/b',
        maxOutputTokens: 5,
        instructions: 'Be exact.',
        input: 'Hello',
        text: { format: { type: 'json_object' } },
      },
    });
    expect(responses.data.designatedVersion).toMatchObject({
      version: 3,
      systemPrompt: 'Be exact.',
      config: { model: 'a/b', max_tokens: 5, response_format: { type: 'json_object' } },
    });
  });

  test('reads presets and versions, page by page', async () => {
    const slugs = [newSlug(), newSlug(), newSlug()];
    for (const slug of slugs) {
      for (const seed of [1, 2, 3]) {
        const chatRequest = { seed, messages: [user] };
        await client.presets.createPresetsChatCompletions({ slug, chatRequest });
      }
    }
    const seen: string[] = [];
    for await (const { result } of await client.presets.list({ limit: 2 })) {
      seen.push(...result.data.map(({ slug }) => slug));
    }
    expect(seen.slice(0, 3)).toEqual(slugs.toReversed());
    const slug = slugs[0]!;
    const versions: number[] = [];
    for await (const { result } of await client.presets.listVersions({ slug, limit: 2 })) {
      versions.push(...result.data.map((one) => one?.version ?? 0));
    }
    expect(versions).toEqual([1, 2, 3]);
    expect((await client.presets.get({ slug })).data.designatedVersion?.version).toBe(3);
    expect((await client.presets.getVersion({ slug, version: '2' })).data?.config).toEqual({ seed: 2 });
  });
});

describe('an error of the published client', () => {
  const post = (slug: string, asker = client, model = 'a/b'): Promise<unknown> =>
    asker.presets.createPresetsMessages({ slug, messagesRequest: { model, messages: [user] } });

  test.each<[name: string, call: () => Promise<unknown>, type: new (...args: never[]) => Error]>([
    ['400', () => post(newSlug(), client, '@preset/other'), BadRequestResponseError],
    ['401', () => post(newSlug(), clientOf('sk-slc-none')), UnauthorizedResponseError],
    ['403', () => post(newSlug(), clientOf(gateway.apiKey)), ForbiddenResponseError],
    ['404 for a preset', () => client.presets.get({ slug: 'none' }), NotFoundResponseError],
    [
      '404 for a version',
      () => client.presets.getVersion({ slug: 'none', version: '1' }),
      NotFoundResponseError,
    ],
  ])('has its own class for %s', async (_name, call, type) => {
    await expect(call()).rejects.toBeInstanceOf(type);
  });

  test('has its own class for 409 of an archived preset', async () => {
    const slug = newSlug();
    await post(slug);
    await createCaller(gateway.origin, gateway.managementKey).call('DELETE', `/presets/${slug}`);
    await expect(post(slug)).rejects.toBeInstanceOf(ConflictResponseError);
  });
});
