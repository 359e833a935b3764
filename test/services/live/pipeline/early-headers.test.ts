import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ProviderError } from '../../../../domain/provider-error.ts';
import type { EventStream } from '../../../../platform/event-stream.ts';
import { isPendingAfter } from '../../../../services/live/pipeline/early-headers.ts';
import type { EarlyStream } from '../../../../services/live/pipeline/live-operation.ts';
import { runLive } from '../../../../services/live/pipeline/run-live.ts';
import {
  BILLED,
  fail,
  type Operation,
  operationOf,
  refusal,
  type Request,
  streaming,
} from '../../../support/live-operation.ts';
import { createLiveScene, liveCall, type LiveScene } from '../../../support/live-scene.ts';

const COMMENT = ': SLUICE PROCESSING\n\n';

const early: EarlyStream<'shown' | EventStream> = {
  show: (events) => events,
  failed: ({ error }) => `failed: ${error.code}`,
};

/** A scene in which headers leave at once, with a comment every millisecond. */
function createEarlyScene(): LiveScene {
  const scene = createLiveScene({});
  scene.deps.earlyHeaders = { afterMs: 0, commentEveryMs: 1 };
  return scene;
}

/** The same operation, but its upstream answers only when `answer` is called. */
function slow(quick: Operation, more: Partial<Request> = {}): { operation: Operation; answer(): void } {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const read: Operation['read'] = (...asked) => {
    const request = quick.read(...asked);
    return { ...request, early, ask: (...to) => promise.then(() => request.ask(...to)!), ...more };
  };
  return { operation: { ...quick, read }, answer };
}

/** Runs the operation to the end of its stream. Its upstream answers once the caller has read three comments. */
async function run(quick: Operation, more: Partial<Request> = {}, scene = createEarlyScene()) {
  const { operation, answer } = slow(quick, more);
  const reader = new PassThrough();
  let text = '';
  reader.on('data', (piece: Buffer) => {
    text += String(piece);
    if (text.startsWith(COMMENT.repeat(3))) answer();
  });
  const { result } = await runLive(scene.deps, operation, liveCall({}));
  const outcome = await (result as EventStream).sendTo(reader).catch((error: unknown) => error);
  return { outcome, events: text.replaceAll(COMMENT, ''), rows: scene.rows, reserved: scene.reserved() };
}

test('comments arrive until the first event, and the stream ends like any other', async () => {
  const { events, rows, reserved } = await run(streaming({}));
  expect([events, reserved]).toEqual(['Hello the end', 0]);
  expect(rows).toMatchObject([{ status: 'completed', costNanos: 8_000_000n, streamed: true }]);
});

const refusing = () => Promise.reject(refusal);

test.each<[string, Operation, string, string]>([
  ['asking throws', operationOf({ ask: fail }), 'failed: internal', 'failed'],
  ['every provider refuses', operationOf({ ask: refusing }), 'failed: provider_error', 'failed'],
  ['billing fails', operationOf({ answered: fail }), 'failed: internal', 'failed'],
  ['the answer is no stream', operationOf({}), 'failed: internal', 'failed'],
  ['presenting fails', streaming({ present: fail }), ' internal', 'failed'],
  ['the bill of the stream fails', streaming({ bill: fail }), 'Hello broken: internal', 'failed'],
  ['the last event cannot be made', streaming({ last: fail }), 'Hello broken: internal', 'completed'],
])('the stream shows its error and is settled once when %s', async (_, operation, shown, status) => {
  const { events, rows, reserved } = await run(operation);
  expect(events).toBe(shown);
  expect([rows.length, rows[0]?.status, reserved]).toEqual([1, status, 0]);
});

test('a stream whose failure cannot be presented is settled and cut', async () => {
  const { outcome, rows, reserved } = await run(operationOf({ ask: fail }), {
    early: { ...early, failed: fail },
  });
  expect(outcome).toBeInstanceOf(TypeError);
  expect([rows.length, rows[0]?.status, reserved]).toEqual([1, 'failed', 0]);
});

test('a stream that cannot be handed over is settled once', async () => {
  const scene = createEarlyScene();
  const { operation } = slow(streaming({}), { early: { ...early, show: fail } });
  await expect(runLive(scene.deps, operation, liveCall({}))).rejects.toThrow('internal');
  expect([scene.rows.length, scene.rows[0]?.status, scene.reserved()]).toEqual([1, 'failed', 0]);
});

test.each<[string, Operation, string]>([
  ['an answer', streaming({}), 'Hello broken: internal'],
  ['a failure', operationOf({ ask: refusing }), 'failed: internal'],
])('the reservation is released when the ledger refuses the row of %s', async (_, operation, shown) => {
  const scene = createEarlyScene();
  scene.rows.push = fail;
  const { events, reserved } = await run(operation, {}, scene);
  expect([events, reserved]).toEqual([shown, 0]);
});

const aborted = new ProviderError({
  code: 'aborted',
  sent: true,
  retryable: false,
  publicMessage: 'The caller left.',
});

test.each<[string, number, boolean, bigint]>([
  // All that was held.
  ['while a comment waits to be taken', 1, false, 10_000_000n],
  ['between two comments', 1_024, false, 10_000_000n],
  ['when the upstream answers all the same', 1, true, BILLED.costNanos],
])('a caller who leaves %s ends the attempt and pays', async (_, highWaterMark, answers, costNanos) => {
  const scene = createEarlyScene();
  const leaving = new AbortController();
  const ends = Promise.withResolvers<void>();
  const parts = (async function* () {
    try {
      yield ['Hello'];
      yield [' there'];
    } finally {
      ends.resolve();
    }
  })();
  const ask: Request['ask'] = (_target, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => (answers ? resolve('an answer') : reject(aborted)));
    });
  const { operation } = slow(streaming({ parts }), { ask });
  const { result } = await runLive(scene.deps, operation, { ...liveCall({}), signal: leaving.signal });
  // Nobody reads: with a mark of one byte, the first comment has to wait.
  const reader = new PassThrough({ highWaterMark });
  const isOver = (result as EventStream).sendTo(reader);
  // A piece is written at the end of the turn after the one that made it.
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  expect(reader.writableNeedDrain).toBe(highWaterMark === 1);
  leaving.abort();
  reader.destroy();
  await isOver;
  if (answers) await ends.promise;
  expect(scene.rows).toMatchObject([{ status: 'cancelled', costNanos }]);
  expect(scene.reserved()).toBe(0);
});

test('a failure before the headers leave is thrown', async () => {
  const scene = createLiveScene({});
  const operation = operationOf({ early, ask: refusing });
  await expect(runLive(scene.deps, operation, liveCall({}))).rejects.toMatchObject({
    code: 'provider_error',
  });
  expect([scene.rows.length, scene.rows[0]?.status, scene.reserved()]).toEqual([1, 'failed', 0]);
});

const LONG_MS = 1_000_000;

test('a promise that resolves or rejects in time is not pending', async () => {
  expect(await isPendingAfter(Promise.resolve(), LONG_MS)).toBe(false);
  expect(await isPendingAfter(Promise.reject(new Error('no')), LONG_MS)).toBe(false);
});

test('a promise that does not settle in time is pending', async () => {
  expect(await isPendingAfter(new Promise(() => {}), 1)).toBe(true);
});

test('ten settled promises leave no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  for (let n = 0; n < 10; n += 1) await isPendingAfter(Promise.resolve(), LONG_MS);
  expect(timers()).toBeLessThan(before + 10);
});
