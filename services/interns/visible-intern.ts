/** Decides which interns and operations on interns a caller's key may reach. */
import { AppError } from '../../domain/errors.ts';
import { UUID_PATTERN } from '../../domain/ids.ts';
import type { KnownIntern } from '../../domain/interns/intern.ts';
import type { Principal } from '../../domain/principal.ts';

/** The part of an intern that decides which keys see it. */
type Placed = Pick<KnownIntern, 'id' | 'organizationId' | 'workspaceId'>;

/**
 * Returns whether the key sees the intern. The intern must be in the key's workspace, and an intern's key sees only its
 * own intern.
 */
function canSee({ organizationId, workspaceId, kind, internId }: Principal, intern: Placed): boolean {
  if (intern.organizationId !== organizationId || intern.workspaceId !== workspaceId) return false;
  return kind !== 'intern' || internId === intern.id;
}

/**
 * Returns the intern that the text names. Throws the same 404 for text that is no id, for unknown interns and for
 * interns that the key does not see.
 */
export async function visibleIntern<Intern extends Placed>(
  find: (id: string) => Intern | null | Promise<Intern | null>,
  principal: Principal,
  idText: string,
): Promise<Intern> {
  const id = idText.toLowerCase();
  const intern = UUID_PATTERN.test(id) ? await find(id) : null;
  if (intern === null || !canSee(principal, intern)) throw new AppError('not_found');
  return intern;
}

/** Throws a 403 for an intern's key, which may use its intern but not change it. */
export function refuseInternKey({ kind }: Principal): void {
  if (kind === 'intern') throw new AppError('intern_key_refused');
}

/** Throws a 404 for an intern's key, because the list of interns and the workspace's secrets are hidden from it. */
export function hideFromInternKey({ kind }: Principal): void {
  if (kind === 'intern') throw new AppError('not_found');
}

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
