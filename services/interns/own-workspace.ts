import { AppError } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';

/** Throws a 404 when the request names another workspace than the key's, even one of the same organization. */
export function requireOwnWorkspace(
  part: 'body' | 'query',
  { workspaceId }: Pick<Principal, 'workspaceId'>,
  requestedId: string | undefined,
): void {
  if (requestedId === undefined || requestedId.toLowerCase() === workspaceId) return;
  const issue = { path: `${part}.workspace_id`, message: 'is not the workspace of the key' };
  throw new AppError('not_found', { issues: [issue] });
}
