import type { OperationDefinition } from '../../../contract/operation.ts';
import { API_BASE } from '../base-path.ts';
import type { ApiContext } from '../context.ts';

/**
 * Sets headers that say since when the path is deprecated and which path replaces it (RFC 9745). Errors have them too.
 */
export function announceDeprecation(
  ctx: ApiContext,
  { since, successor }: NonNullable<OperationDefinition['deprecated']>,
): void {
  const params: Record<string, string> = ctx['params'] ?? {};
  const path = successor.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  ctx.set('deprecation', `@${since}`);
  ctx.set('link', `<${API_BASE}${path}>; rel="successor-version"`);
}
