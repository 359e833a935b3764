import { ProviderError } from '../../domain/provider-error.ts';
import type { EventStream } from '../../platform/event-stream.ts';
import { CALLERS_FAILURES_OF_TEXT } from '../../services/live/pipeline/callers-failures.ts';
import type { LiveOperation, LiveRequest, LiveStream } from '../../services/live/pipeline/live-operation.ts';
import type { RoutableBody } from '../../services/routing/routable-body.ts';

type Answer = 'an answer';
type Result = 'shown' | EventStream;
export type Request = LiveRequest<Answer, Result>;
export type Operation = LiveOperation<RoutableBody, Answer, Result>;

export const BILLED = {
  usage: { prompt: 3, completion: 5 },
  costNanos: 8_000_000n,
  outputModalities: ['text' as const],
};

/** A step of an operation that fails. */
export function fail(): never {
  throw new TypeError('a step that fails');
}

const request: Request = {
  routable: { model: 'm/one' },
  opening: { input: 'Hello', inputModalities: ['text'], user: null, streamed: false },
  estimateAt: () => ({ fixed: 10_000_000n }),
  ask: async () => 'an answer' as const,
  answered: () => ({ billed: BILLED, show: () => 'shown' as const }),
};

/** A stream without parts. */
export const stream: LiveStream<string> = {
  parts: (async function* () {})(),
  present: (arrived) => arrived.join(''),
  bill: () => ({ billed: BILLED }),
  last: (_bill, failure) => (failure === undefined ? ' the end' : ` ${failure.code}`),
  internalErrorEvent: ({ code }) => ` broken: ${code}`,
};

/** An operation that answers as a whole and costs $0.008, but for these steps. */
export function operationOf(steps: Partial<Request>, more: Partial<Operation> = {}): Operation {
  const read = () => ({ ...request, ...steps });
  return {
    capability: 'chat',
    apiType: 'completions',
    callersFailures: CALLERS_FAILURES_OF_TEXT,
    read,
    ...more,
  };
}

/** An operation that streams these parts. */
export function streaming(steps: Partial<LiveStream<string>>, parts = ['Hello']): Operation {
  const answered = () => ({
    stream: { ...stream, parts: piecesOf(parts), ...steps },
    show: (events: EventStream) => events,
  });
  return operationOf({ answered });
}

export async function* piecesOf(parts: string[]): AsyncGenerator<string[]> {
  for (const part of parts) yield [part];
}

/** An upstream that is broken. */
export const refusal = new ProviderError({
  code: 'server_error',
  status: 500,
  sent: true,
  retryable: true,
  publicMessage: 'No',
});
