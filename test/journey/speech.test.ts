import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSpeechMeter } from '../../services/live/speech/speech-meter.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';
import {
  askSpeech,
  MODALITY,
  priceOf,
  SECONDS_PER_CHARACTER,
  spoken,
  type SpeechRow,
} from '../support/speech.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';

const INPUT = 'The river rose.';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const asked = () => gateway.upstream.requests('speech').at(-1)!.fields!;
const rowOf = async (response: Response) => (await ledgerRow(gateway, generationIdOf(response))) as SpeechRow;
const clip = (data = 'AAAA') => ({ type: 'input_audio', input_audio: { data, format: 'wav' } });
const words = (text: string) => ({ type: 'text', text });
const picture = (url = 'data:image/png;base64,iVBORw0KGgo=') => ({ type: 'image_url', image_url: { url } });

describe('POST /audio/speech', () => {
  test.each([
    ['mp3', 'audio/mpeg'],
    ['pcm', 'audio/pcm;rate=24000'],
  ] as const)('returns %s audio under its content type', async (format, type) => {
    const response = await askSpeech(gateway, { response_format: format });
    const sound = await spoken(response);
    expect(response.headers.get('content-type')).toBe(type);
    const meter = createSpeechMeter(format);
    meter.addBytes(sound);
    expect(meter.seconds).toBeCloseTo(INPUT.length * SECONDS_PER_CHARACTER, 6);
  });

  test('returns PCM when response_format is null', async () => {
    const response = await askSpeech(gateway, { response_format: null });
    expect(await spoken(response)).toHaveLength(Math.round(INPUT.length * SECONDS_PER_CHARACTER * 48_000));
    expect(response.headers.get('content-type')).toBe('audio/pcm;rate=24000');
  });

  test('writes the generation to the ledger, priced by character and second, before the response ends', async () => {
    const response = await askSpeech(gateway, { user: 'someone', session_id: 'talk', input: 'Grüße 🎬' });
    await spoken(response);
    const { rows } = await gateway.database.query<SpeechRow>(
      'select * from generations join generation_details using (id, created_at) where id = $1',
      [generationIdOf(response)],
    );
    expect(rows[0]).toMatchObject({
      api_type: 'tts',
      status: 'completed',
      provider: 'local',
      model: 'local/speech-1',
      streamed: true,
      cost_nanos: priceOf(7, 7 * SECONDS_PER_CHARACTER),
      tokens_prompt: null,
      input_modalities: MODALITY.text,
      output_modalities: MODALITY.audio,
      external_user: 'someone',
      session_id: 'talk',
      media_prompt: 0,
      media_completion: 1,
    });
    expect(rows[0]!.upstream_id).toMatch(/^req_/);
  });

  test('bills tokens of text and of sound where the provider documents the tokens of a second', async () => {
    const response = await askSpeech(gateway, { model: 'local/speech-tokens', response_format: 'pcm' });
    const sound = await spoken(response);
    const tokens = Math.ceil((sound.length / 48_000) * 25);
    const { cost_nanos: cost, tokens_prompt: text, tokens_completion: billed } = await rowOf(response);
    expect([billed, Number(text) > 0]).toEqual([tokens, true]);
    expect(Number(cost)).toBe(Number(text) * 1_000 + tokens * 20_000);
  });

  test('creates a generation that GET /generation returns with its cost', async () => {
    const response = await askSpeech(gateway, {});
    await spoken(response);
    const caller = createCaller(gateway.origin, gateway.apiKey);
    const generation = await getGeneration(caller, generationIdOf(response));
    expect(generation).toMatchObject({ api_type: 'tts', streamed: true, num_media_completion: 1 });
    expect(generation['total_cost']).toBeGreaterThan(0);
  });

  test("sends upstream the request's fields and provider options, none of the gateway's own fields", async () => {
    const body = {
      voice: 'bass',
      instructions: 'Quietly',
      speed: 2,
      session_id: 's',
      user: 'u',
      trace: { trace_id: 't' },
      provider: { only: ['local'], options: { local: { seed: 7, user: 'x' }, other: { a: 1 } } },
    };
    await spoken(await askSpeech(gateway, body, { headers: { 'x-session-id': 'h' } }));
    expect(asked()).toEqual({
      model: 'speech-1',
      input: INPUT,
      voice: 'bass',
      instructions: 'Quietly',
      speed: 2,
      response_format: 'pcm',
      seed: 7,
    });
  });

  test("replaces foreign voice names by the model's own, in turns as well", async () => {
    const input = [{ text: 'Who?', voice: 'alloy' }, { text: 'Nobody.' }];
    await spoken(await askSpeech(gateway, { voice: 'onyx', input }));
    expect(asked()).toMatchObject({
      voice: 'bass',
      input: [{ text: 'Who?', voice: 'alto' }, { text: 'Nobody.' }],
    });
  });

  test("uses the model's first voice when the request names none", async () => {
    await spoken(await askSpeech(gateway, {}));
    expect(asked()).toMatchObject({ voice: 'alto' });
  });

  test('halves duration and price per second at twice the speed', async () => {
    const response = await askSpeech(gateway, { input: 'x'.repeat(20), speed: 2 });
    expect(await spoken(response)).toHaveLength(20 * SECONDS_PER_CHARACTER * 24_000);
    expect((await rowOf(response)).cost_nanos).toBe(priceOf(20, 10 * SECONDS_PER_CHARACTER));
  });
});

describe('POST /audio/speech with turns', () => {
  test('sends each turn with its own voice and charges all characters', async () => {
    const input = [
      { text: 'Who?', voice: 'alto' },
      { text: 'I.', voice: null, instructions: 'Low' },
    ];
    const response = await askSpeech(gateway, { input, voice: 'tenor' });
    await spoken(response);
    expect(asked()).toMatchObject({
      voice: 'tenor',
      input: [
        { text: 'Who?', voice: 'alto' },
        { text: 'I.', instructions: 'Low' },
      ],
    });
    expect((await rowOf(response)).cost_nanos).toBe(priceOf(6, 6 * SECONDS_PER_CHARACTER));
  });
});

describe('references of a speech request', () => {
  test('accept three clips with their transcripts', async () => {
    const parts = [clip(), words('Hello'), clip('BBBB'), clip('CCCC'), words('Goodbye')];
    const response = await askSpeech(gateway, { input_references: parts });
    await spoken(response);
    expect(asked()['input_references']).toEqual(parts);
    expect(await rowOf(response)).toMatchObject({
      input_modalities: MODALITY.text + MODALITY.audio,
      media_prompt: 3,
    });
  });

  test('accept one picture', async () => {
    const response = await askSpeech(gateway, { input_references: [picture()] });
    await spoken(response);
    expect(asked()['input_references']).toEqual([picture()]);
    expect(await rowOf(response)).toMatchObject({ input_modalities: MODALITY.text + MODALITY.image });
  });

  test('replace the default voice, unless the caller names one', async () => {
    await spoken(await askSpeech(gateway, { input_references: [clip()] }));
    expect(asked()).not.toHaveProperty('voice');
    await spoken(await askSpeech(gateway, { input_references: [clip()], voice: 'tenor' }));
    expect(asked()).toMatchObject({ voice: 'tenor' });
  });

  test.each([
    ['a clip', clip('DATA:AUDIO/WAV;BASE64,AAAA'), clip('AAAA')],
    ['a picture', picture('DATA:IMAGE/PNG;BASE64,AAAA'), picture('data:image/png;base64,AAAA')],
  ])('accept a data URL in capitals: %s', async (_what, given, sent) => {
    await spoken(await askSpeech(gateway, { input_references: [given] }));
    expect(asked()['input_references']).toEqual([sent]);
  });

  test.each([[[]], [null]])('accept %j as no references', async (none) => {
    await spoken(await askSpeech(gateway, { input_references: none }));
    expect(asked()).not.toHaveProperty('input_references');
  });

  test('accept a URL, which is fetched through the guard', async () => {
    const host = await startLoopbackServer((_request, response) => {
      response.setHeader('content-type', 'audio/mpeg');
      response.end('sound');
    });
    await spoken(await askSpeech(gateway, { input_references: [clip(`${host.origin}/a.mp3`)] }));
    await host.close();
    expect(asked()['input_references']).toEqual([clip(Buffer.from('sound').toString('base64'))]);
  });

  test('answer 400 for a forbidden address and record a failed, free generation', async () => {
    const response = await askSpeech(gateway, { input_references: [clip('http://169.254.169.254/a.wav')] });
    const { code, metadata } = await errorOf(response);
    expect([code, metadata.reason]).toEqual([400, 'provider_invalid_request']);
    expect(await rowOf(response)).toMatchObject({ status: 'failed', cost_nanos: '0' });
  });
});

describe('an invalid speech request', () => {
  const parts = (...all: object[]) => ({ input_references: all });

  test.each<[string, object, string]>([
    ['no model', { model: undefined }, 'body.model'],
    ['no text', { input: undefined }, 'body.input'],
    ['an empty text', { input: '' }, 'body.input'],
    ['no turns', { input: [] }, 'body.input'],
    ['a turn without a text', { input: [{ voice: 'alto' }] }, 'body.input'],
    ['an empty voice', { voice: '' }, 'body.voice'],
    ['a voice that the model does not have', { voice: 'soprano' }, 'body.voice'],
    ['such a voice in a turn', { input: [{ text: 'x' }, { text: 'y', voice: 'z' }] }, 'body.input.1.voice'],
    ['another format', { response_format: 'wav' }, 'body.response_format'],
    ['events', { stream_format: 'sse' }, 'body.stream_format'],
    ['a speed of nothing', { speed: 0 }, 'body.speed'],
    ['too much speed', { speed: 4.5 }, 'body.speed'],
    ['a long session', { session_id: 'x'.repeat(257) }, 'body.session_id'],
    ['a long end user', { user: 'x'.repeat(257) }, 'body.user'],
    ['two pictures', parts(picture(), picture()), 'body.input_references.1'],
    ['a picture beside a clip', parts(clip(), picture()), 'body.input_references.1'],
    ['four clips', parts(clip(), clip(), clip(), clip()), 'body.input_references.3'],
    ['a transcript alone', parts(words('Hello')), 'body.input_references.0'],
    ['an empty clip', parts(clip('')), 'body.input_references.0.input_audio.data'],
    ['a clip that is none', parts(clip('not base64!')), 'body.input_references.0.input_audio.data'],
    [
      'a picture for a clip',
      parts(clip('data:image/png;base64,AA')),
      'body.input_references.0.input_audio.data',
    ],
    ['a long clip', parts(clip('A'.repeat(20_971_521))), 'body.input_references.0.input_audio.data'],
    ['a long transcript', parts(clip(), words('x'.repeat(10_001))), 'body.input_references.1.text'],
    [
      'a sound for a picture',
      parts(picture('data:audio/wav;base64,AA')),
      'body.input_references.0.image_url.url',
    ],
  ])('answers 400 naming the field for %s', async (_what, body, path) => {
    const { code, metadata } = await errorOf(await askSpeech(gateway, body));
    expect([code, metadata.issues?.map((issue) => issue.path)]).toEqual([400, [path]]);
  });

  test('answers 400 for a session header that is too long', async () => {
    const headers = { 'x-session-id': 'x'.repeat(257) };
    const { code, metadata } = await errorOf(await askSpeech(gateway, {}, { headers }));
    expect(code).toBe(400);
    expect(metadata.issues?.map(({ path }) => path)).toEqual(['headers.x-session-id']);
  });

  test('answers 404 for an unknown model and one that makes no speech', async () => {
    for (const model of ['no/such', 'local/echo-1']) {
      expect((await errorOf(await askSpeech(gateway, { model }))).metadata.reason).toBe('model_not_found');
    }
  });

  test('answers 413 for a body beyond the limit', async () => {
    const response = await askSpeech(gateway, { input_references: [clip('A'.repeat(33 * 1024 ** 2))] });
    expect(response.status).toBe(413);
  });

  test("answers 402 without a call upstream when the key's limit is spent", async () => {
    const { token } = await addKey(gateway, { limitNanos: 0n });
    const before = gateway.upstream.requests('speech').length;
    const caller = createCaller(gateway.origin, token);
    expect((await askSpeech(gateway, {}, { caller })).status).toBe(402);
    expect(gateway.upstream.requests('speech')).toHaveLength(before);
  });
});
