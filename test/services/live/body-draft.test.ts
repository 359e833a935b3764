import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../domain/errors.ts';
import type { ProviderResponse } from '../../../domain/ledger/generation.ts';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import type { ChatChunk } from '../../../providers/chat-adapter.ts';
import { type BodyDraft, createBodyDraft } from '../../../services/live/body-draft.ts';

const MESSAGES = [{ role: 'user', content: 'Hello' }];

const draftOf = (input: unknown = MESSAGES): BodyDraft => createBodyDraft('completions', input);
const finish = (draft: BodyDraft, responses: ProviderResponse[] = []): LoggedBody =>
  draft.finish(responses, ({ code }) => ({
    code: code === 'rate_limited' ? 429 : 502,
    message: `told ${code}`,
  }));

function chunkOf(delta: ChatChunk['choices'][number]['delta'], index = 0): ChatChunk {
  return { choices: [{ index, delta, finish_reason: null }] };
}

const callPiece = (index: number, facts: object): { tool_calls: unknown[] } => ({
  tool_calls: [{ index, ...facts }],
});

function response(provider: string, status: number | null, error?: string): ProviderResponse {
  const facts = {
    provider,
    provider_name: provider,
    endpoint_id: provider,
    status,
    latency: 1,
    is_byok: false,
  };
  return error === undefined ? facts : { ...facts, error };
}

describe('the logged answer', () => {
  test('has the same text for a stream as for a whole answer', () => {
    const whole = draftOf();
    whole.answer({
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'One', reasoning: 'Why' } },
        {
          index: 1,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Two',
            tool_calls: [
              { id: 'a', function: { name: 'add', arguments: '{"a":1}' } },
              { id: 'b', function: { name: 'sub', arguments: '{}' } },
            ],
          },
        },
      ],
    });
    const stream = draftOf();
    for (const chunk of [
      chunkOf({ role: 'assistant', content: '' }),
      chunkOf(callPiece(0, { id: 'a', function: { name: 'add', arguments: '' } }), 1),
      chunkOf({ reasoning: 'Wh' }),
      chunkOf({ content: 'Tw' }, 1),
      chunkOf({ content: 'On', reasoning: 'y' }),
      chunkOf(callPiece(1, { id: 'b', function: { name: 'sub', arguments: '{}' } }), 1),
      chunkOf(callPiece(0, { function: { arguments: '{"a"' } }), 1),
      chunkOf({ content: 'e' }),
      chunkOf({ content: 'o' }, 1),
      chunkOf(callPiece(0, { function: { arguments: ':1}' } }), 1),
      { choices: [] },
    ]) {
      stream.addChunk(chunk);
    }
    const completion =
      'One\n\nTwo\n{"name":"add","arguments":"{\\"a\\":1}"}\n{"name":"sub","arguments":"{}"}';
    const logged = { input: { messages: MESSAGES }, output: { completion, reasoning: 'Why' }, error: null };
    expect(finish(whole)).toEqual(logged);
    expect(finish(stream)).toEqual(logged);
  });

  test('has null texts when the model sent none', () => {
    expect(finish(draftOf()).output).toEqual({ completion: null, reasoning: null });
  });

  test('ends at four million characters, however long the stream', () => {
    const draft = draftOf();
    for (let i = 0; i < 5; i += 1) draft.addChunk(chunkOf({ content: 'x'.repeat(1024 ** 2) }));
    expect(finish(draft).output.completion).toHaveLength(4 * 1024 ** 2);
  });

  test('leaves out malformed parts and does not fail', () => {
    const draft = draftOf();
    draft.addChunk(
      chunkOf({ content: [null, { type: 'text', text: 'Yes' }, 7], tool_calls: [null, 'x', {}] }),
    );
    expect(finish(draft).output.completion).toBe('Yes');
  });

  test('keeps a choice with an index of 2 ** 40', () => {
    const draft = draftOf();
    draft.addChunk(chunkOf({ content: 'far' }, 2 ** 40));
    draft.addChunk(chunkOf({ content: 'near' }));
    expect(finish(draft).output.completion).toBe('near\n\nfar');
  });
});

describe('the logged input of an embedding', () => {
  test.each<[unknown, string]>([
    ['one text', 'one text'],
    [['a', 'b'], '["a","b"]'],
    [[1, 2], '[1,2]'],
    [
      [{ content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }],
      '[{"content":[{"type":"image_url","image_url":{"url":"[image/png removed]"}}]}]',
    ],
  ])('reduces %j to %s', (input, prompt) => {
    expect(finish(createBodyDraft('embeddings', input)).input).toEqual({ prompt });
  });
});

describe('the logged error', () => {
  test("names the caller's error and each earlier attempt", () => {
    const draft = draftOf();
    draft.fail(new AppError('rate_limited'));
    const attempts = [
      response('A', null, 'timeout'),
      response('B', 500, 'server_error'),
      response('C', 429, 'rate_limited'),
    ];
    expect(finish(draft, attempts).error).toEqual({
      message: 'told rate_limited',
      status: 429,
      providerName: 'C',
      previousErrors: [
        { code: 502, message: 'timeout', providerName: 'A' },
        { code: 500, message: 'server_error', providerName: 'B' },
      ],
    });
  });

  test('stands beside the text sent before a failure in mid-stream', () => {
    const draft = draftOf();
    draft.addChunk(chunkOf({ content: 'Half of ' }));
    draft.fail(new AppError('provider_error'));
    expect(finish(draft, [response('A', 503, 'overloaded'), response('B', 200)])).toMatchObject({
      output: { completion: 'Half of ' },
      error: { providerName: 'B', previousErrors: [{ code: 503, providerName: 'A' }] },
    });
  });

  test('stays null when a second provider succeeds', () => {
    expect(finish(draftOf(), [response('A', 503, 'overloaded'), response('B', 200)]).error).toBeNull();
  });
});

describe('the memory of a draft', () => {
  test('reports the length of each text that is kept', () => {
    let held = 0;
    const draft = createBodyDraft('completions', MESSAGES, {}, (length) => (held += length));
    draft.addChunk(chunkOf({ content: 'Hello' }));
    draft.addChunk(
      chunkOf({ reasoning: 'Why', ...callPiece(0, { function: { name: 'f', arguments: '{}' } }) }),
    );
    expect(held).toBe('HelloWhyf{}'.length);
    draft.addChunk(chunkOf({ content: 'x'.repeat(5 * 1024 ** 2) }));
    expect(held).toBe(4 * 1024 ** 2);
  });

  test('keeps at most 200 choices and 200 calls', () => {
    const draft = draftOf();
    for (let index = 0; index < 1_000; index += 1) {
      draft.addChunk(chunkOf({ content: 'x' }, index));
      draft.addChunk(chunkOf(callPiece(index, { function: { name: 'f', arguments: '' } })));
    }
    const { completion } = finish(draft).output;
    expect(completion!.match(/x/g)).toHaveLength(200);
    expect(completion!.match(/"name":"f"/g)).toHaveLength(200);
  });
});
