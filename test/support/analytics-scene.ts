import fc from 'fast-check';
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createAnalyticsLookups } from '../../db/insights/analytics-lookups.ts';
import { createAnalyticsReadModel } from '../../db/insights/analytics-read-model.ts';
import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import { createClassifierStore } from '../../db/insights/classifier-store.ts';
import type { Handle } from './open-database.ts';
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { UNRESOLVED_WORKSPACE_ID } from '../../domain/insights/analytics-dimensions.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newGenerationId, newUuid, timestampOfId } from '../../domain/ids.ts';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import { createAnalyticsService } from '../../services/insights/analytics/analytics-service.ts';
import { createConcurrencyLimit } from '../../services/concurrency-limit.ts';
import { makeGeneration } from './make-generation.ts';
import type { KnownGeneration, NaiveContext } from './naive-analytics.ts';

/** A Tuesday in the first week of a year that follows one of 53 weeks. */
const NOW = new Date('2027-01-05T12:34:56.789Z');

/** Where periods meet: a month's and a year's end, the end of ISO week 53, an hour's, and the future. */
const EDGES = [
  '2026-11-30T23:59:59.999Z',
  '2026-12-01T00:00:00.000Z',
  '2026-12-28T00:00:00.000Z',
  '2027-01-01T00:00:00.000Z',
  '2027-01-03T23:59:59.999Z',
  '2027-01-04T00:00:00.000Z',
  '2027-01-04T13:00:00.000Z',
  '2027-01-05T00:00:00.000Z',
  '2027-01-05T12:34:56.789Z',
  '2027-01-07T00:00:00.000Z',
].map((text) => Date.parse(text));

export const moments = fc.oneof(
  fc
    .tuple(fc.constantFrom(...EDGES), fc.integer({ min: -1, max: 1 }))
    .map(([edge, offset]) => new Date(edge + offset)),
  fc
    .integer({ min: Date.parse('2026-11-25T00:00:00Z'), max: Date.parse('2027-01-08T00:00:00Z') })
    .map((ms) => new Date(ms)),
);

export const TOPICS = ['billing', 'bugs', 'praise'];
export const COUNTRIES = ['DE', 'FR', "'; drop table generations; --"];
export const MODELS = ['a/one', 'a/two:free', "b/quo'ted"];
const ORIGINS = ['https://one.example', 'https://two.example'];

interface Account {
  organizationId: string;
  workspaceIds: string[];
  keys: { id: number; hash: string; workspaceId: string }[];
}

export interface AnalyticsLedger {
  context: NaiveContext;
  generations: KnownGeneration[];
  account: Account;
  classifierId: string;
  appIds: number[];
}

const small = fc.integer({ min: 0, max: 30 });

/** A generation of one of the keys; only what analytics reads differs. */
function generationArb(account: Account) {
  return fc
    .record({
      settledAt: moments,
      lifeMs: fc.oneof(small, fc.integer({ min: 0, max: 26 * 3_600_000 })),
      key: fc.constantFrom(...account.keys),
      isUnresolved: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      model: fc.constantFrom(...MODELS),
      provider: fc.constantFrom('p', 'q'),
      apiType: fc.constantFrom('completions' as const, 'image' as const, 'video' as const),
      status: fc.constantFrom(
        'completed' as const,
        'failed' as const,
        'cancelled' as const,
        'expired' as const,
      ),
      finishReason: fc.constantFrom('stop', 'length', null),
      costNanos: fc.bigInt({ min: 0n, max: 5_000_000_000n }),
      isByok: fc.boolean(),
      streamed: fc.boolean(),
      dataRegion: fc.constantFrom('global' as const, 'europe' as const),
      country: fc.constantFrom(...COUNTRIES, null),
      origin: fc.constantFrom(...ORIGINS, null),
      userId: fc.constantFrom('user_a', 'user_b', null),
      externalUser: fc.constantFrom('x', 'y', null),
      presetId: fc.constantFrom('3c9c3b1e-0000-4000-8000-000000000001', null),
      usage: fc.option(fc.record({ prompt: small, completion: small, reasoning: small, cacheRead: small })),
      mediaCompletion: fc.option(small),
      latencyMs: fc.option(fc.integer({ min: 0, max: 500_000 })),
      generationMs: fc.option(fc.integer({ min: 0, max: 20_000 })),
      tags: fc.uniqueArray(
        fc.record({ dimension: fc.constantFrom('topic', 'mood'), value: fc.constantFrom(...TOPICS) }),
        { maxLength: 3, selector: ({ dimension, value }) => `${dimension} ${value}` },
      ),
    })
    .map(({ settledAt, lifeMs, key, isUnresolved, origin, tags, ...facts }) => {
      const record: GenerationRecord = makeGeneration({
        ...facts,
        id: newGenerationId(settledAt.getTime() - lifeMs),
        settledAt,
        organizationId: account.organizationId,
        workspaceId: isUnresolved ? UNRESOLVED_WORKSPACE_ID : key.workspaceId,
        keyId: key.id,
        app: origin === null ? null : { origin, title: null },
      });
      return { record, keyHash: key.hash, appId: null, tags: isUnresolved ? [] : tags };
    });
}

/** Writes a random ledger of a new organization, with its rollups, the way that traffic does. */
export async function writeLedger(
  knex: Handle,
  url: string,
  seed: number,
  size: number,
): Promise<AnalyticsLedger> {
  const account = await makeAccount(knex);
  const drawn = fc.sample(generationArb(account), { seed, numRuns: size });
  const [first = '', second = ''] = account.workspaceIds;
  const connection = createLedgerConnection({ url, shard: seed % 3, silenceMs: 30_000 });
  const records = drawn.map(({ record }) => record);
  const days = new Set(records.map(({ id }) => Math.floor(timestampOfId(id) / 86_400_000)));
  await connection.ensurePartitions([...days].map((day) => new Date(day * 86_400_000)));
  const half = Math.floor(records.length / 2);
  for (const batch of [records.slice(0, half), records.slice(half)]) {
    if (batch.length > 0) await connection.record(batch);
  }
  await connection.close();
  const classifiers = createClassifierStore(knex);
  const { id: classifierId } = await classifiers.insert({
    workspaceId: second,
    name: 'Topics',
    description: null,
    isActive: true,
  });
  const generations = drawn.map((one) => ({
    ...one,
    tags: one.record.workspaceId === second ? one.tags : [],
  }));
  const tags = generations.flatMap(({ record, tags: own }) =>
    own.map((tag) => ({ ...tag, generationId: record.id })),
  );
  await classifiers.addTags(classifierId, tags);
  const ids: { id: string; origin: string }[] = await knex('apps').select('id', 'origin');
  const appIdOf = new Map(ids.map(({ id, origin }) => [origin, Number(id)]));
  return {
    account,
    classifierId,
    appIds: [...appIdOf.values()],
    generations: generations.map((one) => ({
      ...one,
      appId: appIdOf.get(one.record.app?.origin ?? '') ?? null,
    })),
    context: {
      organizationId: account.organizationId,
      defaultWorkspaceId: first,
      unresolvedWorkspaceId: UNRESOLVED_WORKSPACE_ID,
      classifierWorkspaceId: second,
      now: NOW,
    },
  };
}

/** Two workspaces with a key each, the first the default one. */
async function makeAccount(knex: Handle): Promise<Account> {
  const accounts = createAccountStore(knex);
  const organizationId = newUuid();
  await accounts.insertOrganization({
    id: organizationId,
    name: 'O',
    creditEnforcement: false,
    entitlements: [],
  });
  const workspaceIds = [newUuid(), newUuid()];
  const keys: Account['keys'] = [];
  for (const [index, id] of workspaceIds.entries()) {
    await accounts.insertWorkspace({
      id,
      organizationId,
      name: `W${index}`,
      slug: `w${index}`,
      isDefault: index === 0,
      defaultCallbackUrl: null,
      createdBy: null,
    });
    const { hash, label } = newToken();
    const facts = {
      hash,
      label,
      name: `K${index}`,
      kind: 'regular' as const,
      organizationId,
      workspaceId: id,
    };
    const { keyId } = await createApiKeyStore(knex).insert(facts);
    keys.push({ id: keyId, hash, workspaceId: id });
  }
  return { organizationId, workspaceIds, keys };
}

export function openAnalytics(knex: Handle) {
  return createAnalyticsService({
    lookups: createAnalyticsLookups(knex),
    classifiers: createClassifierStore(knex),
    analytics: createAnalyticsReadModel(knex),
    concurrencyLimit: createConcurrencyLimit({ maxConcurrent: 2, waitMs: 10_000 }),
    retentionMs: 365 * 86_400_000,
    now: () => NOW,
  });
}
