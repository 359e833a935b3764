/** Defines an exchange with a vendor, for tests that hold for every operation of every adapter. */
import type { LiveCallContext } from '../../providers/call-context.ts';
import type { Provider } from '../../providers/provider.ts';

/** Any JSON. */
export type Json = ReturnType<typeof JSON.parse>;

/** One operation as several adapters serve it. */
export interface VendorExchange {
  operation: string;
  adapters: string[];
  /** The JSON of the vendor's answer, or the events of a stream. */
  answer: Json;
  isStream?: true;
  /** The paths in the answer on which its meaning depends. A `*` stands for any step. */
  decides: string[];
  /** Sends the request, and returns everything that the adapter makes of the answer. */
  ask(provider: Provider, context: LiveCallContext): Promise<unknown>;
}

/** The adapters that serve most operations alike. */
export const SERVERS = ['openai-compatible', 'local'];

/** Returns everything that a stream yields. */
export async function allOf(stream: Promise<AsyncIterable<unknown[]>>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const batch of await stream) values.push(...batch);
  return values;
}
