/** Checks how requests of chat reach Gemini, by a stand-in that refuses what Google refuses. */
import { describe, expect, test } from '@jest/globals';
import type { ModelReasoning } from '../../../domain/catalog/model-facts.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import { setUpTextAdapter } from '../text-adapter-under-test.ts';
import { GEMINI } from './upstream.ts';

const adapter = setUpTextAdapter('google', GEMINI);

/** What reached the vendor of a request to this model. */
async function sent(more: object, model = 'gemini-3.8-flash', facts: Partial<LiveCallContext> = {}) {
  await adapter
    .chat()
    .complete({ ...adapter.newRequest('Hi', more), model }, { ...adapter.newContext(), ...facts });
  return adapter.client.accepted.at(-1)!;
}

describe('a chat request to Gemini', () => {
  const sampling = { temperature: 0, top_p: 0.5, top_k: 3, seed: 7 };
  const picture = { image_config: { aspect_ratio: '16:9', image_size: '2K' } };

  test.each<[string, object, object]>([
    ['max_tokens', { max_tokens: 9 }, { maxOutputTokens: 9 }],
    ['the newer limit', { max_tokens: 9, max_completion_tokens: 8 }, { maxOutputTokens: 8 }],
    ['stop', { stop: 'x' }, { stopSequences: ['x'] }],
    ['sampling', sampling, { temperature: 0, topP: 0.5, topK: 3, seed: 7 }],
    ['n', { n: 2 }, { candidateCount: 2 }],
    ['JSON', { response_format: { type: 'json_object' } }, { responseMimeType: 'application/json' }],
    ['modalities', { modalities: ['text', 'image'] }, { responseModalities: ['TEXT', 'IMAGE'] }],
    ['pictures', picture, { imageConfig: { aspectRatio: '16:9', imageSize: '2K' } }],
  ])('has %s in its configuration', async (_, more, config) => {
    expect((await sent(more)).generationConfig).toEqual(config);
  });

  test.each<[unknown, object]>([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'look' } },
      { mode: 'ANY', allowedFunctionNames: ['look'] },
    ],
  ])('chooses tools as asked: %j', async (tool_choice, functionCallingConfig) => {
    const look = { name: 'look', description: 'Looks' };
    const parametersJsonSchema = { type: 'object', properties: {} };
    expect(await sent({ tools: [{ type: 'function', function: look }], tool_choice })).toMatchObject({
      tools: [{ functionDeclarations: [{ ...look, parametersJsonSchema }] }],
      toolConfig: { functionCallingConfig },
    });
  });

  const LOW: ModelReasoning = { mandatory: true, supportedEfforts: ['high', 'medium', 'low'] };
  const XHIGH: ModelReasoning = { mandatory: true, supportedEfforts: ['xhigh', 'high', 'medium', 'low'] };
  const BUDGET: ModelReasoning = { mandatory: false, supportsMaxTokens: true };

  test.each<[string, string, ModelReasoning | undefined, object, object | undefined]>([
    ['nothing', 'gemini-3.8-flash', LOW, {}, { includeThoughts: true }],
    ['nothing of an unknown model', 'gemini-3.6-flash', undefined, {}, undefined],
    ['hidden thoughts', 'gemini-3.8-flash', LOW, { reasoning: { exclude: true } }, undefined],
    ['no thoughts', 'gemini-3.8-flash', LOW, { reasoning_effort: 'none' }, { thinkingLevel: 'low' }],
    ['none', 'gemini-3.6-flash', undefined, { reasoning: { enabled: false } }, { thinkingLevel: 'minimal' }],
    ['minimal', 'gemini-3.8-flash', LOW, { reasoning_effort: 'minimal' }, { thinkingLevel: 'low' }],
    ['max', 'gemini-4-hydrogen', XHIGH, { reasoning: { effort: 'max' } }, { thinkingLevel: 'xhigh' }],
    ['xhigh', 'gemini-4-argon', LOW, { reasoning: { effort: 'xhigh' } }, { thinkingLevel: 'high' }],
    ['a budget', 'gemini-4-argon', LOW, { reasoning: { max_tokens: 2000 } }, { thinkingLevel: 'low' }],
    ['a budget', 'gemini-2.5-pro', BUDGET, { reasoning: { max_tokens: 2000 } }, { thinkingBudget: 2000 }],
    ['low', 'gemini-2.5-pro', BUDGET, { reasoning_effort: 'low', max_tokens: 1000 }, { thinkingBudget: 200 }],
    ['no thoughts', 'gemini-2.5-flash', BUDGET, { reasoning: { effort: 'none' } }, { thinkingBudget: 0 }],
  ])('asks for %s of %s by level or budget', async (_, model, reasoning, more, config) => {
    const body = await sent(more, model, reasoning && { reasoning });
    expect(body.generationConfig?.thinkingConfig).toEqual(config && expect.objectContaining(config));
  });

  const CONFIG = 'body.generationConfig';
  const own = (generationConfig: object) => ({ generationConfig });
  const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'x' } };
  const HI = [{ role: 'user', content: 'x' }];
  const result = { role: 'tool', tool_call_id: 'a', content: 'b' };

  test.each<[string, object, string]>([
    ['logprobs', { logprobs: true }, 'body.logprobs'],
    ['a hosted tool', { tools: [{ type: 'web_search' }] }, 'body.tools.0.type'],
    ['a tier by Google’s name', { serviceTier: 'priority' }, 'body.serviceTier'],
    ['another conversation', { contents: [] }, 'body.contents'],
    ['a prompt with underscores', { system_instruction: {} }, 'body.system_instruction'],
    ['a second limit', { max_tokens: 9, ...own({ maxOutputTokens: 9 }) }, `${CONFIG}.maxOutputTokens`],
    ['a number of answers', { generation_config: { candidate_count: 8 } }, `${CONFIG}.candidate_count`],
    ['an unknown sound', part(sound), 'body.messages.0.content.0.input_audio.format'],
    ['a result without a call', { messages: [...HI, result] }, 'body.messages.1.tool_call_id'],
  ])('cannot have %s, and nothing is sent', async (_, more, path) => {
    const before = adapter.client.accepted.length;
    const error: unknown = await sent(more).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ issues: [{ path }] });
    expect(adapter.client.accepted).toHaveLength(before);
  });

  test('has fields of Google’s own, and no header of other vendors', async () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }];
    const generationConfig = { mediaResolution: 'MEDIA_RESOLUTION_LOW' };
    const asked = { safetySettings, service_tier: 'flex', max_tokens: 9, generationConfig };
    const config = { ...generationConfig, maxOutputTokens: 9 };
    expect(await sent(asked)).toMatchObject({
      safetySettings,
      serviceTier: 'flex',
      generationConfig: config,
    });
    expect(adapter.client.upstream.requests('chat').at(-1)).toMatchObject({
      hasKey: true,
      requestId: 'req_test',
    });
  });

  test('returns the pictures of a tool within its result', async () => {
    const stored = { type: 'image_url', image_url: { url: 'gs://ours/a.png' } };
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const messages = [
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: 'So:', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '{"seen":1}' }, picture, stored] },
    ];
    const { contents } = await sent({ messages }, 'gemini-3.8-flash', { reasoning: LOW });
    const thoughtSignature = 'skip_thought_signature_validator';
    const functionCall = { id: 'c1', name: 'look', args: { at: 1 } };
    const parts = [
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { fileData: { fileUri: 'gs://ours/a.png' } },
    ];
    const functionResponse = { id: 'c1', name: 'look', response: { seen: 1 }, parts };
    expect(contents.slice(1)).toEqual([
      { role: 'model', parts: [{ text: 'So:' }, { functionCall, thoughtSignature }] },
      { role: 'user', parts: [{ functionResponse }] },
    ]);
  });
});

function part(content: object): object {
  return { messages: [{ role: 'user', content: [content] }] };
}
