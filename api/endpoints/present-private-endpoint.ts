/** Presents private endpoints in lists and answers, and drafts whose activation did not succeed. */
import type { NotActivated } from '../../contract/endpoints/activation.ts';
import type {
  EndpointSummary,
  ManagedEndpointRecord,
  PrivateEndpointRecord,
} from '../../contract/endpoints/private-endpoint-record.ts';
import { errorTable } from '../../contract/errors.ts';
import type { NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';
import { AppError } from '../../domain/errors.ts';
import type { BrokenActivation } from '../../services/endpoints/broken-activation.ts';
import type { ActivationOutcome } from '../../services/endpoints/validation/validation-service.ts';
import { presentError } from '../http/errors/present-error.ts';
import { presentValidationResult } from './endpoint-validation.ts';
import { presentOverride } from '../catalog/present-pricing.ts';

/** Presents an endpoint in the list. */
export function presentEndpointSummary(endpoint: NamedEndpoint): EndpointSummary {
  return {
    id: endpoint.id,
    created_at: endpoint.createdAt.toISOString(),
    status: endpoint.status,
    ...modelNames(endpoint),
    provider_name: endpoint.providerName,
  };
}

/** Presents an endpoint after it was created, activated, enabled or disabled. */
export function presentManagedEndpoint(endpoint: NamedEndpoint): ManagedEndpointRecord {
  return {
    ...presentEndpointSummary(endpoint),
    declared_region: endpoint.declaredRegion,
    declared_zdr: endpoint.declaredZdr,
  };
}

/** Presents an endpoint with its upstream and its prices. */
export function presentPrivateEndpoint(endpoint: NamedEndpoint): PrivateEndpointRecord {
  const { pricing } = endpoint;
  return {
    id: endpoint.id,
    status: endpoint.status,
    base_url: endpoint.baseUrl,
    declared_region: endpoint.declaredRegion,
    declared_zdr: endpoint.declaredZdr,
    declared_parameters: endpoint.declaredParameters,
    ...modelNames(endpoint),
    pricing: {
      prompt: pricing.prompt,
      completion: pricing.completion,
      cache_read: pricing.cacheRead,
      cache_write: pricing.cacheWrite,
      overrides: pricing.overrides?.map(presentOverride),
    },
    provider_name: endpoint.providerName,
    provider_slug: endpoint.providerSlug,
    upstream_model_id: endpoint.upstreamModelId,
  };
}

function modelNames({ modelName, modelPermaslug, modelId }: NamedEndpoint) {
  return { model_name: modelName, model_permaslug: modelPermaslug, model_slug: modelId };
}

/** Presents a created draft whose activation failed or has an unknown outcome, with the reason. */
export function presentNotActivated(
  endpoint: NamedEndpoint,
  activation: Exclude<ActivationOutcome, { kind: 'activated' }> | BrokenActivation,
): NotActivatedAnswer {
  const managed = presentManagedEndpoint(endpoint);
  if (activation.kind === 'unknown') {
    const { headers, body } = presentError(activation.error);
    const { status } = errorTable[activation.code];
    return { status, headers, body: { ...body, data: { endpoint: managed, validation: null } } };
  }
  if (activation.kind === 'running') {
    const { body } = presentError(new AppError('timeout', { reason: 'validation_running' }));
    return { status: 408, body: { ...body, data: { endpoint: managed, validation: null } } };
  }
  const { validation } = activation;
  const failed = validation.checks.find(({ passed }) => !passed);
  const reason = activation.kind === 'stale' ? 'validation_stale' : (failed?.reason ?? 'not_validated');
  const { body } = presentError(new AppError('invalid_argument', { reason }));
  const data = { endpoint: managed, validation: presentValidationResult(validation) };
  return { status: 422, body: { ...body, data } };
}

/** The error answer to a create, with the draft that was created. */
interface NotActivatedAnswer {
  status: 408 | 409 | 422 | 503;
  headers?: Record<string, string>;
  body: NotActivated;
}
