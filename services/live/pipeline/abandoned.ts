import type { Target } from '../../../domain/routing/routing.ts';
import { costOfTokens } from '../../../domain/catalog/token-price.ts';
import { CutOffError } from '../../../platform/cut-off.ts';
import type { LiveCall } from '../live-call.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import type { Billed, LiveRequest } from './live-operation.ts';

/** A request as far as it says what it costs when its caller leaves. */
export type Abandonable = Pick<LiveRequest<never, never>, 'abandonedAt' | 'estimateAt'>;

/** Whether a caller who is gone left. A connection that the gateway cut is not the caller's choice. */
export function hasLeft({ signal }: LiveCall<unknown>): boolean {
  return !(signal.reason instanceof CutOffError);
}

/** Bills a request whose caller left while the target worked on it. */
export function billAbandoned(request: Abandonable, target: Target): Billed {
  return (
    request.abandonedAt?.(target) ?? {
      usage: null,
      costNanos: request.estimateAt(target).fixed,
      outputModalities: [],
    }
  );
}

/** Returns the bill of what came before its caller left, with the price of all of it if that is more. */
export function atLeastAbandoned(came: Billed, request: Abandonable, target: Target): Billed {
  const { costNanos } = billAbandoned(request, target);
  return costNanos > came.costNanos ? { ...came, costNanos } : came;
}

/** Bills a text of which the upstream has read the prompt only. */
export function billPrompt({ endpoint }: Target, { estimatedTokens, images }: PromptFacts): Billed {
  const usage = { prompt: estimatedTokens, completion: 0 };
  const { totalNanos: costNanos } = costOfTokens(endpoint.pricing, usage, images);
  return { usage, costNanos, promptImages: images, outputModalities: [] };
}
