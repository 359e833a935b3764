import { NOT_SENT_UPSTREAM } from '../../domain/gateway-fields.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { TextRequest } from '../../providers/chat-adapter.ts';

/** Returns the fields that say something, in their order: neither the gateway's own nor those that are null. */
export function withoutGatewayFields(body: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in body) {
    if (body[name] !== null && !NOT_SENT_UPSTREAM.has(name)) kept[name] = body[name];
  }
  return kept;
}

/** The caller's parameters for single providers, by their slugs. */
export type ProviderOptions = Record<string, Record<string, unknown>> | null | undefined;

/**
 * Returns the fields that a provider is sent: those of the request, and the caller's parameters for that provider where
 * the request says nothing.
 */
export function fieldsFor(
  { endpoint }: Target,
  fields: Record<string, unknown>,
  options: ProviderOptions,
): Record<string, unknown> {
  const own = options?.[endpoint.providerSlug];
  return own === undefined ? fields : { ...withoutGatewayFields(own), ...fields };
}

/** Returns the request for one endpoint: its fields, and the endpoint's name of the model. */
export function requestFor(
  target: Target,
  fields: Record<string, unknown>,
  options: ProviderOptions,
): TextRequest {
  return { ...fieldsFor(target, fields, options), model: target.endpoint.upstreamModelId };
}

/** The limit that the target's adapter sends where the caller sets none; undefined where the vendor needs none. */
export type UsualLimit = (target: Target) => number | undefined;

/** Returns the request with a limit of the answer's tokens under the name that its dialect has for it. */
export function withLimit(request: TextRequest, name: string, limit: number | undefined): TextRequest {
  return limit === undefined ? request : { ...request, [name]: limit };
}

/** `cache_control` at the top, in messages, their parts and tools goes: the endpoint would refuse it. */
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
