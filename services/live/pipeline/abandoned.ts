/** Decides how much a request costs when its caller disconnects before the end. */
import type { AppError } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { AnswerMemoryError } from '../../../providers/answer-allowance.ts';
import { CutOffError } from '../../../platform/cut-off.ts';
import type { LiveCall } from '../live-call.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { billTokens } from '../prompt/token-bill.ts';
import type { Billed, LiveRequest } from './live-operation.ts';

/** The parts of a request that determine its bill when the caller disconnects. */
export type Abandonable = Pick<LiveRequest<never, never>, 'abandonedAt' | 'estimateAt'>;

/**
 * Returns whether the caller of an aborted request disconnected by itself. Returns false if this process cut the
 * connection.
 */
export function disconnectedByItself({ signal }: LiveCall<unknown>): boolean {
  return !(signal.reason instanceof CutOffError);
}

/**
 * Returns whether the caller ended a stream before its end, by disconnecting or by leaving too much of it unread.
 */
export function wasAbandoned(failure: AppError | undefined, call: LiveCall<unknown>): boolean {
  const hasEndedIt = failure?.code === 'client_cancelled' || failure?.cause instanceof AnswerMemoryError;
  return hasEndedIt && disconnectedByItself(call);
}

/** Bills a request whose caller disconnected while the target worked on it. */
export function billAbandoned(request: Abandonable, target: Target): Billed {
  return (
    request.abandonedAt?.(target) ?? {
      usage: null,
      costNanos: request.estimateAt(target).fixed,
      outputModalities: [],
    }
  );
}

/** Returns the bill for the output so far, or the price of the whole request if that is higher. */
export function atLeastAbandoned(came: Billed, request: Abandonable, target: Target): Billed {
  const { costNanos, bill } = billAbandoned(request, target);
  return costNanos > came.costNanos ? { ...came, costNanos, bill } : came;
}

/** Bills a text request of which the upstream has read only the prompt. */
export function billPrompt(target: Target, prompt: PromptFacts): Billed {
  const { estimatedTokens, estimatedAudio } = prompt;
  const usage = { prompt: estimatedTokens, completion: 0, promptAudio: estimatedAudio || undefined };
  return billTokens(target, prompt, { usage, isEstimated: true, outputModalities: [] }).billed;
}
