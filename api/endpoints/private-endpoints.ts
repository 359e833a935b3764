/** Answers the operations on private endpoints. */
import type {
  NewPricingBody,
  NewPrivateEndpointBody,
  PrivateEndpointChangesBody,
} from '../../contract/endpoints/private-endpoint-body.ts';
import type { privateEndpointOperations } from '../../contract/endpoints/private-endpoints.ts';
import type { StatedPricing } from '../../domain/endpoints/complete-pricing.ts';
import type { PricingOverrideRecord } from '../../contract/catalog/pricing.ts';
import type { PriceOverride } from '../../domain/catalog/token-pricing.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import { actorOf } from '../../domain/principal.ts';
import type { EndpointDraft } from '../../services/endpoints/check-endpoint-draft.ts';
import type { PrivateEndpointService } from '../../services/endpoints/private-endpoint-service.ts';
import type { EndpointChanges } from '../../services/endpoints/update-endpoint.ts';
import type { ValidationService } from '../../services/endpoints/validation/validation-service.ts';
import { replayMark } from '../http/answer-idempotently.ts';
import type { RoutesOf } from '../http/route.ts';
import { admitEndpointId, presentValidation } from './endpoint-validation.ts';
import {
  presentEndpointSummary,
  presentManagedEndpoint,
  presentNotActivated,
  presentPrivateEndpoint,
} from './present-private-endpoint.ts';

export const privateEndpointRoutes: RoutesOf<
  typeof privateEndpointOperations,
  { privateEndpoints: PrivateEndpointService; validations: ValidationService }
> = {
  /** Handles `GET /private-endpoints`: lists the private endpoints of the organization. */
  listPrivateEndpoints: async ({ principal }, { services }) => {
    const endpoints = await services.privateEndpoints.list(principal.organizationId);
    return { status: 200, body: { data: endpoints.map(presentEndpointSummary) } };
  },

  /** Handles `POST /private-endpoints`: creates a draft of a private endpoint, and activates it on request. */
  createPrivateEndpoint: async (call, { services }) => {
    const draft = toEndpointDraft(call.body);
    const options = { idempotency: call.idempotency, gone: call.gone() };
    const made = await services.privateEndpoints.create(actorOf(call), draft, options);
    const { endpoint, replayed, activation } = made;
    if (activation !== null && activation.kind !== 'activated')
      return presentNotActivated(endpoint, activation);
    return { status: 201, ...replayMark(replayed), body: { data: presentManagedEndpoint(endpoint) } };
  },

  /** Handles `GET /private-endpoints/{id}`: returns a private endpoint with its last validation. */
  getPrivateEndpoint: async ({ principal, params }, { services }) => {
    const endpoint = await services.privateEndpoints.get(principal.organizationId, params.id);
    const validation = presentValidation(await services.validations.latestOf(endpoint));
    return { status: 200, body: { data: { ...presentPrivateEndpoint(endpoint), validation } } };
  },

  /** Handles `PATCH /private-endpoints/{id}`: replaces the upstream and the declarations of a draft. */
  updatePrivateEndpoint: {
    ...admitEndpointId,
    handle: async (call, { services }) => {
      const changes = toEndpointChanges(call.body);
      const endpoint = await services.privateEndpoints.update(actorOf(call), call.params.id, changes);
      return { status: 200, body: { data: presentPrivateEndpoint(endpoint) } };
    },
  },

  /** Handles `DELETE /private-endpoints/{id}`: deletes a private endpoint, or only a draft on request. */
  deletePrivateEndpoint: {
    ...admitEndpointId,
    handle: async (call, { services }) => {
      const options = { draftOnly: call.query.draft_only ?? false };
      const id = await services.privateEndpoints.remove(actorOf(call), call.params.id, options);
      return { status: 200, body: { data: { id } } };
    },
  },

  /** Handles `PUT /private-endpoints/{id}/pricing`: replaces the prices of a private endpoint. */
  setPrivateEndpointPricing: {
    ...admitEndpointId,
    handle: async (call, { services }) => {
      const pricing = toStatedPricing(call.body.pricing);
      const endpoint = await services.privateEndpoints.setPricing(actorOf(call), call.params.id, pricing);
      return { status: 200, body: { data: presentPrivateEndpoint(endpoint) } };
    },
  },

  /** Handles `POST /private-endpoints/{id}/activate`: lets a validated draft serve requests. */
  activatePrivateEndpoint: async (call, { services }) => {
    const endpoint = await services.privateEndpoints.activate(actorOf(call), call.params.id);
    return { status: 200, body: { data: presentManagedEndpoint(endpoint) } };
  },

  /**
   * Handles `POST /private-endpoints/{id}/enable` and `POST /private-endpoints/{id}/disable`: switches a private
   * endpoint on or off.
   */
  enablePrivateEndpoint: async (call, { services }) => {
    const endpoint = await services.privateEndpoints.switch(actorOf(call), call.params.id, 'active');
    return { status: 200, body: { data: presentManagedEndpoint(endpoint) } };
  },

  disablePrivateEndpoint: async (call, { services }) => {
    const endpoint = await services.privateEndpoints.switch(actorOf(call), call.params.id, 'disabled');
    return { status: 200, body: { data: presentManagedEndpoint(endpoint) } };
  },
};

/** Returns the draft, with null for absent declarations. */
function toEndpointDraft(body: NewPrivateEndpointBody): EndpointDraft {
  const undeclared = { baseUrl: null, declaredRegion: null, declaredZdr: null, declaredParameters: null };
  return {
    ...undeclared,
    ...toEndpointChanges(body),
    model: body.model_permaslug,
    providerSlug: body.provider_slug,
    ...withoutUndefined({
      pricing: body.pricing && toStatedPricing(body.pricing),
      activateIn: body.activate?.workspace_id.toLowerCase(),
    }),
  };
}

/** Converts the body to changes, without absent fields. A null stays, because it clears a declaration. */
function toEndpointChanges(body: PrivateEndpointChangesBody): EndpointChanges {
  const parameters = body.declared_parameters;
  return {
    upstreamModelId: body.upstream_model_id,
    ...withoutUndefined({
      baseUrl: body.base_url,
      declaredRegion: body.declared_region,
      declaredZdr: body.declared_zdr,
      declaredParameters: parameters && [...new Set(parameters)],
    }),
  };
}

/** Returns the prices in the request, as written. */
function toStatedPricing(pricing: NewPricingBody['pricing']): StatedPricing {
  const { prompt, completion, cache_read: cacheRead, cache_write: cacheWrite } = pricing;
  const overrides = pricing.overrides?.map(toOverride);
  return { prompt, completion, overrides, ...withoutUndefined({ cacheRead, cacheWrite }) };
}

function toOverride(entry: PricingOverrideRecord): PriceOverride {
  return withoutUndefined({
    minPromptTokens: entry.min_prompt_tokens,
    utcStart: entry.utc_start,
    utcEnd: entry.utc_end,
    utcDays: entry.utc_days,
    utcMoment: entry.utc_moment,
    serviceTier: entry.service_tier,
    inputModality: entry.input_modality,
    outputModality: entry.output_modality,
    validFrom: entry.valid_from,
    prompt: entry.prompt,
    completion: entry.completion,
    inputCacheRead: entry.input_cache_read,
    inputCacheWrite: entry.input_cache_write,
    inputCacheWriteHour: entry.input_cache_write_1h,
  });
}
