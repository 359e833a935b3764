/** Defines the facts about a request that only observability destinations need. */
import type { Nanos } from '../money.ts';

/** JSON that a caller sent. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A generation's cost by kind of token. The parts add up to the total that the price gives. */
export interface CostParts {
  prompt?: Nanos;
  completion?: Nanos;
  cacheRead?: Nanos;
  cacheWrite?: Nanos;
  reasoning?: Nanos;
  request?: Nanos;
  media?: Nanos;
}

/** The request's parameters that have conventional names. Absent: the request did not set them. */
export interface RequestParameters {
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  maxTokens?: number | undefined;
  seed?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  stopSequences?: string[] | undefined;
  choiceCount?: number | undefined;
  reasoningEffort?: string | undefined;
}

/**
 * Facts for destinations that the ledger itself does not keep. They are stored with the ledger's row, at most 16 KiB as
 * JSON, and only if the workspace has a destination. Amounts are decimal strings of nanodollars.
 */
export interface BroadcastFacts {
  /** The request's `trace` object. */
  trace?: { [name: string]: Json } | undefined;
  parameters?: RequestParameters | undefined;
  /** The model that the caller requested, and the one that the upstream reports. */
  requestModel?: string | undefined;
  responseModel?: string | undefined;
  /** The code and public message of the error that the caller received. */
  error?: { code: string; message: string } | undefined;
  /** The cost by kind of token, under the names of CostParts. */
  costs?: Partial<Record<keyof CostParts, string>> | undefined;
  /** True: prompt and answer will be written to `broadcast_bodies`. */
  hasContent?: boolean | undefined;
}
