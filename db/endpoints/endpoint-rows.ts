/** Lists the columns of private endpoints. */
import { REGIONS } from '../../domain/catalog/catalog.ts';
import { PRIVATE_ENDPOINT_STATUSES, type PrivatePricing } from '../../domain/endpoints/private-endpoint.ts';
import { bool, int4, jsonb, oneOf, text, texts, timestamptz, uuid } from '../postgres/shape.ts';

export const PRIVATE_ENDPOINT = {
  id: uuid,
  organizationId: uuid,
  modelId: text,
  providerSlug: text,
  capability: oneOf(['chat', 'embeddings']),
  upstreamModelId: text,
  baseUrl: text.orNull,
  declaredRegion: oneOf(REGIONS).orNull,
  declaredZdr: bool.orNull,
  declaredParameters: texts.orNull,
  pricing: jsonb<PrivatePricing>(),
  status: oneOf(PRIVATE_ENDPOINT_STATUSES),
  revision: int4,
  createdAt: timestamptz,
};
