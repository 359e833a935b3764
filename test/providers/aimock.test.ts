import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Aimock,
  AIMOCK_ANSWER,
  AIMOCK_CALL,
  AIMOCK_KEY,
  AIMOCK_QUESTION,
  startAimock,
} from '../support/aimock.ts';
import { newContext, setUpAdapters } from './connected-adapters.ts';
import { chunksOf, failureOf, wordsOf } from './text-adapter-under-test.ts';

const CHAT = { model: 'our-gpt', messages: [{ role: 'user', content: AIMOCK_QUESTION }] };

let server: Aimock;
beforeAll(async () => {
  server = await startAimock();
});
afterAll(() => server.close());

const OPENAI = [
  ['openai-compatible', '/v1', undefined],
  ['azure', '', undefined],
  ['azure', '/openai/v1/', undefined],
  ['azure', '', '2024-10-21'],
] as const;
const GEMINI = ['google', '/v1beta', undefined] as const;
const BEDROCK = ['bedrock', '', undefined] as const;
/** A vendor without an adapter of its own, and Ollama by the wire of OpenAI that it has. */
const ROWS = [
  ['compatible-vendor', '/v1', undefined, 'together'],
  ['compatible-server', '/v1', undefined, 'ollama'],
] as const;

describe.each([...OPENAI, ...ROWS, GEMINI, BEDROCK])(
  'the adapter %s in front of aimock at "%s" with version %s',
  (adapter, path, apiVersion, slug: string = adapter) => {
    const connect = setUpAdapters(adapter);
    const at = (apiKey = AIMOCK_KEY) => connect({ slug, baseUrl: server.origin + path, apiKey, apiVersion });

    test('answers a chat and counts its tokens', async () => {
      const { model, choices, usage } = await at().chat.complete(CHAT, newContext());
      expect(choices).toMatchObject([{ finish_reason: 'stop', message: { content: AIMOCK_ANSWER } }]);
      // The mock of Gemini states no model, and it counts 0 tokens as that of Bedrock does.
      expect(model).toBe(adapter === 'google' ? undefined : 'our-gpt');
      const isUncounted = adapter === 'google' || adapter === 'bedrock';
      expect(usage?.prompt_tokens === 0).toBe(isUncounted);
      expect(usage?.completion_tokens === 0).toBe(isUncounted);
    });

    test('streams the same answer and the same count', async () => {
      const whole = await at().chat.complete(CHAT, newContext());
      const chunks = await chunksOf(await at().chat.stream(CHAT, newContext()));
      expect(wordsOf(chunks)).toBe(AIMOCK_ANSWER);
      const counts = chunks.flatMap(({ usage }) => usage ?? []);
      // Streams of Anthropic's dialect state the counts of the prompt first.
      if (adapter !== 'bedrock') expect(counts).toHaveLength(1);
      expect(counts.at(-1)).toEqual(whole.usage);
    });

    test('calls a tool, whole and streamed, and takes its result', async () => {
      const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
      const request = { ...CHAT, tools, messages: [{ role: 'user', content: AIMOCK_CALL }] };
      const { choices } = await at().chat.complete(request, newContext());
      const [call] = choices[0]!.message.tool_calls as [{ id: string; function: object }];
      expect(call.function).toEqual({ name: 'look', arguments: '{"at":"the cliff"}' });
      const chunks = await chunksOf(await at().chat.stream(request, newContext()));
      expect(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(['tool_calls']);
      expect(JSON.stringify(chunks)).toContain('the cliff');
      const messages = [
        ...request.messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'a lighthouse' },
        ...CHAT.messages,
      ];
      const answer = await at().chat.complete({ ...request, messages }, newContext());
      expect(answer.choices[0]?.message.content).toBe(AIMOCK_ANSWER);
    });

    test('refuses a wrong key as unauthorized', async () => {
      const wrong = at('sk-wrong-0123456789abcdef').chat;
      const refused = { code: 'unauthorized', status: 401, sent: true, retryable: false };
      expect(await failureOf(wrong.complete(CHAT, newContext()))).toMatchObject(refused);
      expect(await failureOf(wrong.stream(CHAT, newContext()))).toMatchObject(refused);
    });
  },
);

describe.each(OPENAI)(
  'embeddings of the adapter %s in front of aimock at "%s" with version %s',
  (adapter, path, apiVersion) => {
    const connect = setUpAdapters(adapter);

    test('returns one vector for each input', async () => {
      const request = { model: 'our-vectors', input: ['a', 'b'], dimensions: 4 };
      const { embeddings } = connect({ baseUrl: server.origin + path, apiKey: AIMOCK_KEY, apiVersion });
      const { data } = await embeddings.embed(request, newContext());
      expect(data.map(({ embedding }) => embedding.length)).toEqual([4, 4]);
    });
  },
);
