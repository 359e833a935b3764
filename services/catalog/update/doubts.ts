/** Finds reasons to doubt a source of prices: a broken file must not change what customers pay. */
import type { SourcedCatalog } from '../../../db/catalog/catalog-store.ts';
import { parsePrice } from '../../../domain/catalog/token-price.ts';
import type { CatalogOffer } from './catalog-offer.ts';
import type { PriceChange } from './price-changes.ts';

/** Returns whole sentences about what is unusual. An empty list: nothing is. */
export function doubtsAbout(
  { known, gone }: CatalogOffer,
  changes: PriceChange[],
  present: SourcedCatalog,
): string[] {
  const doubts: string[] = [];
  const all = known.length + gone.length;
  if (known.length === 0) doubts.push('It has none of the models in the catalog.');
  else if (gone.length * 2 > all) doubts.push(`It lacks ${gone.length} of ${all} endpoints of its vendors.`);
  const old = new Set(present.endpoints.map(({ endpoint }) => endpoint.id));
  const compared = known.filter((id) => old.has(id)).length;
  const endpointsWhere = (isSuch: (before: bigint, after: bigint) => boolean): number =>
    new Set(
      changes.flatMap(({ endpointId, isConditional, before = '', after = '' }) =>
        !isConditional && before && after && isSuch(parsePrice(before), parsePrice(after))
          ? [endpointId]
          : [],
      ),
    ).size;
  const cheap = endpointsWhere((before, after) => after * 3n <= before * 2n);
  const dear = endpointsWhere((before, after) => after * 2n >= before * 3n);
  const free = endpointsWhere((_, after) => after === 0n);
  if (cheap * 2 > compared)
    doubts.push(`It makes ${cheap} of ${compared} endpoints cheaper by a third or more.`);
  if (dear * 2 > compared) doubts.push(`It makes ${dear} of ${compared} endpoints dearer by half or more.`);
  if (free > 0) doubts.push(`It makes a price of ${free} of ${compared} endpoints zero.`);
  return doubts;
}
