/** Checks what is sent to Converse and ConverseStream, and how their answers are read. */
import { describe, expect, test } from '@jest/globals';
import { UnsupportedFieldsError } from '../../domain/unsupported-fields.ts';
import {
  AWS_KEYS,
  BEDROCK_API_KEY,
  type BedrockEvents,
  sendConverse,
  sendFrames,
} from '../support/bedrock-cloud.ts';
import { HELLO, newRequest, setUpBedrock } from './bedrock-under-test.ts';
import { chunksOf, failureOf, wordsOf } from './text-adapter-under-test.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const bedrock = setUpBedrock();

describe('a request', () => {
  test('carries pictures, documents with different names, results of tools and the answer’s schema', async () => {
    bedrock.cloud.answer = (_, response) => sendConverse(response, [{ text: '{}' }]);
    const file = { filename: 'Q3_report (final).pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
    await bedrock.complete({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Compare' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: 'file', file },
            { type: 'file', file },
          ],
        },
        { role: 'user', content: ' ' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call:1', type: 'function', function: { name: 'look', arguments: '' } }],
        },
        { role: 'tool', tool_call_id: 'call:1', content: '' },
        { role: 'user', content: 'Go on' },
      ],
      stop: 'END',
      temperature: 0.5,
      top_p: 0.9,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    });
    const id = expect.stringMatching(/^call_1_[0-9a-f]{16}$/);
    const document = (name: string) => ({
      document: { format: 'pdf', name, source: { bytes: 'JVBERi0=' } },
    });
    expect(bedrock.sent()).toEqual({
      messages: [
        {
          role: 'user',
          content: [
            { text: 'Compare' },
            { image: { format: 'png', source: { bytes: PNG } } },
            document('Q3 report (final)'),
            document('Q3 report (final) 2'),
          ],
        },
        { role: 'assistant', content: [{ toolUse: { toolUseId: id, name: 'look', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: id, content: [] } }, { text: 'Go on' }] },
      ],
      inferenceConfig: { temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
      // Converse refuses the conversation without the tools that it calls.
      toolConfig: { tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }] },
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'response', schema: '{"type":"object"}' } },
        },
      },
      additionalModelRequestFields: { tool_choice: { type: 'none' } },
    });
  });

  test.each<[string, object, object]>([
    [
      'eu.anthropic.claude-opus-5-5',
      { effort: 'high' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      'us.amazon.nova-2-lite-v1:0',
      { effort: 'xhigh' },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
    ],
    ['openai.gpt-oss-120b-1:0', { effort: 'minimal' }, { reasoning_effort: 'low' }],
    ['openai.gpt-oss-120b-1:0', { max_tokens: 4_000 }, { reasoning_effort: 'low' }],
  ])('asks %s for thoughts in its own words', async (model, reasoning, fields) => {
    bedrock.cloud.answer = (_, response) => sendConverse(response, [{ text: 'Yes' }]);
    await bedrock.complete({ model, reasoning });
    expect(bedrock.sent()['additionalModelRequestFields']).toEqual(fields);
  });

  test.each<[string, object, string]>([
    [
      'thoughts of a model without them',
      { model: 'qwen.qwen3-32b-v1:0', reasoning: { effort: 'low' } },
      'body.reasoning',
    ],
    ['a guardrail of the caller', { guardrailConfig: { guardrailIdentifier: 'g1' } }, 'body.guardrailConfig'],
    ['an unpriced speed', { performanceConfig: { latency: 'optimized' } }, 'body.performanceConfig'],
    [
      'a picture of a kind that Converse lacks',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }],
          },
        ],
      },
      'body.messages.0.content.0.source.media_type',
    ],
  ])('fails before it is sent with the name of %s', async (_, more, path) => {
    const calls = bedrock.cloud.calls.length;
    const error = await failureOf(bedrock.complete(more));
    expect(error).toBeInstanceOf(UnsupportedFieldsError);
    expect((error as UnsupportedFieldsError).issues.map((issue) => issue.path)).toContain(path);
    expect(bedrock.cloud.calls.length).toBe(calls);
  });

  test.each([
    ['flex', { type: 'flex' }],
    ['priority', { type: 'priority' }],
    ['default', undefined],
    ['auto', undefined],
  ])('asks for the service tier %s, and the answer names the served one', async (service_tier, asked) => {
    const model = 'openai.gpt-oss-120b-1:0';
    const serviceTier = { type: 'default' };
    bedrock.cloud.answer = (_, response) => sendConverse(response, [{ text: 'Yes' }], { serviceTier });
    expect((await bedrock.complete({ model, service_tier })).service_tier).toBe('default');
    expect(bedrock.sent()['serviceTier']).toEqual(asked);
    const [last, ...others] = HELLO.toReversed();
    bedrock.cloud.answer = (_, response) =>
      sendFrames(response, [...others.toReversed(), [last![0], { ...last![1], serviceTier }]]);
    expect((await bedrock.stream({ model, service_tier })).at(-1)?.['service_tier']).toBe('default');
    expect(bedrock.sent()['serviceTier']).toEqual(asked);
  });

  test('names the guardrail of the credential, and is signed for a model with an ARN', async () => {
    bedrock.cloud.answer = (_, response) => sendFrames(response, HELLO);
    const model = 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3';
    const guardrail = { identifier: 'g1', version: '2' };
    const { chat } = bedrock.provider(JSON.stringify({ ...AWS_KEYS, guardrail }));
    await chunksOf(await chat!.stream(newRequest({ model }), bedrock.newContext()));
    const guardrailConfig = { guardrailIdentifier: 'g1', guardrailVersion: '2' };
    expect(bedrock.cloud.calls.at(-1)).toMatchObject({ model, body: { guardrailConfig } });
  });

  test('carries an API key', async () => {
    bedrock.cloud.answer = (_, response) => sendConverse(response, [{ text: 'Yes' }]);
    const credential = JSON.stringify({ region: 'us-east-1', apiKey: BEDROCK_API_KEY });
    for (const key of [credential, BEDROCK_API_KEY])
      await bedrock.provider(key).chat!.complete(newRequest(), bedrock.newContext());
    const wrong = bedrock.provider(JSON.stringify({ ...AWS_KEYS, secretAccessKey: 'wrong' })).chat!;
    expect(await failureOf(wrong.complete(newRequest(), bedrock.newContext()))).toMatchObject({
      code: 'unauthorized',
      status: 403,
    });
  });
});

describe('an answer', () => {
  test.each([['guardrail_intervened'], ['content_filtered']])(
    'ends as content_filter after %s, and fails as content_policy if nothing is left',
    async (stopReason) => {
      bedrock.cloud.answer = (_, response) => sendConverse(response, [{ text: 'Not this.' }], { stopReason });
      const { choices, usage } = await bedrock.complete();
      expect(choices).toMatchObject([{ finish_reason: 'content_filter', message: { content: 'Not this.' } }]);
      expect(usage?.prompt_tokens).toBe(3);
      bedrock.cloud.answer = (_, response) => sendConverse(response, [], { stopReason });
      expect(await failureOf(bedrock.complete())).toMatchObject({ code: 'content_policy', retryable: false });
      bedrock.cloud.answer = (_, response) =>
        sendFrames(response, [HELLO[0]!, ['messageStop', { stopReason }], HELLO[4]!]);
      expect(await failureOf(bedrock.stream())).toMatchObject({ code: 'content_policy' });
    },
  );

  test('keeps its meaning with unknown fields, blocks and events, and counts that are text', async () => {
    const usage = { inputTokens: '3', outputTokens: '1', extra: {} };
    const more = { usage, trace: { guardrail: {} }, additionalModelResponseFields: { a: 1 } };
    bedrock.cloud.answer = (_, response) => sendConverse(response, [{ audio: {} }, { text: 'Hello' }], more);
    const whole = await bedrock.complete();
    expect(whole).toMatchObject({ id: expect.stringMatching(/^aws-\d+$/), usage: { total_tokens: 4 } });
    bedrock.cloud.answer = (_, response) => {
      const unknown: BedrockEvents = [
        ['ping', { a: 1 }],
        ['contentBlockDelta', { contentBlockIndex: 7, delta: { audio: {} } }],
      ];
      sendFrames(response, [...unknown, ...HELLO.slice(1, 4), ['metadata', { usage, trace: {} }]], true);
    };
    const chunks = await bedrock.stream();
    expect(wordsOf(chunks)).toBe('Hello');
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
  });

  test('ends well without its counts or its stop reason, and not without both', async () => {
    bedrock.cloud.answer = (_, response) => sendFrames(response, HELLO.slice(0, 4));
    const finishes = (await bedrock.stream()).flatMap(({ choices }) =>
      choices.map((choice) => choice.finish_reason),
    );
    expect(finishes.at(-1)).toBe('stop');
    bedrock.cloud.answer = (_, response) => sendFrames(response, [...HELLO.slice(0, 3), HELLO[4]!]);
    const reasons = (await bedrock.stream()).flatMap(({ choices }) =>
      choices.flatMap((choice) => choice.finish_reason ?? []),
    );
    expect(reasons).toEqual(['stop']);
    bedrock.cloud.answer = (_, response) => sendFrames(response, HELLO.slice(0, 3));
    expect(await failureOf(bedrock.stream())).toMatchObject({ code: 'connection_lost', retryable: true });
  });

  test('states no usage if a count is negative', async () => {
    bedrock.cloud.answer = (_, response) =>
      sendConverse(response, [{ text: 'Hello' }], { usage: { inputTokens: -3, outputTokens: 1 } });
    expect((await bedrock.complete()).usage).toBeUndefined();
  });
});
