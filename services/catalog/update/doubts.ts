/** Finds reasons to doubt a source of prices: a broken file must not change what customers pay. */
import type { SourcedCatalog } from '../../../db/catalog/catalog-store.ts';
import type { CatalogOffer } from './catalog-offer.ts';
import { parsePrice } from '../../../domain/catalog/token-price.ts';
import type { PriceOverride } from '../../../domain/catalog/token-pricing.ts';
import type { PriceChange } from './price-changes.ts';
import { type SampleBill, sampleBills } from './sample-bills.ts';

/** A price that changes this much on one endpoint is doubted, even if no other price changes. */
const WILD = 10n;
/** Fewer endpoints than this say nothing about a whole source: one of them may really have become dearer. */
const FEW = 3;

/** Returns whole sentences about what is unusual. An empty list: nothing is. */
export function doubtsAbout(
  offer: CatalogOffer,
  changes: PriceChange[],
  present: SourcedCatalog,
  nowMs: number,
): string[] {
  const { known } = offer;
  const old = new Set(present.endpoints.map(({ endpoint }) => endpoint.id));
  const compared = known.filter((id) => old.has(id)).length;
  const bills = billsByEndpoint(offer, changes, present, nowMs);
  // A source may lose all steps and keep all tiers, so each condition is compared where it occurs.
  const withEntry = (has: (entry: PriceOverride) => boolean): Bills => {
    const ids = present.endpoints.flatMap(({ endpoint }) =>
      'pricing' in endpoint && endpoint.pricing.overrides?.some(has) ? [endpoint.id] : [],
    );
    return new Map(ids.flatMap((id) => (bills.has(id) ? [[id, bills.get(id)!] as const] : [])));
  };
  const steps = withEntry(({ minPromptTokens }) => minPromptTokens !== undefined);
  const tiers = withEntry(({ serviceTier }) => serviceTier !== undefined);
  return [
    ...doubtsAboutSize(offer, present),
    ...doubtsAboutMany(bills, compared, 'endpoints', undefined),
    ...(steps.size < FEW ? [] : doubtsAboutMany(steps, steps.size, 'endpoints with steps', 'step')),
    ...(tiers.size < FEW ? [] : doubtsAboutMany(tiers, tiers.size, 'endpoints with tiers', 'tier')),
    ...doubtsAboutOne(bills, compared),
  ];
}

function doubtsAboutSize({ known, gone, vendors, retires }: CatalogOffer, present: SourcedCatalog): string[] {
  if (known.length === 0) return ['It has none of the models in the catalog.'];
  const all = known.length + gone.length;
  const doubts = gone.length * 2 > all ? [`It lacks ${gone.length} of ${all} endpoints of its vendors.`] : [];
  // A catalog file may be about one vendor; a price source is about all.
  if (retires) return doubts;
  const sold = new Set(
    present.endpoints.flatMap(({ endpoint, enabled, source }) =>
      enabled && 'pricing' in endpoint && source !== 'imported' && endpoint.providerSlug !== 'local'
        ? [endpoint.providerSlug]
        : [],
    ),
  );
  const absent = [...sold].filter((slug) => !vendors.includes(slug)).length;
  if (absent * 2 > sold.size) doubts.push(`It lacks ${absent} of ${sold.size} vendors.`);
  return doubts;
}

type Bills = Map<string, SampleBill[]>;

/** Returns sample bills of all endpoints with changed prices. A video's price is a bill of its own. */
function billsByEndpoint(
  { file }: CatalogOffer,
  changes: PriceChange[],
  present: SourcedCatalog,
  nowMs: number,
): Bills {
  const before = new Map(present.endpoints.map(({ endpoint }) => [endpoint.id, endpoint]));
  const bills: Bills = new Map();
  for (const after of file.liveEndpoints) {
    const old = before.get(after.id);
    if (old !== undefined && 'pricing' in old)
      bills.set(after.id, sampleBills(old.pricing, after.pricing, nowMs));
  }
  for (const { endpointId, before: old, after: now } of changes) {
    if (old === undefined || now === undefined || !file.endpoints.some(({ id }) => id === endpointId))
      continue;
    const bill: SampleBill = { condition: undefined, before: parsePrice(old), after: parsePrice(now) };
    bills.set(endpointId, [...(bills.get(endpointId) ?? []), bill]);
  }
  return bills;
}

function doubtsAboutMany(
  bills: Bills,
  compared: number,
  what: string,
  condition: SampleBill['condition'],
): string[] {
  const count = (isSuch: (bill: SampleBill) => boolean): number =>
    [...bills.values()].filter((samples) =>
      samples.some((bill) => bill.condition === condition && isSuch(bill)),
    ).length;
  const cheap = count(({ before, after }) => before > 0n && after * 3n <= before * 2n);
  const dear = count(({ before, after }) => before > 0n && after * 2n >= before * 3n);
  return [
    ...(cheap * 2 > compared ? [`It makes ${cheap} of ${compared} ${what} cheaper by a third or more.`] : []),
    ...(dear * 2 > compared ? [`It makes ${dear} of ${compared} ${what} dearer by half or more.`] : []),
  ];
}

function doubtsAboutOne(bills: Bills, compared: number): string[] {
  const count = (isSuch: (bill: SampleBill) => boolean): number =>
    [...bills.values()].filter((samples) => samples.some(isSuch)).length;
  const free = count(({ before, after }) => before > 0n && after === 0n);
  const wild = count(
    ({ before, after }) => before > 0n && after > 0n && (after >= before * WILD || after * WILD <= before),
  );
  return [
    ...(free > 0 ? [`It makes a price of ${free} of ${compared} endpoints zero.`] : []),
    ...(wild > 0 ? [`It changes a price of ${wild} of ${compared} endpoints by ten times or more.`] : []),
  ];
}
