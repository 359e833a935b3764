import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { GenerationRecord } from '../../../../domain/ledger/generation.ts';
import { ProviderError } from '../../../../domain/provider-error.ts';
import { CutOffError } from '../../../../platform/cut-off.ts';
import type { EventStream } from '../../../../platform/event-stream.ts';
import type { LiveStream } from '../../../../services/live/pipeline/live-operation.ts';
import { runLive } from '../../../../services/live/pipeline/run-live.ts';
import {
  BILLED,
  fail,
  type Operation,
  operationOf,
  piecesOf,
  refusal,
  type Request,
  stream,
  streaming,
} from '../../../support/live-operation.ts';
import { createLiveScene, liveCall, type LiveScene } from '../../../support/live-scene.ts';
import { sentText } from '../../../support/sent-text.ts';

function failing(error: Error): AsyncIterable<string[]> {
  return {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
  };
}

/** Runs the operation to the end of its answer. */
async function run(operation: Operation) {
  const scene = createLiveScene({});
  const outcome = await answerOf(scene, operation).catch((error: unknown) => error);
  return { outcome, rows: scene.rows, reserved: scene.reserved() };
}

async function answerOf({ deps }: LiveScene, operation: Operation): Promise<string> {
  const { result } = await runLive(deps, operation, liveCall({}));
  return typeof result === 'string' ? result : sentText(result);
}

describe('a live operation', () => {
  test('shows a whole answer once its row is recorded and its reservation released', async () => {
    const { outcome, rows, reserved } = await run(operationOf({}));
    expect([outcome, reserved]).toEqual(['shown', 0]);
    expect(rows).toMatchObject([{ status: 'completed', costNanos: 8_000_000n, streamed: false }]);
  });

  test('ends a stream once its row is recorded and its reservation released', async () => {
    const { outcome, rows, reserved } = await run(streaming({}));
    expect([outcome, reserved]).toEqual(['Hello the end', 0]);
    expect(rows).toMatchObject([{ status: 'completed', costNanos: 8_000_000n, streamed: true }]);
  });

  test.each<[string, Operation]>([
    ['its preset', operationOf({}, { withPreset: fail })],
    ['reading the request', operationOf({}, { read: fail })],
    ['judging an endpoint', operationOf({ issuesAt: fail })],
    ['checking its fields', operationOf({ check: fail })],
    ['estimating the cost', operationOf({ estimateAt: fail })],
  ])('reserves and records nothing when %s fails', async (_, operation) => {
    const { outcome, rows, reserved } = await run(operation);
    expect(outcome).toBeInstanceOf(Error);
    expect([rows, reserved]).toEqual([[], 0]);
  });

  test.each<[string, Partial<Request>]>([
    ['asking throws', { ask: fail }],
    ['asking is rejected', { ask: () => Promise.reject(new TypeError('no')) }],
    ['every provider refuses', { ask: () => Promise.reject(refusal) }],
    ['no provider can be spoken to', { ask: () => undefined }],
    ['billing fails', { answered: fail }],
    ['the stream cannot be shown', { answered: () => ({ stream, show: fail }) }],
  ])('releases the reservation and records one failed row when %s', async (_, steps) => {
    const { outcome, rows, reserved } = await run(operationOf(steps));
    expect(outcome).toMatchObject({ options: { headers: { 'x-generation-id': rows[0]?.id } } });
    expect([rows.length, rows[0]?.status, rows[0]?.costNanos, reserved]).toEqual([1, 'failed', 0n, 0]);
  });

  test('records its row and releases its reservation before an answer fails to be shown', async () => {
    const { outcome, rows, reserved } = await run(
      operationOf({ answered: () => ({ billed: BILLED, show: fail }) }),
    );
    expect(outcome).toBeInstanceOf(TypeError);
    expect([rows.length, reserved]).toEqual([1, 0]);
  });

  test.each<[string, Partial<LiveStream<string>>, string, string]>([
    ['presenting fails', { present: fail }, ' internal', 'failed'],
    ['a last event is missing', { missing: () => refusal as never }, ' server_error', 'failed'],
    ['billing fails', { bill: fail }, 'Hello broken: internal', 'failed'],
    ['the last event cannot be made', { last: fail }, 'Hello broken: internal', 'completed'],
  ])('settles a stream once when %s', async (_, steps, shown, status) => {
    const { outcome, rows, reserved } = await run(streaming(steps));
    expect(outcome).toContain(shown);
    expect([rows.length, rows[0]?.status, reserved]).toEqual([1, status, 0]);
  });

  test('settles and cuts a stream that has no event for an internal error', async () => {
    const { internalErrorEvent: _, ...silent } = stream;
    const answered = () => ({
      stream: { ...silent, parts: piecesOf(['Hello']), present: fail, last: fail },
      show: (events: EventStream) => events,
    });
    const { outcome, rows, reserved } = await run(operationOf({ answered }));
    expect(outcome).toBeInstanceOf(TypeError);
    expect([rows.length, rows[0]?.status, reserved]).toEqual([1, 'failed', 0]);
  });

  test.each([['before the first piece'], ['in the middle']])(
    'settles a stream as cancelled when its caller leaves %s',
    async (when) => {
      const scene = createLiveScene({});
      const { result } = await runLive(scene.deps, streaming({}, ['Hello', ' there']), liveCall({}));
      const reader = new PassThrough({ highWaterMark: 1 });
      if (when === 'before the first piece') reader.destroy();
      else reader.once('data', () => reader.destroy());
      await (result as EventStream).sendTo(reader);
      expect(scene.rows).toMatchObject([{ status: 'cancelled', costNanos: 8_000_000n }]);
      expect(scene.reserved()).toBe(0);
    },
  );

  describe('a live operation whose caller has disconnected', () => {
    const aborted = (sent: boolean) =>
      new ProviderError({ code: 'aborted', sent, retryable: false, publicMessage: 'Stopped' });

    /** Runs the operation for a caller who is gone, for this reason. */
    async function rowOf(operation: Operation, reason?: Error): Promise<GenerationRecord> {
      const scene = createLiveScene({});
      const call = { ...liveCall({}), signal: AbortSignal.abort(reason) };
      await runLive(scene.deps, operation, call)
        .then(({ result }) => (typeof result === 'string' ? result : sentText(result)))
        .catch(() => {});
      expect([scene.rows.length, scene.reserved()]).toEqual([1, 0]);
      return scene.rows[0]!;
    }

    const prompt = { usage: { prompt: 3, completion: 0 }, costNanos: 9_000_000n, outputModalities: [] };
    test.each<[string, Partial<Request>, Partial<GenerationRecord>]>([
      ['all that was held', {}, { usage: null, costNanos: 10_000_000n, outputModalities: [] }],
      ['what the operation says', { abandonedAt: () => prompt }, prompt],
    ])('costs %s when the request was sent and no answer began', async (_, steps, billed) => {
      const ask = () => Promise.reject(aborted(true));
      expect(await rowOf(operationOf({ ask, ...steps }))).toMatchObject({ status: 'cancelled', ...billed });
    });

    test.each<[string, boolean, Error | undefined]>([
      ['before anything was sent', false, undefined],
      ['because the gateway closed the connection', true, new CutOffError()],
    ])('costs nothing %s', async (_, sent, reason) => {
      const ask = () => Promise.reject(aborted(sent));
      expect(await rowOf(operationOf({ ask }), reason)).toMatchObject({ status: 'cancelled', costNanos: 0n });
    });

    test('records a free row and releases its reservation when its bill fails', async () => {
      const ask = () => Promise.reject(aborted(true));
      expect(await rowOf(operationOf({ ask, abandonedAt: fail }))).toMatchObject({ costNanos: 0n });
    });

    const cut = { parts: failing(aborted(true)) };
    test.each<[string, Partial<LiveStream<string>>, Error | undefined, bigint]>([
      ['of text', cut, undefined, 8_000_000n],
      ['of media under way', { ...cut, isUnderWay: () => true }, undefined, 10_000_000n],
      ['of media that is finished', { ...cut, isUnderWay: () => false }, undefined, 8_000_000n],
      ['of media that the gateway cuts', { ...cut, isUnderWay: () => true }, new CutOffError(), 8_000_000n],
      ['of media that breaks', { parts: failing(refusal), isUnderWay: () => true }, undefined, 8_000_000n],
    ])(
      'charges what arrived, or the whole media in flight, of a stream %s',
      async (_, steps, reason, costNanos) => {
        expect(await rowOf(streaming(steps), reason)).toMatchObject({ costNanos, usage: BILLED.usage });
      },
    );

    test('costs at least what arrived of the stream', async () => {
      const billed = { ...BILLED, costNanos: 12_000_000n };
      const steps = { ...cut, isUnderWay: () => true, bill: () => ({ billed }) };
      expect(await rowOf(streaming(steps))).toMatchObject({ costNanos: 12_000_000n });
    });
  });

  test('releases the reservation when the ledger refuses the row', async () => {
    for (const operation of [operationOf({}), streaming({})]) {
      const scene = createLiveScene({});
      scene.rows.push = fail;
      const outcome = await answerOf(scene, operation).catch((error: unknown) => error);
      expect(String(outcome)).toMatch(/a step that fails|broken: internal/);
      expect(scene.reserved()).toBe(0);
    }
  });
});
