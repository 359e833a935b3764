/** Makes text and speech answers of the local upstream faulty on request. */
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { filler } from './filler.ts';
import { jsonReply, type Reply } from './reply.ts';
import { type StreamChunk, toEvent } from './server-sent-event.ts';
import type { TextFault } from './text-faults.ts';

/** An event, or some bytes of a file. */
type Piece = string | Uint8Array;

/** Applies a fault to an answer. An answer without streaming counts as a single event. */
export function spoilText(fault: TextFault, reply: Reply, signal: AbortSignal): Reply {
  if (fault.kind === 'error-body') return jsonReply(200, errorBody(fault));
  if (fault.kind === 'usage' && reply.events === undefined) return withOtherUsage(fault, reply);
  const pieces = reply.events ?? [reply.body as Uint8Array];
  return {
    status: reply.status,
    headers: reply.headers,
    body: Readable.from(spoiled(fault, pieces, signal), { objectMode: false }),
  };
}

async function* spoiled(
  fault: Exclude<TextFault, { kind: 'error-body' }>,
  pieces: readonly Piece[],
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  switch (fault.kind) {
    case 'slow-start':
      await wait(fault.ms, undefined, { signal });
      yield* pieces;
      return;
    case 'drip':
      yield* drip(fault, pieces, signal);
      return;
    case 'usage':
      yield* usageEvents(fault, pieces.map(String), signal);
      return;
    case 'cut-stream':
      yield* pieces.slice(0, fault.events);
      throw new Error('cut on request');
    case 'end-early':
      yield* pieces.slice(0, fault.events);
      return;
    case 'hang-stream':
      yield* pieces.slice(0, fault.events);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return;
    case 'error-event':
      yield* pieces.slice(0, fault.events);
      yield `${fault.named ? 'event: error\n' : ''}${toEvent(errorBody(fault))}`;
      yield toEvent('[DONE]');
      return;
    case 'long-line':
      yield* pieces.slice(0, fault.events);
      yield 'data: ';
      yield* filler(fault.bytes, 'x');
      return;
  }
}

async function* drip(
  { unit, everyMs }: Extract<TextFault, { kind: 'drip' }>,
  pieces: readonly Piece[],
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  for (const piece of pieces) {
    const bytes = Buffer.from(piece);
    const size = unit === 'byte' ? 1 : bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      yield bytes.subarray(at, at + size);
      if (everyMs > 0) await wait(everyMs, undefined, { signal });
    }
  }
}

/** Yields the stream with its usage changed by the fault. The usage is in the chunk without choices. */
async function* usageEvents(
  fault: Extract<TextFault, { kind: 'usage' }>,
  pieces: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const counted = pieces.findIndex((piece) => piece.includes('"choices":[]'));
  const count = counted === -1 ? undefined : (JSON.parse(pieces[counted]!.slice(6)) as StreamChunk);
  yield* pieces.slice(0, 1);
  if (fault.how === 'twice' && count) {
    const usage = { prompt_tokens: count.usage?.prompt_tokens ?? 0, completion_tokens: 1, total_tokens: 1 };
    yield toEvent({ ...count, usage });
  }
  yield* pieces.slice(1, counted === -1 ? undefined : counted);
  if (count === undefined) return;
  if (fault.how === 'late') await wait(fault.ms, undefined, { signal });
  if (fault.how !== 'never') yield toEvent({ ...count, usage: changedUsage(fault, count.usage) });
  yield* pieces.slice(counted + 1);
}

function withOtherUsage(fault: Extract<TextFault, { kind: 'usage' }>, reply: Reply): Reply {
  const text = Buffer.from(reply.body as Uint8Array).toString('utf8');
  const { usage, ...answer } = JSON.parse(text) as { usage: object };
  const changed = fault.how === 'never' ? {} : { usage: changedUsage(fault, usage) };
  return jsonReply(reply.status, { ...answer, ...changed });
}

function changedUsage(
  fault: Extract<TextFault, { kind: 'usage' }>,
  usage: object | undefined | null,
): object {
  return fault.how === 'set' ? { ...usage, ...fault.values } : { ...usage };
}

function errorBody({ code, message }: { code: string | number; message: string }): object {
  const type = typeof code === 'string' ? code : 'server_error';
  return { error: { message, type, param: null, code } };
}
