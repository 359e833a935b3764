import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nanosToUsd } from '../../domain/money.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed, generationIdOf, ledgerRow } from '../support/chat.ts';
import {
  askCompletion,
  completedText,
  completionTextOf,
  readCompletionChunks,
} from '../support/completions.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration, logged } from '../support/generation-reads.ts';
import { addTextModels, type CountedTokens, keepsTextPromises } from './text-dialect-suite.ts';
import { updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addTextModels(gateway, 'test/failing');
  await updateWorkspace(manager(), gateway.workspaceId, { is_observability_io_logging_enabled: true });
});

afterAll(() => gateway.close());

const manager = () => createCaller(gateway.origin, gateway.managementKey);
const sent = () => gateway.upstream.requests('chat').at(-1)?.fields ?? {};

keepsTextPromises(() => gateway, {
  path: '/completions',
  model: 'test/failing',
  on: 'chat',
  midway: 3,
  saying: (text) => ({ prompt: text }),
  readWhole: async (response) => tokensIn((await completedText(response)).usage),
  async readStream(response) {
    const chunks = await readCompletionChunks(response);
    return { text: completionTextOf(chunks), tokens: tokensIn(chunks.at(-1)!.usage) };
  },
  async expectRefusal(response, status, reason) {
    expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
  },
  async readBroken(response, status) {
    const chunks = await readCompletionChunks(response);
    const failed = chunks.at(-1)!;
    expect(failed).toMatchObject({
      choices: [{ text: '', finish_reason: 'error' }],
      error: { code: status },
    });
    expect(failed.usage!.cost).toBeGreaterThan(0);
    return { text: completionTextOf(chunks) };
  },
});

function tokensIn(
  usage: { prompt_tokens: number; completion_tokens: number } | null | undefined,
): CountedTokens {
  return { input: usage!.prompt_tokens, output: usage!.completion_tokens };
}

describe('a completion', () => {
  test('has the id of its generation, whose ledger row has the same facts', async () => {
    const response = await askCompletion(gateway, { user: 'someone', session_id: 'a session' });
    const answer = await completedText(response);
    expect(answer).toMatchObject({
      id: generationIdOf(response),
      object: 'text_completion',
      model: 'local/echo-1',
      provider: 'Local upstream',
    });
    expect(answer.choices).toEqual([
      {
        text: 'You said: Hello there',
        index: 0,
        logprobs: null,
        finish_reason: 'stop',
        native_finish_reason: 'stop',
      },
    ]);
    const row = await ledgerRow(gateway, answer.id);
    expect(row).toMatchObject({
      status: 'completed',
      streamed: false,
      finish_reason: 'stop',
      session_id: 'a session',
      external_user: 'someone',
      tokens_completion: answer.usage!.completion_tokens,
    });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(answer.usage!.cost);
  });

  test('costs the same as the equal chat and sends the upstream the same request', async () => {
    const chat = await completed(await askChat(gateway, { max_tokens: 9, stop: '.' }));
    const asChat = sent();
    const text = await completedText(
      await askCompletion(gateway, { max_tokens: 9, stop: '.', best_of: 1, echo: false, logprobs: 0 }),
    );
    expect(sent()).toEqual(asChat);
    const ofTools = { tools: [], tool_choice: 'auto', parallel_tool_calls: true, modalities: ['text'] };
    await completedText(await askCompletion(gateway, { max_tokens: 9, stop: '.', ...ofTools }));
    expect(sent()).toEqual(asChat);
    expect(text.usage).toEqual(chat.usage);
  });

  test('has as many choices as n requests', async () => {
    const { choices } = await completedText(await askCompletion(gateway, { n: 2, best_of: 2 }));
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'You said: Hello there'],
      [1, 'You said: Hello there'],
    ]);
  });

  test('streams under one id, with usage and cost in the last chunk', async () => {
    const response = await askCompletion(gateway, { stream: true });
    const chunks = await readCompletionChunks(response);
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([generationIdOf(response)]));
    expect(completionTextOf(chunks)).toBe('You said: Hello there');
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
    const last = chunks.at(-1)!;
    expect(last.choices).toMatchObject([{ finish_reason: 'stop' }]);
    const row = await ledgerRow(gateway, last.id);
    expect(row).toMatchObject({ status: 'completed', streamed: true });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(last.usage!.cost);
  });

  test('sends usage in a chunk of its own if include_usage is set', async () => {
    const options = { stream: true, stream_options: { include_usage: true } };
    const chunks = await readCompletionChunks(await askCompletion(gateway, options));
    expect(chunks.at(-1)).toMatchObject({ object: 'text_completion', choices: [] });
    expect(chunks.at(-1)!.usage!.cost).toBeGreaterThan(0);
    for (const chunk of chunks.slice(0, -1)) expect(chunk).toHaveProperty('usage', null);
  });

  test('appears in GET /generation and in the log like a chat', async () => {
    const { id } = await completedText(await askCompletion(gateway, { prompt: ['Hello there'] }));
    const caller = createCaller(gateway.origin, gateway.apiKey);
    expect(await logged(caller, id)).toMatchObject({
      input: { messages: [{ role: 'user', content: 'Hello there' }] },
      output: { completion: 'You said: Hello there' },
    });
    const shown = await getGeneration(caller, id);
    expect(shown).toMatchObject({ id, api_type: 'completions', model: 'local/echo-1' });
  });
});

describe('a preset for a completion', () => {
  const preset = (slug: string, body: object) =>
    manager().call('POST', `/presets/${slug}/chat/completions`, {
      body: { model: 'local/echo-1', messages: [{ role: 'system', content: 'Be brief.' }], ...body },
    });

  test('adds its parameters and its system prompt', async () => {
    await (await preset('brief', { temperature: 0.3 })).text();
    await completedText(await askCompletion(gateway, { model: '@preset/brief' }));
    expect(sent()).toMatchObject({
      temperature: 0.3,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello there' },
      ],
    });
  });

  test('answers 400 for body.tools if it has tools', async () => {
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    await (await preset('handy', { tools })).text();
    const { code, metadata } = await errorOf(await askCompletion(gateway, { model: '@preset/handy' }));
    expect([code, metadata.issues]).toEqual([
      400,
      [{ path: 'body.tools', message: 'is not supported by this operation' }],
    ]);
  });
});

describe('POST /completions', () => {
  test.each<[string, object, number, string]>([
    ['an unknown model', { model: 'no/such' }, 404, 'model_not_found'],
    ['tokens', { prompt: [1, 2] }, 400, 'invalid_request'],
    ['several prompts', { prompt: ['a', 'b'] }, 400, 'invalid_request'],
    ['an echo', { echo: true }, 400, 'invalid_request'],
    ['a plugin', { plugins: [{ id: 'web' }] }, 400, 'invalid_request'],
    ['storage', { store: true }, 400, 'invalid_request'],
    ['a call of a tool', { tool_choice: 'required' }, 400, 'invalid_request'],
    ['sound', { modalities: ['text', 'audio'] }, 400, 'invalid_request'],
  ])(
    'answers a request for %s with its status and reason, without a generation',
    async (_what, body, status, reason) => {
      const response = await askCompletion(gateway, body);
      expect(response.headers.get('x-generation-id')).toBeNull();
      expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
    },
  );
});
