/** Checks pictures and speech of Gemini, by a stand-in that refuses what Google refuses. */
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ImageRequest } from '../../../providers/image-adapter.ts';
import type { SpeechRequest } from '../../../providers/speech-adapter.ts';
import { setUpProvider } from '../provider-under-test.ts';
import { soundOf } from '../speech-adapter-under-test.ts';
import { failureOf } from '../text-adapter-under-test.ts';
import { startGeminiUpstream } from './upstream.ts';

const google = setUpProvider('google', () => startGeminiUpstream());
afterEach(() => {
  google.client.answerParts(undefined);
  google.client.answerWith({});
});

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const context = () => google.newContext();

/** Options that are refused, each with the path of its field. */
const OTHER_OPTIONS: [object, string][] = [
  [{ serviceTier: 'priority' }, 'serviceTier'],
  [{ tools: [{}] }, 'tools'],
  [{ system_instruction: 'x' }, 'system_instruction'],
  [{ generationConfig: { topP: 0.9, candidateCount: 2 } }, 'generationConfig.candidateCount'],
  [{ generationConfig: { speechConfig: { x: 1 } } }, 'generationConfig.speechConfig'],
  [{ generationConfig: { imageConfig: { imageSize: '4K' } } }, 'generationConfig.imageConfig'],
  [{ generationConfig: 'hot' }, 'generationConfig'],
];
const issueAt = (path: string) => ({
  sent: false,
  issues: [{ path: `body.provider.options.vendor.${path}` }],
});

describe('pictures of Gemini', () => {
  const model = 'gemini-nano-banana-2.1';
  const usual = { model, prompt: 'A boat', n: 1, references: [], outputFormat: 'png' } as const;
  const generate = (more: Partial<ImageRequest> = {}) =>
    google.provider().image!.generate({ ...usual, references: [], ...more }, context());

  test('have their form, references and options in the request', async () => {
    const thinkingConfig = { includeThoughts: true };
    await generate({
      aspectRatio: '16:9',
      resolution: '2K',
      references: [PNG],
      options: { safetySettings: [], contents: [], generationConfig: { temperature: 1, thinkingConfig } },
    });
    const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const imageConfig = { aspectRatio: '16:9', imageSize: '2K' };
    expect(google.client.accepted.at(-1)).toEqual({
      model,
      contents: [{ role: 'user', parts: [picture, { text: 'A boat' }] }],
      safetySettings: [],
      generationConfig: { temperature: 1, thinkingConfig, responseModalities: ['IMAGE'], imageConfig },
    });
  });

  test.each(OTHER_OPTIONS)('fail before a request for the options %j', async (options, path) => {
    await expect(generate({ options: { ...options } })).rejects.toMatchObject(issueAt(path));
  });

  test('return once, with counts of their tokens', async () => {
    const { images, usage } = await generate();
    expect(images).toEqual([{ b64Json: expect.stringMatching(/^iVBOR/) }]);
    expect(usage?.completion_tokens_details).toEqual({ image_tokens: 30, reasoning_tokens: 70 });
  });

  test('have another type when Google makes another', async () => {
    google.client.answerParts([{ inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } }]);
    expect((await generate()).images).toEqual([{ b64Json: 'AAAA', mediaType: 'image/jpeg' }]);
  });

  const blocked = { candidates: [], promptFeedback: { blockReason: 'SAFETY' } };
  const refused = { finishReason: 'IMAGE_SAFETY', content: undefined };
  test.each<[string, object, string]>([
    ['a refused prompt', { answer: blocked }, 'content_policy'],
    ['a refused picture', { candidate: refused }, 'content_policy'],
    ['a text alone', { candidate: { finishReason: 'NO_IMAGE' } }, 'invalid_response'],
  ])('fail for %s', async (_, answer, code) => {
    google.client.answerParts([{ text: 'No' }]);
    google.client.answerWith(answer);
    expect(await failureOf(generate())).toMatchObject({ code });
  });

  test('fail before a request for a reference that is no picture', async () => {
    const before = google.client.accepted.length;
    const error = await failureOf(generate({ references: ['data:text/plain;base64,AAAA'] }));
    expect(error).toMatchObject({ code: 'invalid_request', sent: false });
    expect(google.client.accepted).toHaveLength(before);
  });
});

describe('speech of Gemini', () => {
  const usual = { model: 'gemini-3.8-flash-tts', input: 'Hello', format: 'pcm', references: [] } as const;
  const speak = async (more: Partial<SpeechRequest> = {}) =>
    google.provider().speech!.speak({ ...usual, references: [], ...more }, context());
  const voice = (voiceName: string) => ({ prebuiltVoiceConfig: { voiceName } });

  test('has its voice and directions beside the text', async () => {
    await soundOf(await speak({ voice: 'Kore', instructions: 'Quietly' }));
    expect(google.client.accepted.at(-1)).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: 'Hello', speechMetadata: { style: 'Quietly' } }] }],
      generationConfig: { responseModalities: ['AUDIO'], speechConfig: { voiceConfig: voice('Kore') } },
    });
  });

  test('has a speaker for each voice of a dialogue', async () => {
    const [puck, kore] = [{ voice: 'Puck' }, { voice: 'Kore', instructions: 'Sadly' }];
    const input = [
      { text: 'Hello', ...puck },
      { text: 'Bye', ...kore },
      { text: 'Oh', ...puck },
    ];
    await soundOf(await speak({ input }));
    const [first, second] = [{ speaker: 'Speaker 1' }, { speaker: 'Speaker 2' }];
    const speakerVoiceConfigs = [
      { ...first, voiceConfig: voice('Puck') },
      { ...second, voiceConfig: voice('Kore') },
    ];
    const parts = [
      { text: 'Hello', speechMetadata: first },
      { text: 'Bye', speechMetadata: { ...second, style: 'Sadly' } },
      { text: 'Oh', speechMetadata: first },
    ];
    expect(google.client.accepted.at(-1)).toMatchObject({
      contents: [{ parts }],
      generationConfig: { speechConfig: { multiSpeakerVoiceConfig: { speakerVoiceConfigs } } },
    });
  });

  test('arrives as raw samples of 24 kHz, piece by piece', async () => {
    const sound = await soundOf(await speak({ voice: 'Kore' }));
    expect([sound.length, sound[0], sound.at(-1)]).toEqual([96_000, 1, 2]);
  });

  test('fails before a request when a dialogue has three voices', async () => {
    const input = ['Puck', 'Kore', 'Leda'].map((name) => ({ text: 'Hi', voice: name }));
    await expect(speak({ input })).rejects.toMatchObject({ code: 'invalid_request', sent: false });
  });

  const config = { temperature: 0.5, topP: 0.9, topK: 3, seed: 7, maxOutputTokens: 900 };

  test('passes settings of safety and of sampling', async () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }];
    await soundOf(await speak({ voice: 'Kore', options: { safetySettings, generationConfig: config } }));
    const sent = { ...config, responseModalities: ['AUDIO'], speechConfig: { voiceConfig: voice('Kore') } };
    expect(google.client.accepted.at(-1)).toMatchObject({ safetySettings, generationConfig: sent });
  });

  test.each<[object, string]>([
    ...OTHER_OPTIONS,
    [{ generationConfig: { thinkingConfig: { x: 1 } } }, 'generationConfig.thinkingConfig'],
  ])('fails before a request for the options %j', async (options, path) => {
    await expect(speak({ options: { ...options } })).rejects.toMatchObject(issueAt(path));
  });

  const mp3 = { inlineData: { mimeType: 'audio/mpeg', data: 'AAAA' } };
  test.each<[string, object, object, string]>([
    ['a refusal', { finishReason: 'PROHIBITED_CONTENT' }, { text: '' }, 'content_policy'],
    ['text in place of sound', {}, { text: 'No' }, 'invalid_response'],
    ['sound of another kind', {}, mp3, 'invalid_response'],
  ])('fails for %s', async (_, candidate, part, code) => {
    google.client.answerParts([part]);
    google.client.answerWith({ candidate });
    expect(await failureOf(speak({ voice: 'Kore' }).then(soundOf))).toMatchObject({ code });
  });

  test.each(['cut-stream', 'end-early'] as const)('fails as connection_lost when it has %s', async (kind) => {
    google.fault({ kind, on: 'chat', events: 1 });
    const answer = speak({ voice: 'Kore' }).then(soundOf);
    expect(await failureOf(answer)).toMatchObject({ code: 'connection_lost' });
  });
});
