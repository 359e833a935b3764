/** Defines the address, credential, connections and timeouts that an adapter gets. */
import type { Dispatcher } from 'undici';
import type { OutboundFetch } from './reference-media.ts';

/** The settings that an adapter is built from. */
export interface ProviderSettings {
  slug: string;
  /** The base URL with the version, as OpenAI clients write it: `https://api.example.com/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** The version of the vendor's API, for adapters that support several. */
  apiVersion?: string | undefined;
  /** The secret of the vendor's callbacks. */
  webhookSecret?: string | undefined;
  /** Connects to the vendor's own API. */
  dispatcher: Dispatcher;
  /** Fetches all URLs that a customer or the vendor names. */
  outbound: OutboundFetch;
  timeouts: ProviderTimeouts;
}

export interface ProviderTimeouts {
  /** The timeout of an exchange with a JSON answer. */
  jsonMs: number;
  /** The timeout of a submission, including uploads. */
  submitMs: number;
  /** The time until a file begins. */
  fileStartMs: number;
  /** The longest silence within a file. */
  fileIdleMs: number;
}

/** The default timeouts. `jsonMs` is below one attempt of the status activity (30 s). */
export const DEFAULT_TIMEOUTS: ProviderTimeouts = {
  jsonMs: 25_000,
  submitMs: 60_000,
  fileStartMs: 30_000,
  fileIdleMs: 60_000,
};
