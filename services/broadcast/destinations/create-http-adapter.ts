/** Sends a batch to an observability tool by one HTTP request, and turns the response into a verdict. */
import type {
  Batch,
  BatchLimits,
  DestinationAdapter,
  AnswerClass,
  SendDeps,
  SendOutcome,
} from './destination-adapter.ts';
import { exchange } from './exchange.ts';
import type { ToolAnswer, ToolRequest } from './exchange.ts';
import { excerptOf, secretsOf } from './hide-secrets.ts';
import { classifyFailure, classifyStatus } from './classify-answer.ts';

export interface ConfigWithHeaders {
  headers?: Record<string, string>;
}

/** Judges an answer that has a special meaning for this tool. Returns undefined when the status decides. */
export type ClassifyAnswer = (answer: ToolAnswer, nowMs: number) => AnswerClass | undefined;

export interface Delivery {
  config: ConfigWithHeaders;
  request: ToolRequest;
  limits: BatchLimits;
  classify?: ClassifyAnswer | undefined;
}

/** Sends one request with a batch and classifies the answer. A body above the limit is not sent. */
export async function deliver(
  { config, request, limits, classify }: Delivery,
  deps: SendDeps,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const bytes = request.body?.length ?? 0;
  if (bytes > limits.bytes) return { ...tooLarge(bytes, limits.bytes), status: null, bytes };
  try {
    const answer = await exchange(deps, request, config.headers, signal);
    const answerClass = classify?.(answer, deps.now()) ?? classifyStatus(answer, deps.now());
    const excerpt = excerptOf(answer.body, secretsOf(config, request.headers));
    return { ...answerClass, status: answer.status, bytes, excerpt };
  } catch (error) {
    return { ...classifyFailure(error), status: null, bytes };
  }
}

export function tooLarge(bytes: number, limit: number): AnswerClass {
  return { kind: 'too_large', reason: `The batch has ${bytes} bytes, and the limit is ${limit}.` };
}

/** Builds the adapter of a tool that takes a batch in one request. */
export function createHttpAdapter<Config extends ConfigWithHeaders>(type: {
  limits: BatchLimits;
  /** Returns the request, or the verdict on a batch that cannot be sent. */
  prepare(batch: Batch, config: Config, deps: SendDeps): ToolRequest | SendOutcome;
  classify?: ClassifyAnswer;
}): DestinationAdapter<Config> {
  const { limits, classify } = type;
  return {
    limits,
    async send(batch, config, deps, signal) {
      const prepared = type.prepare(batch, config, deps);
      if ('kind' in prepared) return prepared;
      return deliver({ config, request: prepared, limits, classify }, deps, signal);
    },
  };
}
