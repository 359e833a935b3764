import type { Dispatcher } from 'undici';
import type { OutboundFetch } from './reference-media.ts';

/** What an adapter is built from. */
export interface ProviderSettings {
  slug: string;
  /** With the version, as OpenAI clients write it: `https://api.example.com/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** The version of the vendor's API, where an adapter knows several. */
  apiVersion?: string | undefined;
  /** What the vendor signs its callbacks with. */
  webhookSecret?: string | undefined;
  /** For the vendor's own API. */
  dispatcher: Dispatcher;
  /** For every URL that a customer or the vendor names. */
  outbound: OutboundFetch;
  timeouts: ProviderTimeouts;
}

export interface ProviderTimeouts {
  /** A whole exchange with a JSON answer. */
  jsonMs: number;
  /** A submission: uploads take their time. */
  submitMs: number;
  /** Until a file begins. */
  fileStartMs: number;
  /** The longest silence in the middle of a file. */
  fileIdleMs: number;
}

/** The first lies inside one attempt of the status activity (30 s). */
export const DEFAULT_TIMEOUTS: ProviderTimeouts = {
  jsonMs: 25_000,
  submitMs: 60_000,
  fileStartMs: 30_000,
  fileIdleMs: 60_000,
};
