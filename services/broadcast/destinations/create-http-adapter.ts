import type {
  Batch,
  BatchLimits,
  DestinationAdapter,
  Ruling,
  SendDeps,
  Verdict,
} from './destination-adapter.ts';
import { exchange } from './exchange.ts';
import type { ToolAnswer, ToolRequest } from './exchange.ts';
import { excerptOf, secretsOf } from './hide-secrets.ts';
import { judgeFailure, judgeStatus } from './judge-answer.ts';

export interface ConfigWithHeaders {
  headers?: Record<string, string>;
}

/** Judges an answer that has a special meaning for this tool. Returns undefined when the status decides. */
export type JudgeAnswer = (answer: ToolAnswer, nowMs: number) => Ruling | undefined;

export interface Delivery {
  config: ConfigWithHeaders;
  request: ToolRequest;
  limits: BatchLimits;
  judge?: JudgeAnswer | undefined;
}

/** Sends one request with a batch and judges the answer. A body above the limit is not sent. */
export async function deliver(
  { config, request, limits, judge }: Delivery,
  deps: SendDeps,
  signal: AbortSignal,
): Promise<Verdict> {
  const bytes = request.body?.length ?? 0;
  if (bytes > limits.bytes) return { ...tooLarge(bytes, limits.bytes), status: null, bytes };
  try {
    const answer = await exchange(deps, request, config.headers, signal);
    const ruling = judge?.(answer, deps.now()) ?? judgeStatus(answer, deps.now());
    const excerpt = excerptOf(answer.body, secretsOf(config, request.headers));
    return { ...ruling, status: answer.status, bytes, ...(excerpt === undefined ? {} : { excerpt }) };
  } catch (error) {
    return { ...judgeFailure(error), status: null, bytes };
  }
}

export function tooLarge(bytes: number, limit: number): Ruling {
  return { kind: 'too_large', reason: `The batch has ${bytes} bytes, and the limit is ${limit}.` };
}

/** Builds the adapter of a tool that takes a batch in one request. */
export function createHttpAdapter<Config extends ConfigWithHeaders>(type: {
  limits: BatchLimits;
  /** Returns the request, or the verdict on a batch that cannot be sent. */
  prepare(batch: Batch, config: Config, deps: SendDeps): ToolRequest | Verdict;
  judge?: JudgeAnswer;
}): DestinationAdapter<Config> {
  const { limits, judge } = type;
  return {
    limits,
    async send(batch, config, deps, signal) {
      const prepared = type.prepare(batch, config, deps);
      if ('kind' in prepared) return prepared;
      return deliver({ config, request: prepared, limits, judge }, deps, signal);
    },
  };
}
