/** Builds the request that an upstream receives from the caller's fields and provider options. */
import { NOT_SENT_UPSTREAM } from '../domain/gateway-fields.ts';
import type { Target } from '../domain/routing/routing.ts';
import type { TextRequest } from './chat-adapter.ts';

/** Returns the fields to send in their original order, without the gateway's own fields and without nulls. */
export function withoutGatewayFields(body: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in body) {
    if (body[name] !== null && !NOT_SENT_UPSTREAM.has(name)) kept[name] = body[name];
  }
  return kept;
}

/** The caller's options for single providers, by the providers' slugs. */
export type ProviderOptions = Record<string, Record<string, unknown>> | null | undefined;

/**
 * Returns the fields for a provider: the request's own fields, and the caller's options for that provider. The
 * request's own fields override options.
 */
export function fieldsFor(
  { endpoint }: Target,
  fields: Record<string, unknown>,
  options: ProviderOptions,
): Record<string, unknown> {
  const own = options?.[endpoint.providerSlug];
  return own === undefined ? fields : { ...withoutGatewayFields(own), ...fields };
}

/** Returns the request to one endpoint: the fields, and the endpoint's name of the model. */
export function requestFor(
  target: Target,
  fields: Record<string, unknown>,
  options: ProviderOptions,
): TextRequest {
  return { ...fieldsFor(target, fields, options), model: target.endpoint.upstreamModelId };
}

/**
 * Returns the limit that the target's adapter sends when the caller sets none; undefined when the vendor requires
 * none.
 */
export type DefaultLimit = (target: Target) => number | undefined;

/** Returns the request with a limit on the answer's tokens under the dialect's name for it. */
export function withLimit(request: TextRequest, name: string, limit: number | undefined): TextRequest {
  return limit === undefined ? request : { ...request, [name]: limit };
}

/** Removes `cache_control` at the top and in messages, their parts and tools, for endpoints that refuse it. */
export function withoutCacheControl(fields: Record<string, unknown>): Record<string, unknown> {
  const { cache_control: _top, ...rest } = fields;
  for (const name of ['messages', 'input', 'tools'] as const) {
    const list = rest[name];
    if (Array.isArray(list)) rest[name] = list.map(withoutMarker);
  }
  return rest;
}

function withoutMarker(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const { cache_control: _marker, ...rest } = item as Record<string, unknown>;
  for (const name of ['content', 'output']) {
    const parts = rest[name];
    if (Array.isArray(parts)) rest[name] = parts.map(withoutMarker);
  }
  return rest;
}
