/**
 * Checks that a long text counts in whatever field a model reads it, where no provider counts: in `count_tokens`, and
 * in the usage of an answer. The same sum is the bill of a request whose caller leaves.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addChatModel, addEmbeddingsModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { DIALECTS, NOT_SENT, plantedIn, REPLACED } from '../support/planted-dialects.ts';
import { sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

const CHAT = 'uncounted/chat';
const EMBED = 'uncounted/embed';

let gateway: Gateway;
let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer(({ path }, response) => {
    const made = { id: 'a', created: 1, model: 'a' };
    if (path.endsWith('/responses')) {
      const content = [{ type: 'output_text', text: 'Hm', annotations: [] }];
      const output = [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content }];
      return sendJson(response, 200, {
        ...made,
        object: 'response',
        created_at: 1,
        status: 'completed',
        output,
      });
    }
    if (path.endsWith('/embeddings'))
      return sendJson(response, 200, {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [1] }],
      });
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hm' }, finish_reason: 'stop' }];
    sendJson(response, 200, { ...made, object: 'chat.completion', choices });
  });
  gateway = await startGateway({
    env: {
      PROVIDER_ANTHROPIC_API_KEY: 'secret',
      PROVIDER_OPENAI_API_KEY: 'secret',
      PROVIDER_OPENAI_BASE_URL: vendor.baseUrl,
    },
  });
  const endpoint = { provider: 'uncounted', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addChatModel(gateway, CHAT, [endpoint], { inputModalities: ['text', 'image', 'audio', 'file'] });
  await addEmbeddingsModel(gateway, EMBED, [endpoint]);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

interface Counted {
  /** Where the text is counted. */
  counts: string;
  /** A model whose provider does not count. */
  model?: string;
  provider: string;
  /** The least number of places that count. */
  places: number;
}

const COUNTED: Record<string, Counted> = {
  '/chat/completions': { counts: '/chat/completions', model: CHAT, provider: 'uncounted', places: 50 },
  '/messages': { counts: '/messages/count_tokens', provider: 'anthropic', places: 50 },
  '/responses': { counts: '/responses', provider: 'openai', places: 40 },
  '/completions': { counts: '/completions', model: CHAT, provider: 'uncounted', places: 3 },
  '/embeddings': { counts: '/embeddings', model: EMBED, provider: 'uncounted', places: 3 },
};

/** Fields that no model reads, and for which vendors charge nothing: ids and labels, and names of unknown fields. */
const UNREAD =
  /\b(?:type|id|tool_call_id|call_id|tool_use_id|signature|detail|media_type|format)$|^(?!tools|text).*\(a name\)$/;

interface Answer {
  input_tokens?: number;
  usage?: { input_tokens?: number; prompt_tokens?: number };
}

test.each(DIALECTS.filter(({ path }) => path in COUNTED))(
  'a text in any field that a model reads counts at $path',
  async (dialect) => {
    const { counts, model, provider, places } = COUNTED[dialect.path]!;
    const samples = dialect.samples.map((sample) => ({ ...sample, ...(model && { model }) }));
    const passed: string[] = [];
    let counted = 0;
    for (const { path, body } of plantedIn({ ...dialect, samples, provider })) {
      if ([NOT_SENT, REPLACED].some((unsent) => unsent.test(path))) continue;
      const answer = await gateway.call('POST', counts, { body });
      const { usage, input_tokens: tokens = usage?.input_tokens ?? usage?.prompt_tokens ?? 0 } =
        (await answer.json()) as Answer;
      if (tokens >= 7_000) counted += 1;
      else if (answer.status !== 400 && !UNREAD.test(path))
        passed.push(`${path}: ${answer.status} ${tokens}`);
    }
    expect(passed).toEqual([]);
    expect(counted).toBeGreaterThanOrEqual(places);
  },
);
