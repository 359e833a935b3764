import type { ErrorShape } from '../../contract/operation.ts';
import { API_BASE, SCIM_BASE } from './base-path.ts';
import type { ApiContext } from './context.ts';

const COHERE_BASE = '/api/v2';
const MESSAGES_PATH = `${API_BASE}/messages`;

/**
 * Makes the errors of a request those of another API's dialect. Clients of Anthropic's look for the request's name in a
 * header of the vendor's, whatever is answered.
 */
export function speakDialect(ctx: ApiContext, errorShape: ErrorShape): void {
  ctx.state.errorShape = errorShape;
  if (errorShape === 'messages') ctx.set('request-id', ctx.state.requestId);
}

/** Does so for a client of Anthropic's: these send the version of the dialect with every request. */
export function speakDialectOfVersion(ctx: ApiContext): void {
  if (ctx.req.headers['anthropic-version'] !== undefined) speakDialect(ctx, 'messages');
}

/**
 * Does so for a path or a method that does not exist. Identity providers understand SCIM's errors only, and clients of
 * Anthropic's and Cohere's dialects those of their own.
 */
export function speakDialectOfCaller(ctx: ApiContext): void {
  const path = `${ctx.path}/`;
  if (path.startsWith(`${SCIM_BASE}/`)) speakDialect(ctx, 'scim');
  else if (path.startsWith(`${COHERE_BASE}/`)) speakDialect(ctx, 'cohere');
  else if (path.startsWith(`${MESSAGES_PATH}/`)) speakDialect(ctx, 'messages');
  else speakDialectOfVersion(ctx);
}
