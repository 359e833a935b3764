import { describe, expect, test } from '@jest/globals';
import { createSpeechMeter } from '../../services/live/speech/speech-meter.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import { closed, timedOut } from './held-call.ts';
import { setUpSpeechAdapter, soundOf, type SpeechAdapterUnderTest } from './speech-adapter-under-test.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

const MIB = 1024 ** 2;
const TWO_EVENTS_BYTES = 2 * 11_520;

/** The promises of SpeechAdapter, which every adapter keeps, tested over HTTP against the local upstream. */
export function describeSpeechAdapter(name: string): SpeechAdapterUnderTest {
  const speech = setUpSpeechAdapter(name);
  describeSound(speech);
  describeSpeechFailures(speech);
  describeSpeechConnections(speech);
  return speech;
}

function describeSound(speech: SpeechAdapterUnderTest): void {
  describe('speech', () => {
    test.each(['mp3', 'pcm'] as const)('equals the vendor’s bytes: %s', async (format) => {
      const sound = await speech.sound({ format });
      const body = { model: 'speech-1', input: 'An old lighthouse', response_format: format };
      const direct = await speech.client.call('POST', '/v1/audio/speech', body);
      expect(sound.equals(Buffer.from(await direct.arrayBuffer()))).toBe(true);
      const meter = createSpeechMeter(format);
      meter.addBytes(sound);
      // 72 ms for each of 17 characters.
      expect(meter.seconds).toBeCloseTo(17 * 0.072, 6);
    });

    test('the request has voice, instructions, speed and the caller’s own options', async () => {
      await speech.sound({
        voice: 'bass',
        instructions: 'Quietly',
        speed: 2,
        options: { seed: 7, model: 'other', response_format: 'wav', stream_format: 'sse' },
      });
      expect(speech.asked()).toEqual({
        model: 'speech-1',
        input: 'An old lighthouse',
        voice: 'bass',
        instructions: 'Quietly',
        speed: 2,
        response_format: 'pcm',
        seed: 7,
      });
    });

    test('arrives in pieces before the vendor has finished', async () => {
      speech.client.upstream.addFaults({ kind: 'hang-stream', on: 'speech', events: 2 });
      const stop = new AbortController();
      const { audio } = await speech.speak({}, speech.newContext({ signal: stop.signal }));
      let bytes = 0;
      const failure = failureOf(
        (async () => {
          for await (const arrived of audio) {
            for (const piece of arrived) bytes += piece.length;
            // 240 ms a piece.
            if (bytes === 2 * 11_520) stop.abort();
          }
        })(),
      );
      expect(await failure).toMatchObject({ code: 'aborted' });
      expect(bytes).toBe(2 * 11_520);
    });

    test('arrives whole when the vendor sends single bytes', async () => {
      const whole = await speech.sound();
      speech.client.upstream.addFaults({ kind: 'drip', on: 'speech', unit: 'byte' });
      expect((await speech.sound()).equals(whole)).toBe(true);
    });

    test('arrives whole when it has 30 MB', async () => {
      speech.client.upstream.addFaults({ kind: 'stream', on: 'speech', bytes: 30 * MIB });
      expect(await speech.sound()).toHaveLength(30 * MIB);
    });

    test('has the vendor’s request id', async () => {
      const answer = await speech.speak();
      await soundOf(answer);
      expect(answer.upstreamId).toMatch(/^req_/);
    });

    test.each([
      ['mp3', 'audio/mpeg'],
      ['mp3', 'audio/mp3; charset=binary'],
      ['mp3', 'application/octet-stream'],
      ['pcm', 'audio/pcm'],
      ['pcm', 'audio/pcm;rate=24000;channels=1'],
      ['pcm', undefined],
    ] as const)('accepts %s with the type %s', async (format, type) => {
      const sound = await speech.answered(
        (_request, response) => {
          if (type !== undefined) response.setHeader('content-type', type);
          response.end('sound');
        },
        { format },
      );
      expect(sound.toString()).toBe('sound');
    });
  });
}

function describeSpeechFailures(speech: SpeechAdapterUnderTest): void {
  describe('speech that fails before its first byte', () => {
    test.each<[string, FaultInput, string, boolean]>([
      ['a bad request', { kind: 'status', on: 'speech', status: 400 }, 'invalid_request', false],
      ['a refused key', { kind: 'status', on: 'speech', status: 401 }, 'unauthorized', false],
      ['a limit', { kind: 'status', on: 'speech', status: 429, retryAfter: '3' }, 'rate_limited', true],
      ['an error of the vendor', { kind: 'status', on: 'speech', status: 500 }, 'server_error', true],
      ['an overload', { kind: 'status', on: 'speech', status: 503 }, 'overloaded', true],
      [
        'an error in a 200',
        { kind: 'error-body', on: 'speech', code: 'rate_limit_exceeded' },
        'rate_limited',
        true,
      ],
      ['JSON', { kind: 'wrong-shape', on: 'speech' }, 'invalid_response', true],
      ['a page', { kind: 'content-type', on: 'speech', value: 'text/html' }, 'invalid_response', true],
      ['another sound', { kind: 'content-type', on: 'speech', value: 'audio/wav' }, 'invalid_response', true],
      [
        'another rate',
        { kind: 'content-type', on: 'speech', value: 'audio/pcm;rate=16000' },
        'invalid_response',
        true,
      ],
      ['nothing', { kind: 'end-early', on: 'speech', events: 0 }, 'invalid_response', true],
      // Twice: what is lost with a connection that was used before is asked again.
      ['a cut connection', { kind: 'drop', on: 'speech', times: 2 }, 'connection_lost', true],
      ['a cut after the headers', { kind: 'cut-stream', on: 'speech', events: 0 }, 'connection_lost', true],
    ])('has the error code and the retry verdict of %s', async (_what, fault, code, retryable) => {
      speech.client.upstream.addFaults(fault);
      const error = await failureOf(speech.speak());
      expect(error).toMatchObject({ code, retryable });
      expect(error.publicMessage).not.toContain(UPSTREAM_KEY);
    });

    test('carries the vendor’s Retry-After', async () => {
      speech.client.upstream.addFaults({ kind: 'status', on: 'speech', status: 429, retryAfter: '3' });
      expect(await failureOf(speech.speak())).toMatchObject({ retryAfterMs: 3_000 });
    });

    test.each<[string, FaultInput]>([
      ['an answer', { kind: 'hang', on: 'speech' }],
      ['its first byte', { kind: 'hang-stream', on: 'speech', events: 0 }],
    ])('times out and disconnects when the vendor withholds %s', async (_what, fault) => {
      const request = await timedOut(speech.client, fault, ({ requestId, timeoutMs }) =>
        speech.speak({}, speech.newContext({ requestId, firstByteMs: timeoutMs })),
      );
      await closed(request);
    });
  });

  describe('speech that fails in the middle', () => {
    /** Reads until the failure; returns how many bytes came before it. */
    async function bytesBefore(code: string, idleMs: number): Promise<number> {
      const { audio } = await speech.speak({}, speech.newContext({ idleMs }));
      let bytes = 0;
      const work = (async () => {
        for await (const arrived of audio) for (const piece of arrived) bytes += piece.length;
      })();
      expect(await failureOf(work)).toMatchObject({ code, retryable: true });
      return bytes;
    }

    test('yields its bytes, then fails as connection_lost when cut', async () => {
      speech.client.upstream.addFaults({ kind: 'cut-stream', on: 'speech', events: 2 });
      expect(await bytesBefore('connection_lost', 60_000)).toBe(TWO_EVENTS_BYTES);
    });

    test('yields its bytes, then times out when the vendor falls silent', async () => {
      speech.client.upstream.addFaults({ kind: 'hang-stream', on: 'speech', events: 2, times: 1_000 });
      await withMoreTime(100, async (idleMs) => {
        const bytes = await bytesBefore('timeout', idleMs);
        return bytes === TWO_EVENTS_BYTES || undefined;
      });
    });

    test('fails as connection_lost when fewer bytes come than announced', async () => {
      speech.client.upstream.addFaults({ kind: 'truncate', on: 'speech', bytes: 1_000 });
      const answer = await speech.speak({ model: 'speech-canned' });
      expect(await failureOf(soundOf(answer))).toMatchObject({ code: 'connection_lost' });
    });
  });
}

function describeSpeechConnections(speech: SpeechAdapterUnderTest): void {
  describe('a connection for speech', () => {
    test('fails as not_connected when its port is closed', async () => {
      const gone = await startLoopbackServer(() => {});
      await gone.close();
      const request = { model: 'm', input: 'x', format: 'pcm', references: [] } as const;
      const work = speech.adapter(gone.origin).speak({ ...request, references: [] }, speech.newContext());
      expect(await failureOf(work)).toMatchObject({ code: 'not_connected', retryable: true });
    });

    test('closes when the caller stops reading', async () => {
      speech.client.upstream.addFaults({ kind: 'stream', on: 'speech', bytes: 30 * MIB });
      const { audio } = await speech.speak();
      for await (const _ of audio) break;
      await brokenOff(speech);
    });

    test('makes the vendor wait for a caller who reads slowly', async () => {
      let written = 0;
      const vendor = await startLoopbackServer((_request, response) => {
        response.setHeader('content-type', 'audio/pcm');
        const block = Buffer.alloc(64 * 1024);
        const write = (): void => {
          while (written < 64 * MIB) {
            written += block.length;
            if (!response.write(block)) return void response.once('drain', write);
          }
          response.end();
        };
        write();
      });
      const request = { model: 'm', input: 'x', format: 'pcm', references: [] } as const;
      const { audio } = await speech
        .adapter(vendor.origin)
        .speak({ ...request, references: [] }, speech.newContext());
      let seen = 0;
      const before = await eventually('the vendor waits', async () => {
        const isWaiting = seen > 0 && written === seen;
        seen = written;
        return isWaiting ? written : undefined;
      });
      expect(before).toBeLessThan(32 * MIB);
      expect((await soundOf({ audio })).length).toBe(64 * MIB);
      await vendor.close();
    });

    test('carries no request when the caller has already aborted', async () => {
      const before = speech.client.upstream.requests('speech').length;
      const work = speech.speak({}, speech.newContext({ signal: AbortSignal.abort() }));
      expect(await failureOf(work)).toMatchObject({ code: 'aborted', retryable: false });
      expect(speech.client.upstream.requests('speech')).toHaveLength(before);
    });
  });
}

function brokenOff({ client }: SpeechAdapterUnderTest): Promise<true> {
  return eventually(
    'the vendor sees the connection close',
    async () => client.upstream.requests('speech').at(-1)?.brokenOff,
  );
}
