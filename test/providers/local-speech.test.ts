import { describe, expect, test } from '@jest/globals';
import { createSpeechMeter } from '../../services/live/speech/speech-meter.ts';
import type { SpeechReference } from '../../domain/live/speech.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { describeSpeechAdapter } from './speech-promises.ts';
import { failureOf } from './text-adapter-under-test.ts';

const speech = describeSpeechAdapter('local');

const WAV = Buffer.from('RIFF....WAVE');
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==';

describe('the wire of the local upstream', () => {
  test('carries turns with their own voices and instructions', async () => {
    const input = [
      { text: 'Hello', voice: 'alto' },
      { text: 'Goodbye', voice: 'bass', instructions: 'Quietly' },
    ];
    const together = await speech.sound({ input });
    expect(speech.asked()).toMatchObject({ input });
    const first = await speech.sound({ input: 'Hello', voice: 'alto' });
    const second = await speech.sound({ input: 'Goodbye', voice: 'bass', instructions: 'Quietly' });
    expect(together.equals(Buffer.concat([first, second]))).toBe(true);
  });

  test('carries references, which change the sound', async () => {
    const clip: SpeechReference = { kind: 'audio', data: 'AAAA', format: 'wav', transcript: 'Hello' };
    await speech.sound({ references: [clip, { kind: 'audio', data: 'data:audio/mpeg;base64,BBBB' }] });
    expect(speech.asked()).toMatchObject({
      input_references: [
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'text', text: 'Hello' },
        { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
      ],
    });
    await speech.sound({ references: [{ kind: 'image', url: PIXEL }] });
    expect(speech.asked()).toMatchObject({ input_references: [{ type: 'image_url' }] });
    const [alike, other] = [await speech.sound({ references: [clip] }), await speech.sound()];
    expect(alike.equals(other)).toBe(false);
  });

  test('carries a clip given by URL, fetched through the guard', async () => {
    const host = await startLoopbackServer((_request, response) => {
      response.setHeader('content-type', 'audio/wav');
      response.end(WAV);
    });
    await speech.sound({ references: [{ kind: 'audio', data: `${host.origin}/a.wav` }] });
    await host.close();
    expect(speech.asked()).toMatchObject({
      input_references: [{ input_audio: { data: WAV.toString('base64'), format: 'wav' } }],
    });
  });

  test.each([
    ['no sound', 200, 'text/html', WAV, /must be wav/],
    ['nothing', 404, 'audio/wav', WAV, /answered 404/],
    ['an empty file', 200, 'audio/wav', Buffer.alloc(0), /^is empty$/],
    ['too much', 200, 'audio/wav', Buffer.alloc(21 * 1024 ** 2), /larger than 20 MiB/],
  ])('refuses a URL that serves %s', async (_what, status, type, body, words) => {
    const host = await startLoopbackServer((_request, response) => {
      response.writeHead(status, { 'content-type': type });
      response.end(body);
    });
    const references = [{ kind: 'audio', data: `${host.origin}/a.wav` } as const];
    const error = await failureOf(speech.speak({ references }));
    await host.close();
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(error.issue?.message).toMatch(words);
  });

  test('refuses clips of more than 32 MiB together, and sends none', async () => {
    const host = await startLoopbackServer((_request, response) => {
      response.setHeader('content-type', 'audio/wav');
      response.end(Buffer.alloc(17 * 1024 ** 2));
    });
    const before = speech.asked();
    const references = [1, 2].map((at) => ({ kind: 'audio', data: `${host.origin}/${at}` }) as const);
    const error = await failureOf(speech.speak({ references }));
    await host.close();
    expect(error.issue?.message).toBe('must give at most 32 MiB of clips by address');
    expect(speech.asked()).toBe(before);
  });

  test.each(['http://169.254.169.254/a.wav', 'http://127.0.0.1:1/a.wav'])(
    'refuses a forbidden or unreachable address: %s',
    async (data) => {
      const error = await failureOf(speech.speak({ references: [{ kind: 'audio', data }] }));
      expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    },
  );
});

describe('the local upstream', () => {
  test('makes the same sound for the same request, and another for another', async () => {
    const [one, again, faster, voiced] = await Promise.all([
      speech.sound({ format: 'mp3' }),
      speech.sound({ format: 'mp3' }),
      speech.sound({ format: 'mp3', speed: 2 }),
      speech.sound({ format: 'mp3', voice: 'bass' }),
    ]);
    expect(one.equals(again)).toBe(true);
    expect(faster.length).toBeLessThan(0.6 * one.length);
    expect(voiced.equals(one)).toBe(false);
  });

  test('makes MP3 only of frames of 24 ms', async () => {
    const sound = await speech.sound({ format: 'mp3' });
    const meter = createSpeechMeter('mp3');
    meter.addBytes(sound);
    expect(sound.length % 96).toBe(0);
    expect(meter.seconds).toBeCloseTo((sound.length / 96) * 0.024, 9);
    for (let at = 0; at < sound.length; at += 96) expect(sound.readUInt32BE(at)).toBe(0xfff344c4);
  });

  test.each([
    ['an unknown model', { model: 'tts-9' }, 404],
    ['an unknown voice', { voice: 'nobody' }, 400],
    ['no text', { input: '' }, 400],
    ['too much text', { input: 'x'.repeat(4_097) }, 400],
    ['another format', { response_format: 'wav' }, 400],
    [
      'a reference that it would have to fetch',
      { input_references: [{ type: 'input_audio', input_audio: { data: 'https://x' } }] },
      400,
    ],
  ])('refuses %s', async (_what, change, status) => {
    const body = { model: 'speech-1', input: 'Hello', ...change };
    expect((await speech.client.call('POST', '/v1/audio/speech', body)).status).toBe(status);
  });

  test('applies faults of a request to that request only', async () => {
    const body = {
      model: 'speech-1',
      input: 'Hello',
      faults: [{ kind: 'status', on: 'speech', status: 503 }],
    };
    expect((await speech.client.call('POST', '/v1/audio/speech', body)).status).toBe(503);
    expect(await speech.sound()).not.toHaveLength(0);
  });
});
