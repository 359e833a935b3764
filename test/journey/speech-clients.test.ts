import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  BadGatewayResponseError,
  NotFoundResponseError,
  PaymentRequiredResponseError,
} from '@openrouter/sdk/models/errors';
import OpenAI from 'openai';
import { addKey } from '../support/accounts.ts';
import { addSpeechModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';
import { openaiClient } from '../support/sdk-clients.ts';

const SAMPLES_OF_HELLO = 11 * 3 * 576;

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_VENDOR_API_KEY: 'upstream-key' } });
});

afterAll(() => gateway.close());

describe("OpenAI's own client", () => {
  const client = (apiKey = gateway.apiKey) => openaiClient(gateway, apiKey);

  test('gets a text as MP3', async () => {
    const response = await client().audio.speech.create({
      model: 'local/speech-1',
      voice: 'bass',
      input: 'Hello there',
      instructions: 'Quietly',
      response_format: 'mp3',
    });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    // 96 bytes a frame, three frames a character.
    expect(await response.arrayBuffer()).toHaveProperty('byteLength', 11 * 3 * 96);
  });

  test("accepts OpenAI's voice names for the model's own voice", async () => {
    for (const voice of [
      'alloy',
      'ash',
      'coral',
      'echo',
      'fable',
      'onyx',
      'nova',
      'sage',
      'shimmer',
      'verse',
    ]) {
      const response = await client().audio.speech.create({ model: 'local/speech-1', voice, input: 'Hi' });
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
    expect(gateway.upstream.requests('speech').at(-1)?.fields).toMatchObject({ voice: 'tenor' });
    const asked = { model: 'local/speech-1', voice: 'soprano', input: 'Hi' };
    await expect(client().audio.speech.create(asked)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  test('receives a sound that arrives in pieces', async () => {
    gateway.upstream.addFaults({ kind: 'drip', on: 'speech', unit: 'event' });
    const response = await client().audio.speech.create({
      model: 'local/speech-1',
      voice: 'alto',
      input: 'Hello there',
      response_format: 'pcm',
    });
    let bytes = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) bytes += piece.length;
    expect(bytes).toBe(2 * SAMPLES_OF_HELLO);
  });

  test("gets speech from a vendor with OpenAI's wire format", async () => {
    await addSpeechModel(gateway, 'test/vendor', [{ provider: 'vendor', adapter: 'openai' }]);
    const request = { model: 'test/vendor', voice: 'alto', input: 'Hello there', speed: 2 };
    const response = await client().audio.speech.create({ ...request, response_format: 'pcm' });
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(2 * SAMPLES_OF_HELLO);
  });

  test('throws BadRequestError for an unknown voice', async () => {
    const request = { model: 'local/speech-1', voice: 'nobody', input: 'Hello there' };
    await expect(client().audio.speech.create(request)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});

describe('the published client', () => {
  const client = (apiKey = gateway.apiKey) => publishedClient(gateway, apiKey);
  const speechRequest = { model: 'local/speech-1', input: 'Hello there' };

  test.each(['mp3', 'pcm', undefined] as const)('gets speech in the format %s', async (responseFormat) => {
    const stream = await client().tts.createSpeech({
      speechRequest: { ...speechRequest, ...(responseFormat && { responseFormat }) },
    });
    let bytes = 0;
    for await (const piece of stream) bytes += piece.length;
    expect(bytes).toBe(responseFormat === 'mp3' ? 11 * 3 * 96 : 2 * SAMPLES_OF_HELLO);
  });

  test('sends a voice to imitate', async () => {
    const stream = await client().tts.createSpeech({
      speechRequest: {
        ...speechRequest,
        inputReferences: [
          { type: 'input_audio', inputAudio: { data: 'AAAA', format: 'wav' } },
          { type: 'text', text: 'Hello' },
        ],
      },
    });
    for await (const _ of stream);
    expect(gateway.upstream.requests('speech').at(-1)?.fields?.['input_references']).toHaveLength(2);
  });

  test('throws its own class for 402, 404 and 502', async () => {
    const speak = (change: object, apiKey?: string) =>
      client(apiKey).tts.createSpeech({ speechRequest: { ...speechRequest, ...change } });
    await expect(speak({ model: 'no/such' })).rejects.toBeInstanceOf(NotFoundResponseError);
    gateway.upstream.addFaults({ kind: 'status', on: 'speech', status: 500 });
    await expect(speak({})).rejects.toBeInstanceOf(BadGatewayResponseError);
    const { token } = await addKey(gateway, { limitNanos: 0n });
    await expect(speak({}, token)).rejects.toBeInstanceOf(PaymentRequiredResponseError);
  });
});
