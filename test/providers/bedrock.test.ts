/** Checks what is sent to Converse and ConverseStream, and how their answers are read. */
import { describe, expect, test } from '@jest/globals';
import { UnsupportedFieldsError } from '../../domain/unsupported-fields.ts';
import {
  AWS_KEYS,
  BEDROCK_API_KEY,
  type BedrockEvents,
  HELLO,
  sendConverse,
  sendFrames,
} from '../support/bedrock-cloud.ts';
import { setUpBedrock } from './bedrock-under-test.ts';
import { failureOf, wordsOf } from './text-adapter-under-test.ts';

const bedrock = setUpBedrock();

function answering(content: object[], more: object = {}): void {
  bedrock.cloud.answer = (_, response) => sendConverse(response, content, more);
}

function streaming(...events: BedrockEvents): void {
  bedrock.cloud.answer = (_, response) => sendFrames(response, events);
}

const picture = (type: string) => ({ type: 'image_url', image_url: { url: `data:${type};base64,iVBORw==` } });

describe('a request', () => {
  test('carries pictures, documents with different names, results of tools and the answer’s schema', async () => {
    const pdf = { filename: 'Q3_report (final).pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
    const file = { type: 'file', file: pdf };
    const call = { id: 'call:1', type: 'function', function: { name: 'look', arguments: '' } };
    const schema = { type: 'object' };
    await bedrock.complete({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Compare' }, picture('image/png'), file, file] },
        { role: 'user', content: ' ' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: '' },
        { role: 'user', content: 'Go on' },
      ],
      stop: 'END',
      temperature: 0.5,
      top_p: 0.9,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    });
    const toolUseId = expect.stringMatching(/^call_1_[0-9a-f]{16}$/);
    const image = { format: 'png', source: { bytes: 'iVBORw==' } };
    const document = { format: 'pdf', name: 'Q3 report (final)', source: { bytes: 'JVBERi0=' } };
    const second = { ...document, name: 'Q3 report (final) 2' };
    const jsonSchema = { name: 'response', schema: JSON.stringify(schema) };
    expect(bedrock.sent()).toEqual({
      messages: [
        { role: 'user', content: [{ text: 'Compare' }, { image }, { document }, { document: second }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId, name: 'look', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId, content: [] } }, { text: 'Go on' }] },
      ],
      inferenceConfig: { temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
      // Converse refuses the conversation without the tools that it calls.
      toolConfig: { tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }] },
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } },
      additionalModelRequestFields: { tool_choice: { type: 'none' } },
    });
  });

  const OPEN_MODEL = 'openai.gpt-oss-120b-1:0';
  const ADAPTIVE = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
  const OF_NOVA = { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } };

  test.each<[string, object, object]>([
    ['eu.anthropic.claude-opus-5-5', { effort: 'high' }, ADAPTIVE],
    ['us.amazon.nova-2-lite-v1:0', { effort: 'xhigh' }, OF_NOVA],
    [OPEN_MODEL, { effort: 'minimal' }, { reasoning_effort: 'low' }],
    [OPEN_MODEL, { enabled: true }, { reasoning_effort: 'medium' }],
    [OPEN_MODEL, { max_tokens: 4_000 }, { reasoning_effort: 'low' }],
  ])('asks %s for thoughts in its own words', async (model, reasoning, fields) => {
    await bedrock.complete({ model, reasoning });
    expect(bedrock.sent()['additionalModelRequestFields']).toEqual(fields);
  });

  const TIFF = [{ role: 'user', content: [picture('image/tiff')] }];

  test.each<[string, object, string]>([
    ['thoughts of a model without them', { model: 'qwen.qwen3', reasoning: { effort: 'low' } }, 'reasoning'],
    ['a guardrail of the caller', { guardrailConfig: { guardrailIdentifier: 'g1' } }, 'guardrailConfig'],
    ['an unpriced speed', { performanceConfig: { latency: 'optimized' } }, 'performanceConfig'],
    ['a picture of a wrong kind', { messages: TIFF }, 'messages.0.content.0.source.media_type'],
  ])('fails before it is sent with the name of %s', async (_, more, path) => {
    const error = await failureOf(bedrock.complete(more));
    expect(error).toBeInstanceOf(UnsupportedFieldsError);
    expect((error as UnsupportedFieldsError).issues.map((issue) => issue.path)).toContain(`body.${path}`);
    expect(bedrock.cloud.calls).toEqual([]);
  });

  test.each([
    ['flex', { type: 'flex' }],
    ['priority', { type: 'priority' }],
    ['default', undefined],
    ['auto', undefined],
  ])('asks for the service tier %s, and the answer names the served one', async (service_tier, asked) => {
    const more = { model: OPEN_MODEL, service_tier };
    const serviceTier = { type: 'default' };
    answering([{ text: 'Yes' }], { serviceTier });
    expect((await bedrock.complete(more)).service_tier).toBe('default');
    streaming(...HELLO.slice(0, 4), ['metadata', { ...HELLO[4]![1], serviceTier }]);
    expect((await bedrock.stream(more)).at(-1)?.['service_tier']).toBe('default');
    expect(bedrock.cloud.calls.map(({ body }) => body['serviceTier'])).toEqual([asked, asked]);
  });

  test('names the guardrail of the credential, and is signed for a model with an ARN', async () => {
    const model = 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3';
    const guardrail = { identifier: 'g1', version: '2' };
    await bedrock.stream({ model }, JSON.stringify({ ...AWS_KEYS, guardrail }));
    const guardrailConfig = { guardrailIdentifier: 'g1', guardrailVersion: '2' };
    expect(bedrock.cloud.calls).toMatchObject([{ model, body: { guardrailConfig } }]);
  });

  test('carries an API key', async () => {
    const credential = JSON.stringify({ region: 'us-east-1', apiKey: BEDROCK_API_KEY });
    for (const key of [credential, BEDROCK_API_KEY]) await bedrock.complete({}, key);
    const wrong = JSON.stringify({ ...AWS_KEYS, secretAccessKey: 'wrong' });
    expect(await failureOf(bedrock.complete({}, wrong))).toMatchObject({ code: 'unauthorized', status: 403 });
  });
});

describe('an answer', () => {
  test.each([['guardrail_intervened'], ['content_filtered']])(
    'ends as content_filter after %s, and fails as content_policy if nothing is left',
    async (stopReason) => {
      answering([{ text: 'Not this.' }], { stopReason });
      const { choices, usage } = await bedrock.complete();
      expect(choices).toMatchObject([{ finish_reason: 'content_filter', message: { content: 'Not this.' } }]);
      expect(usage?.prompt_tokens).toBe(3);
      const code = 'content_policy';
      answering([], { stopReason });
      expect(await failureOf(bedrock.complete())).toMatchObject({ code, retryable: false });
      streaming(HELLO[0]!, ['messageStop', { stopReason }], HELLO[4]!);
      expect(await failureOf(bedrock.stream())).toMatchObject({ code });
    },
  );

  test('keeps its meaning with unknown fields, blocks and events, and counts that are text', async () => {
    const usage = { inputTokens: '3', outputTokens: '1', extra: {} };
    const more = { usage, trace: { guardrail: {} }, additionalModelResponseFields: { a: 1 } };
    answering([{ audio: {} }, { text: 'Hello' }], more);
    const whole = await bedrock.complete();
    expect(whole).toMatchObject({ id: expect.stringMatching(/^aws-\d+$/), usage: { total_tokens: 4 } });
    const audio = { contentBlockIndex: 7, delta: { audio: {} } };
    const unknown: BedrockEvents = [
      ['ping', { a: 1 }],
      ['contentBlockDelta', audio],
    ];
    streaming(...unknown, ...HELLO.slice(1, 4), ['metadata', { usage, trace: {} }]);
    const chunks = await bedrock.stream();
    expect(wordsOf(chunks)).toBe('Hello');
    expect(chunks.filter(({ choices }) => choices[0]?.delta['role'] === 'assistant')).toHaveLength(1);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
  });

  test('ends well without its counts or its stop reason, and not without both', async () => {
    for (const events of [HELLO.slice(0, 4), HELLO.toSpliced(3, 1)]) {
      streaming(...events);
      const choices = (await bedrock.stream()).flatMap((chunk) => chunk.choices);
      expect(choices.flatMap((choice) => choice.finish_reason ?? [])).toEqual(['stop']);
    }
    streaming(...HELLO.slice(0, 3));
    expect(await failureOf(bedrock.stream())).toMatchObject({ code: 'connection_lost', retryable: true });
  });

  test('states no usage if a count is negative', async () => {
    answering([{ text: 'Hello' }], { usage: { inputTokens: -3, outputTokens: 1 } });
    expect((await bedrock.complete()).usage).toBeUndefined();
  });
});
