/** Builds the facts that the ledger records about failed and unused generations. */
import { AppError } from '../../../domain/errors.ts';
import type { GenerationStatus, ProviderResponse } from '../../../domain/ledger/generation.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { Ending } from '../generation.ts';

/** Returns the ending of a generation that used nothing. */
export function nothingUsed(target: Target, responses: ProviderResponse[]): Omit<Ending, 'status'> {
  return {
    target,
    responses,
    usage: null,
    costNanos: 0n,
    upstreamCostNanos: null,
    outputModalities: [],
    finishReason: null,
    upstreamId: null,
    serviceTier: null,
    toolCalls: 0,
    answeredAtMs: null,
  };
}

/** Returns the ending of a failed generation. Without an error, the gateway itself failed. */
export function failedEnding(used: Omit<Ending, 'status'>, error?: AppError): Ending {
  return { ...used, status: failedStatus(error), finishReason: 'error' };
}

export function statusOf(failure: AppError | undefined): GenerationStatus {
  return failure === undefined ? 'completed' : failedStatus(failure);
}

/**
 * Returns the status of a failed generation. Undefined stands for the gateway's own failure, because creating an error
 * for every request would cost more than the rest of this path.
 */
function failedStatus(error: AppError | undefined): GenerationStatus {
  return error?.code === 'client_cancelled' ? 'cancelled' : 'failed';
}

/** Returns the error with a header that names its generation. */
export function withGenerationId(error: AppError, id: string): AppError {
  const headers = { ...error.options.headers, 'x-generation-id': id };
  return new AppError(error.code, { ...error.options, headers });
}
