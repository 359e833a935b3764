/** Generates a synthetic history of requests, with daily rhythms, sessions and outages. */
import type { LiveEndpoint, VideoEndpoint } from '../../domain/catalog/catalog.ts';
import type { GenerationRecord, GenerationStatus } from '../../domain/ledger/generation.ts';
import { rankingsSample } from '../../services/live/rankings-sample.ts';
import { APPS } from './apps.ts';
import type { SyntheticAccounts } from './synthetic-accounts.ts';
import { makeLive, type GenerationOutcome, makeVideo } from './make-generation.ts';
import type { WeightedCatalog, ChosenEndpoint } from './weighted-catalog.ts';
import { createRandom, createZipf, type Random } from './random.ts';
import { spreadOverHours } from './rhythm.ts';

export interface HistoryOptions {
  generations: number;
  days: number;
  seed: number;
  until: Date;
  batchRows: number;
}

const HOUR_MS = 3_600_000;
const SESSION_MS = 1_800_000;
const EXTERNAL_USERS = 400;
const CANCELLED = 0.012;
const FAILED = 0.018;
/** The share of hours in which a provider has an outage. */
const BAD_HOUR = 0.004;
const FAILED_IN_BAD_HOUR = 0.3;
const COUNTRIES = ['US', 'DE', 'IN', 'GB', 'FR', 'BR', 'JP', 'CA', 'NL', 'PL', 'KR', 'AU', 'ES', 'SG', 'SE'];
const USERS = Array.from({ length: EXTERNAL_USERS }, (_, n) => `synthetic-user-${n + 1}`);

/** Creates the random choices for a generation, each with its own distribution. */
function createDraws(accounts: SyntheticAccounts, catalog: WeightedCatalog) {
  return {
    key: createZipf(accounts.keys, 0.9),
    app: createZipf(APPS, 0.8),
    user: createZipf(USERS, 0.7),
    country: createZipf(COUNTRIES, 0.9),
    catalog,
    organizationId: accounts.organizationId,
  };
}

type Draws = ReturnType<typeof createDraws>;

/**
 * Yields generations in batches, ordered by time. The same cast, offer and options give the same generations, but each
 * further run on a database adds different ones.
 */
export function* makeHistory(
  accounts: SyntheticAccounts,
  offer: WeightedCatalog,
  options: HistoryOptions,
): Generator<GenerationRecord[]> {
  const { generations, days, seed, until, batchRows } = options;
  const random = createRandom(`history ${seed} ${accounts.runsBefore} ${until.toISOString()} ${days}`);
  const draws = createDraws(accounts, offer);
  let batch: GenerationRecord[] = [];
  for (const hour of spreadOverHours(generations, days, until.getTime())) {
    const isBad = createBadHours(random);
    for (const atMs of timesWithin(hour, random)) {
      batch.push(makeRecord(draws, { atMs, untilMs: until.getTime(), isBad }, random));
      if (batch.length === batchRows) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}

function timesWithin(hour: { startMs: number; generations: number }, random: Random): Float64Array {
  const times = new Float64Array(hour.generations);
  for (let n = 0; n < times.length; n += 1) times[n] = hour.startMs + Math.floor(random.next() * HOUR_MS);
  return times.sort();
}

/**
 * Returns a function that returns whether a provider has an outage in an hour. The first call for a provider decides.
 */
function createBadHours(random: Random): (provider: string) => boolean {
  const known = new Map<string, boolean>();
  return (provider) => {
    let isBad = known.get(provider);
    if (isBad === undefined) known.set(provider, (isBad = random.chance(BAD_HOUR)));
    return isBad;
  };
}

interface Moment {
  atMs: number;
  untilMs: number;
  isBad(provider: string): boolean;
}

function makeRecord(draws: Draws, { atMs, untilMs, isBad }: Moment, random: Random): GenerationRecord {
  const id = `gen-${atMs}-${random.alphanumeric(20)}`;
  const key = draws.key(random);
  const app = draws.app(random);
  const user = draws.user(random);
  const { chosen, made } = makeOne(draws.catalog, isBad, random);
  const { providerSlug, id: endpointId, region } = chosen.endpoint;
  return {
    ...made,
    id,
    settledAt: new Date(Math.min(atMs + (made.generationMs ?? 0), untilMs)),
    organizationId: draws.organizationId,
    workspaceId: key.workspaceId,
    keyId: key.keyId,
    model: chosen.model,
    provider: providerSlug,
    upstreamCostNanos: null,
    isByok: false,
    dataRegion: region,
    country: draws.country(random),
    app,
    sessionId: `${user}-${Math.floor(atMs / SESSION_MS)}`,
    userId: key.userId,
    externalUser: user,
    presetId: null,
    sample: made.apiType === 'completions' ? rankingsSample(id, app.prompt) : null,
    details: {
      upstreamId: null,
      nativeFinishReason: made.finishReason,
      serviceTier: null,
      httpReferer: app.origin,
      appTitle: app.title,
      userAgent: 'sluice-seed',
      requestId: null,
      providerResponses: [
        {
          provider: providerSlug,
          provider_name: chosen.providerName,
          endpoint_id: endpointId,
          status: made.status === 'failed' ? 502 : 200,
          latency: made.latencyMs ?? made.generationMs,
          is_byok: false,
        },
      ],
    },
  };
}

function makeOne(
  { live, video }: WeightedCatalog,
  isBad: Moment['isBad'],
  random: Random,
): { chosen: ChosenEndpoint<LiveEndpoint | VideoEndpoint>; made: GenerationOutcome } {
  if (video !== undefined && random.chance(video.share)) {
    const chosen = video.pick(random);
    return {
      chosen,
      made: makeVideo(chosen, statusOf(chosen.endpoint.providerSlug, isBad, random), random),
    };
  }
  let at = random.next();
  const kind = live.find(({ share }) => (at -= share) < 0) ?? live[0]!;
  const chosen = kind.pick(random);
  const status = statusOf(chosen.endpoint.providerSlug, isBad, random);
  return { chosen, made: makeLive(chosen, kind.kind, status, random) };
}

function statusOf(provider: string, isBad: Moment['isBad'], random: Random): GenerationStatus {
  if (random.chance(isBad(provider) ? FAILED_IN_BAD_HOUR : FAILED)) return 'failed';
  return random.chance(CANCELLED) ? 'cancelled' : 'completed';
}
