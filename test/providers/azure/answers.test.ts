import { describe, expect, test } from '@jest/globals';
import { startLoopbackServer } from '../../platform/loopback-server.ts';
import { chunksOf, failureOf, wordsOf } from '../text-adapter-under-test.ts';
import { AZURE_KEY, newContext, setUpAdapters } from '../connected-adapters.ts';

const CHAT = { model: 'our-gpt', messages: [{ role: 'user', content: 'Good evening' }] };
const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };
const PROMPT_FILTER = [{ prompt_index: 0, content_filter_results: SAFE }];
const MODEL = 'gpt-5-mini-2025-08-07';
const USAGE = { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 };

const piece = (more: object) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: MODEL,
  choices: [{ index: 0, content_filter_results: SAFE, finish_reason: null, ...more }],
});
const STREAM = [
  { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: PROMPT_FILTER },
  piece({ delta: { role: 'assistant', content: '' } }),
  piece({ delta: { content: 'Good' } }),
  piece({ delta: { content: ' day' } }),
  piece({ content_filter_offsets: { check_offset: 0, start_offset: 0, end_offset: 8 } }),
  piece({ delta: {}, finish_reason: 'stop' }),
  { id: 'chatcmpl-1', model: MODEL, choices: [], usage: USAGE },
];

describe('answers of Azure', () => {
  const connect = setUpAdapters('azure');

  async function answered<T>(
    { status = 200, headers = {}, body = '' }: { status?: number; headers?: object; body?: string },
    use: (chat: ReturnType<typeof connect>['chat']) => Promise<T>,
  ): Promise<T> {
    const resource = await startLoopbackServer((_, response) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body),
    );
    try {
      return await use(connect({ baseUrl: resource.origin, apiKey: AZURE_KEY }).chat);
    } finally {
      await resource.close();
    }
  }

  const refused = (status: number, error: object, headers = {}) =>
    answered({ status, headers, body: JSON.stringify({ error }) }, (chat) =>
      failureOf(chat.complete(CHAT, newContext())),
    );

  test('name the model, not the deployment', async () => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }];
    const body = JSON.stringify({ id: 'x', model: MODEL, choices, usage: USAGE });
    const answer = await answered({ body }, (chat) => chat.complete(CHAT, newContext()));
    expect(answer).toMatchObject({ model: MODEL, usage: USAGE });
  });

  test('contain all text and usage when streamed after an event about the prompt', async () => {
    const body = [...STREAM.map((event) => JSON.stringify(event)), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join('');
    const chunks = await answered({ headers: { 'content-type': 'text/event-stream' }, body }, async (chat) =>
      chunksOf(await chat.stream(CHAT, newContext())),
    );
    expect(wordsOf(chunks)).toBe('Good day');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: USAGE });
    // The id that is kept is the first: an empty one must not take its place.
    expect(chunks.find(({ id }) => id !== undefined)?.id).toBe('chatcmpl-1');
  });

  test('report a filtered prompt as content_policy', async () => {
    const error = await refused(400, {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: { violence: { filtered: true, severity: 'medium' } },
      },
    });
    expect(error).toMatchObject({ code: 'content_policy', status: 400, retryable: false });
    expect(error.publicMessage).toMatch(/content management policy/);
  });

  test('report rate_limited with the time to wait', async () => {
    const message = 'Requests have exceeded call rate limit. Please retry after 26 seconds.';
    const error = await refused(429, { code: '429', message }, { 'retry-after': '26' });
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 26_000 });
  });

  test.each([
    [401, '401', 'Access denied due to invalid subscription key or wrong API endpoint.', 'unauthorized'],
    [404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.', 'not_found'],
    [404, '404', 'Resource not found', 'not_found'],
    [400, 'unsupported_parameter', "Unsupported parameter: 'max_tokens'", 'invalid_request'],
    [503, 'ServiceUnavailable', 'The service is temporarily unable to process your request.', 'overloaded'],
  ])('map the refusal %d %s to its error code', async (status, word, message, code) => {
    expect(await refused(status, { code: word, message })).toMatchObject({ code, status });
  });

  test('hide the key that was sent in a header', async () => {
    const error = await refused(400, { code: 'x', message: `api-key ${AZURE_KEY} is odd` });
    expect(error.publicMessage).not.toContain(AZURE_KEY);
    expect(String(error.cause)).not.toContain(AZURE_KEY);
  });
});
