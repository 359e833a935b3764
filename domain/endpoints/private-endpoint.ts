/** Defines private endpoints, by which customers serve a model from their own deployment. */
import type { LiveCapability, Region } from '../catalog/catalog.ts';
import type { PriceOverride, TokenPricing } from '../catalog/token-pricing.ts';

export const PRIVATE_ENDPOINT_STATUSES = ['draft', 'active', 'disabled'] as const;
export type PrivateEndpointStatus = (typeof PRIVATE_ENDPOINT_STATUSES)[number];

/** The capabilities that a private endpoint may serve. */
export type PrivateCapability = Extract<LiveCapability, 'chat' | 'embeddings'>;

/** Prices of a private endpoint: decimal dollars per token, as the customer wrote them. */
export interface PrivatePricing {
  prompt: string;
  completion: string;
  cacheRead: string;
  cacheWrite: string;
  /** Prices that replace those above under conditions. */
  overrides?: PriceOverride[] | undefined;
}

/** Returns the prices under the names of the catalog. */
export function toTokenPricing(pricing: PrivatePricing): TokenPricing {
  const { prompt, completion, cacheRead, cacheWrite, overrides } = pricing;
  return { prompt, completion, inputCacheRead: cacheRead, inputCacheWrite: cacheWrite, overrides };
}

/** A deployment of a customer that serves a model of the catalog to one organization. */
export interface PrivateEndpoint {
  id: string;
  organizationId: string;
  modelId: string;
  providerSlug: string;
  capability: PrivateCapability;
  /** The name of the model or deployment at the upstream. */
  upstreamModelId: string;
  /** Null if the credential holds the address. */
  baseUrl: string | null;
  declaredRegion: Region | null;
  declaredZdr: boolean | null;
  /** Null: the parameters of the public endpoint. */
  declaredParameters: string[] | null;
  pricing: PrivatePricing;
  /** The version of these prices. Read with the endpoints that serve requests only. */
  priceVersion?: number | undefined;
  status: PrivateEndpointStatus;
  /** Counts the changes of upstream or declarations. */
  revision: number;
  createdAt: Date;
}

export const MAX_PRIVATE_ENDPOINTS = 50;

/** The adapters that a private endpoint may use. */
export const PRIVATE_ADAPTERS = [
  'openai-compatible',
  'openai',
  'anthropic',
  'azure',
  'google',
  'google-vertex',
  'bedrock',
] as const;
