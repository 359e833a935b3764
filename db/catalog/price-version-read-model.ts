/** Reads the history of prices. */
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import type { PrivatePricing } from '../../domain/endpoints/private-endpoint.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, int4, jsonb, type RowOf, text } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const PRICE_VERSION = {
  id: int4,
  endpointId: text,
  isPrivate: bool,
  pricing: jsonb<TokenPricing | PrivatePricing | Record<string, string>>(),
  /** True for the prices that the endpoint has now; false for all versions of an endpoint that is gone or off. */
  isCurrent: bool,
};
export type PriceVersion = RowOf<typeof PRICE_VERSION>;

export function createPriceVersionReadModel(handle: Handle) {
  return {
    /** Returns all versions of all prices, thousands at most: a change of prices adds one. */
    list: (): Promise<PriceVersion[]> => rowsOf(handle, PRICE_VERSION, LIST),
  };
}

const LIST = `
  select v.id::integer id, v.endpoint_id "endpointId", v.is_private "isPrivate", v.pricing,
    v.id = max(v.id) over (partition by v.endpoint_id) and (e.id is not null or p.id is not null) "isCurrent"
  from price_versions v
    left join endpoints e on not v.is_private and e.id = v.endpoint_id and e.enabled
    left join private_endpoints p on v.is_private and p.id::text = v.endpoint_id and p.deleted_at is null
  order by v.id`;
