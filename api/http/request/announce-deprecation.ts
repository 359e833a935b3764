import type { OperationDefinition } from '../../../contract/operation.ts';
import { API_BASE } from '../base-path.ts';
import type { ApiContext } from '../context.ts';

/** Tells in headers of every answer, errors too, since when the path is deprecated and which one to use (RFC 9745). */
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
