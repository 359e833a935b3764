import type { ErrorShape } from '../../contract/operation.ts';
import { API_BASE, SCIM_BASE } from './base-path.ts';
import type { ApiContext } from './context.ts';

const COHERE_BASE = '/api/v2';
const MESSAGES_PATH = `${API_BASE}/messages`;

/**
 * Switches the errors of a request to another API's dialect. Clients of Anthropic expect the request's id in the header
 * `request-id` of every answer.
 */
export function speakDialect(ctx: ApiContext, errorShape: ErrorShape): void {
  ctx.state.errorShape = errorShape;
  if (errorShape === 'messages') ctx.set('request-id', ctx.state.requestId);
}

/** Switches to Anthropic's dialect if the request names a version of Anthropic's API. Its clients always send one. */
export function speakDialectOfVersion(ctx: ApiContext): void {
  if (ctx.req.headers['anthropic-version'] !== undefined) speakDialect(ctx, 'messages');
}

/**
 * Selects the dialect for an unknown path or method. Identity providers understand only SCIM's errors, and clients of
 * Anthropic and Cohere only those of their dialects.
 */
export function speakDialectOfCaller(ctx: ApiContext): void {
  const path = `${ctx.path}/`;
  if (path.startsWith(`${SCIM_BASE}/`)) speakDialect(ctx, 'scim');
  else if (path.startsWith(`${COHERE_BASE}/`)) speakDialect(ctx, 'cohere');
  else if (path.startsWith(`${MESSAGES_PATH}/`)) speakDialect(ctx, 'messages');
  else speakDialectOfVersion(ctx);
}
