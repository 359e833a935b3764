import { Readable } from 'node:stream';
import type { LiveEndpoint, LiveModel } from '../../domain/catalog/catalog.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Ceiling } from '../../domain/ceiling.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { Provider } from '../../providers/provider.ts';
import type { LiveCall } from '../../services/live/live-call.ts';
import type { MessagesDeps } from '../../services/live/messages/messages-deps.ts';
import { createSunsetNotices } from '../../services/catalog/sunset-notices.ts';
import { createEndpointHealth } from '../../services/routing/endpoint-health.ts';
import { freeMemory } from './free-answer.ts';

/** What is outside of the services of live calls, played and written down. */
export interface LiveScene {
  deps: MessagesDeps;
  /** What the ledger took; a `push` that throws is a ledger that takes nothing. */
  rows: GenerationRecord[];
  /** How many reservations nobody has settled. */
  reserved(): number;
}

const endpoint = {
  id: 'm/one@p',
  providerSlug: 'p',
  upstreamModelId: 'one',
  pricing: { prompt: '0.001', completion: '0.001' },
  timeouts: {},
} as LiveEndpoint;
const model = {
  id: 'm/one',
  canonicalSlug: 'm/one',
  endpoints: [endpoint],
  outputModalities: ['text'],
} as unknown as LiveModel;

type Adapters = Omit<Provider, 'slug'>;

/** Every model is `m/one`, at one endpoint, whose provider has these adapters and no others. */
export function createLiveScene(adapters: Adapters | ((target: Target) => Adapters)): LiveScene {
  const rows: GenerationRecord[] = [];
  const open = new Set<object>();
  const deps: MessagesDeps = {
    noteFlaggedBill: () => {},
    catalog: {
      findLiveModel: () => model,
      findKnownModel: () => undefined,
      knownModels: () => [],
      providerName: (slug) => slug,
    },
    ownViews: { of: () => null },
    providers: {
      of: (target) => ({ slug: 'p', ...(typeof adapters === 'function' ? adapters(target) : adapters) }),
    },
    outbound: { checkUrl: () => {}, fetch: () => Promise.reject(new Error('nothing is fetched')) },
    health: createEndpointHealth(),
    sunsets: createSunsetNotices({ warn: () => {} }),
    attempts: { ended: () => {}, repaired: () => {} },
    goneModels: { note: () => {} },
    ledger: {
      requireOpen: () => {},
      record: async (row) => void rows.push(row),
      isBehind: () => false,
      close: async () => {},
    },
    spending: {
      async reserve() {
        const reservation = { held: 10n ** 9n, settle: () => void open.delete(reservation) };
        open.add(reservation);
        return [reservation];
      },
      note: () => {},
      noteRefusal: () => {},
    },
    settingsOf: () => ({}) as never,
    presets: { find: async () => null },
    showError: ({ code }) => ({ code: 500, message: code }),
    messagesError: ({ code }) => ({ type: 'error', error: { message: code } }),
    bodies: { keep: () => {}, keepContent: () => {} },
    earlyHeaders: { afterMs: 20_000, commentEveryMs: 15_000 },
    logger: { error: () => {}, warn: () => {} },
  };
  return { deps, rows, reserved: () => open.size };
}

const CEILING: Ceiling = { payer: 'key', interval: 'lifetime', limit: 1n, includeByok: false };

/** Somebody whose spending is limited asks for this. */
export function liveCall<Body>(body: Body): LiveCall<Body> {
  const principal = { keyId: 1, workspaceId: 'w', organizationId: 'o', ceilings: [CEILING] } as Principal;
  const { signal } = new AbortController();
  return {
    principal,
    client: { requestId: 'r' },
    body,
    sessionId: null,
    signal,
    openMemory: () => ({ take: () => {} }),
    answer: freeMemory(),
    waits: { callerMs: 0, upstreamMs: 0 },
  };
}

/** A stream of an upstream: what it sends at once, piece by piece. */
export function sent<Event>(pieces: Event[][]): AsyncIterable<Event[]> {
  return Readable.from(pieces) as AsyncIterable<Event[]>;
}

/** Has a property that cannot be read. */
export function trap<T extends object>(value: T, name: string): T {
  return Object.defineProperty(value, name, {
    enumerable: true,
    get() {
      throw new Error('a trap');
    },
  });
}
