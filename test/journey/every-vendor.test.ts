/** Calls every shipped vendor once for each of its abilities, from the request of a caller to the bill. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { providerVariableName } from '../../platform/provider-variables.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import { askChat, generationIdOf, ledgerRow, readEvents, textOf } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import {
  type Ability,
  type StandIns,
  startStandIns,
  type VendorAbility,
  vendorAbilities,
} from '../support/every-vendor.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { makeModel } from '../support/make-model.ts';
import { createDatabase } from '../support/open-database.ts';

const VENDORS = vendorAbilities();
const LIKE: Record<Ability, string> = {
  chat: 'local/echo-1',
  embeddings: 'local/embed-1',
  rerank: 'local/rerank-1',
  image: 'local/image-1',
  speech: 'local/speech-1',
  video: 'local/clip-canned',
};
const modelOf = ({ slug, ability }: VendorAbility): string => `vendors/${slug}-${ability}`;

let standIns: StandIns;
let gateway: Gateway;
const jobs = new Map<VendorAbility, WireJob>();

beforeAll(async () => {
  standIns = await startStandIns();
  const env = VENDORS.flatMap((vendor) => {
    const { baseUrl, apiKey } = standIns.of(vendor);
    const name = `PROVIDER_${providerVariableName(vendor.slug)}`;
    return [[`${name}_BASE_URL`, baseUrl], ...(apiKey === undefined ? [] : [[`${name}_API_KEY`, apiKey]])];
  });
  gateway = await startGateway({ worker: ['video'], env: Object.fromEntries(env) as Record<string, string> });
  await addModels();
  for (const vendor of VENDORS.filter(({ ability }) => ability === 'video')) {
    const { durations, resolutions } = (standIns.of(vendor).isLocal ? {} : vendor.video?.capabilities) ?? {};
    const shape = { duration: durations?.[0], resolution: resolutions?.[0] };
    jobs.set(vendor, await submit(gateway, { model: modelOf(vendor), prompt: 'A kite', ...shape }));
  }
});
afterAll(async () => {
  await gateway.close();
  await standIns.close();
});

/** Adds a model for each ability of a vendor, with the vendor's endpoint and prices in the catalog if it has some. */
async function addModels(): Promise<void> {
  const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  try {
    await database.knex.transaction(async (transaction) => {
      const store = createCatalogStore(transaction);
      const { liveEndpoints, endpoints } = await store.load();
      for (const vendor of VENDORS) {
        const { slug, ability, live, video } = vendor;
        const id = modelOf(vendor);
        const like = [...liveEndpoints, ...endpoints].find(({ modelId }) => modelId === LIKE[ability])!;
        const own = standIns.of(vendor).isLocal ? { ...like, ...pricesOf(live) } : (live ?? video ?? like);
        const output = { chat: 'text', image: 'image', speech: 'audio' }[ability as 'chat'] ?? ability;
        await store.upsertModel(makeModel({ id, outputModalities: [output] }));
        await store.upsertEndpoint({ ...own, id: `${id}@${slug}`, modelId: id, providerSlug: slug });
      }
    });
  } finally {
    await database.close();
  }
  await eventually('the models of all vendors', async () => {
    const answer = await gateway.call('GET', '/videos/models');
    return (await answer.text()).includes('"vendors/') ? true : undefined;
  });
}

function pricesOf(live: VendorAbility['live']): Partial<NonNullable<VendorAbility['live']>> {
  return live === undefined ? {} : { pricing: live.pricing };
}

async function call(path: string, body: object): Promise<{ id: string; answer: Buffer }> {
  const response = await gateway.call('POST', path, { body });
  const answer = Buffer.from(await response.arrayBuffer());
  expect([response.status, response.status === 200 ? '' : answer.toString()]).toEqual([200, '']);
  return { id: generationIdOf(response), answer };
}

const REQUESTS: Record<Exclude<Ability, 'video'>, (vendor: VendorAbility) => [path: string, body: object]> = {
  chat: () => ['/chat/completions', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 64 }],
  embeddings: () => ['/embeddings', { input: 'Hello' }],
  rerank: () => ['/rerank', { query: 'sea', documents: ['lake', 'shore'] }],
  image: () => ['/images', { prompt: 'A kite' }],
  speech: (vendor) => {
    const speech = standIns.of(vendor).isLocal ? undefined : vendor.live?.speech;
    return [
      '/audio/speech',
      { input: 'Hi.', voice: speech?.voices?.[0], response_format: speech?.formats[0] },
    ];
  },
};

async function expectBill(id: string, vendor: VendorAbility): Promise<void> {
  const row = await ledgerRow(gateway, id);
  const { counts } = standIns.of(vendor);
  expect(row).toMatchObject({ provider: vendor.slug, model: modelOf(vendor), ...counts });
  expect(row.provider_responses.map(({ status }) => status)).toEqual([200]);
  expect(Number(row.cost_nanos)).toBeGreaterThan(0);
}

const able = (wanted: (ability: Ability) => boolean) =>
  VENDORS.filter(({ ability }) => wanted(ability)).map((each) => [each.slug, each.ability, each] as const);

test.each(able((ability) => ability !== 'video'))(
  '%s answers and is billed for %s',
  async (slug, ability, vendor) => {
    standIns.playVendor(slug);
    const [path, body] = REQUESTS[ability as Exclude<Ability, 'video'>](vendor);
    const { id, answer } = await call(path, { model: modelOf(vendor), ...body });
    expect(answer.length).toBeGreaterThan(0);
    await expectBill(id, vendor);
  },
);

test.each(able((ability) => ability === 'chat'))(
  '%s streams a %s and is billed for it',
  async (slug, _ability, vendor) => {
    standIns.playVendor(slug);
    const response = await askChat(gateway, { model: modelOf(vendor), stream: true });
    const id = generationIdOf(response);
    expect(textOf(await readEvents(response))).toContain('Hello');
    await expectBill(id, vendor);
  },
);

test.each(able((ability) => ability === 'video'))(
  '%s makes a %s and is billed for it',
  async (_slug, _ability, vendor) => {
    const { status, usage } = await ended(gateway, jobs.get(vendor)!.id);
    expect([status, usage?.cost]).toEqual(['completed', expect.any(Number)]);
    expect(usage!.cost).toBeGreaterThan(0);
  },
);

test('every endpoint of the shipped catalogs is of an ability that was called', () => {
  const called = new Set(VENDORS.map(({ slug, ability }) => `${slug} ${ability}`));
  const listed = bundledCatalogs().flatMap(({ endpoints, liveEndpoints }) => [
    ...endpoints.map(({ providerSlug }) => `${providerSlug} video`),
    ...liveEndpoints.map(({ providerSlug, capability }) => `${providerSlug} ${capability}`),
  ]);
  expect(listed.filter((each) => !called.has(each))).toEqual([]);
});
