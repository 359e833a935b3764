/** Refuses chat features that have no price or that would store data at the vendor. */
import { type RefusedFields, refuseFields } from './refuse-fields.ts';
import type { RoutableBody } from '../routing/routable-body.ts';

/**
 * The fields of a chat that would store data at the vendor or cost more than tokens, with their allowed values. The
 * other dialects refuse them as well, because their requests may be passed on to chat endpoints. A service tier is
 * allowed where an endpoint has prices for it; see `pipeline/measure-text.ts`.
 */
export const KEPT_OR_UNPRICED: RefusedFields = {
  store: [false],
  web_search_options: [],
};

/**
 * Rejects chats that ask the vendor for storage or for features for which no endpoint has a price (ADR 0026). Throws a
 * 400 that names the fields, also in options for one provider.
 */
export function refuseUnpriced(body: RoutableBody): void {
  refuseFields(body, KEPT_OR_UNPRICED);
}
