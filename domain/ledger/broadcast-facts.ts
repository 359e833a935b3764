import type { Nanos } from '../money.ts';

/** JSON as it comes from a caller. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A generation's cost by kind of token. The parts that are present add up to what the parts of the price say. */
export interface CostParts {
  prompt?: Nanos;
  completion?: Nanos;
  cacheRead?: Nanos;
  cacheWrite?: Nanos;
  reasoning?: Nanos;
  request?: Nanos;
  media?: Nanos;
}

/** The request's parameters that the conventions have names for. Absent means: the caller did not say. */
export interface RequestParameters {
  temperature?: number;
  topP?: number;
  topK?: number;
  maxTokens?: number;
  seed?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  stopSequences?: string[];
  choiceCount?: number;
  reasoningEffort?: string;
}

/**
 * Facts about a generation that the ledger does not keep. They travel with the ledger's row, at most 16 KiB as JSON, and
 * only where the workspace has a destination. Amounts are decimal strings of nanodollars.
 */
export interface BroadcastFacts {
  /** The request's `trace` object. */
  trace?: { [name: string]: Json };
  parameters?: RequestParameters;
  /** The model that the caller asked for, and the one that the upstream says it ran. */
  requestModel?: string;
  responseModel?: string;
  /** The code of the error that the caller received, and its public message. */
  error?: { code: string; message: string };
  /** Cost by kind of token: names of CostParts. */
  costs?: Partial<Record<keyof CostParts, string>>;
  /** True: prompt and answer are on their way to `broadcast_bodies`. */
  hasContent?: boolean;
}
