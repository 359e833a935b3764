/** Checks the model, the provider and the address of a new private endpoint before it is stored. */
import type { CatalogRows, ModelRow, ProviderRow } from '../../db/catalog/catalog-store.ts';
import type { EndpointConfiguration } from '../../db/endpoints/endpoint-store.ts';
import type { StatedPricing } from '../../domain/endpoints/complete-pricing.ts';
import {
  isPrivateAdapter,
  needsBaseUrl,
  privateCapabilityOf,
} from '../../domain/endpoints/endpoint-rules.ts';
import type { PrivateCapability } from '../../domain/endpoints/private-endpoint.ts';
import { type Issue, AppError } from '../../domain/errors.ts';
import { findModel, publicEndpointsOf } from './catalog-offer.ts';
import { type CheckUrl, issueOfBaseUrl } from './check-base-url.ts';

/** A private endpoint as a customer requests it. */
export interface EndpointDraft extends EndpointConfiguration {
  /** Any name of a model. */
  model: string;
  providerSlug: string;
  /** The prices; when absent, those of the public endpoint. */
  pricing?: StatedPricing;
  /** The workspace whose credential is used to validate the endpoint, which is activated when it passes. */
  activateIn?: string;
}

export interface CheckedDraft {
  modelId: string;
  capability: PrivateCapability;
}

type Finding = Issue & { reason: string };

/** Checks a draft. Throws a 422 with all rules that it breaks; the first one is its reason. */
export function checkEndpointDraft(
  rows: CatalogRows,
  checkUrl: CheckUrl,
  draft: EndpointDraft,
): CheckedDraft {
  const model = findModel(rows, draft.model);
  const provider = rows.providers.find(({ slug }) => slug === draft.providerSlug);
  const capability = model && capabilityOf(rows, model);
  const findings = [
    ...findingsOfModel(model, capability),
    ...findingsOfProvider(provider),
    ...findingsOfBaseUrl(provider, draft.baseUrl, checkUrl),
  ];
  const [first] = findings;
  if (first !== undefined) {
    const issues = findings.map(({ path, message }) => ({ path, message }));
    throw invalidArgument(first.reason, ...issues);
  }
  if (model === undefined || !capability) throw new Error('a model that passed the checks has a capability');
  return { modelId: model.id, capability };
}

function capabilityOf(rows: CatalogRows, { id, outputModalities }: ModelRow): PrivateCapability | null {
  const capabilities = publicEndpointsOf(rows, id).map((endpoint) => endpoint.capability);
  return privateCapabilityOf(outputModalities, capabilities);
}

function findingsOfModel(
  model: ModelRow | undefined,
  capability: PrivateCapability | null | undefined,
): Finding[] {
  const path = 'body.model_permaslug';
  if (model === undefined)
    return [{ reason: 'model_not_found', path, message: 'names no model of the catalog' }];
  if (capability !== null) return [];
  const message = 'must name a model for chat or embeddings';
  return [{ reason: 'capability_not_supported', path, message }];
}

function findingsOfProvider(provider: ProviderRow | undefined): Finding[] {
  const path = 'body.provider_slug';
  if (provider === undefined) {
    return [{ reason: 'provider_not_found', path, message: 'names no provider of the catalog' }];
  }
  if (isPrivateAdapter(provider.adapter)) return [];
  const message = 'names a provider that private endpoints cannot use';
  return [{ reason: 'provider_not_supported', path, message }];
}

function findingsOfBaseUrl(
  provider: ProviderRow | undefined,
  baseUrl: string | null,
  checkUrl: CheckUrl,
): Finding[] {
  const reason = 'invalid_base_url';
  if (baseUrl === null) {
    if (provider === undefined || !needsBaseUrl(provider.adapter)) return [];
    return [{ reason, path: 'body.base_url', message: 'is required for this provider' }];
  }
  const issue = issueOfBaseUrl(checkUrl, baseUrl);
  return issue === undefined ? [] : [{ reason, ...issue }];
}

/** Returns a 422 whose reason identifies the broken rule for programs, and whose issues describe it for people. */
export function invalidArgument(reason: string, ...issues: Issue[]): AppError {
  return new AppError('invalid_argument', { reason, issues });
}
