import { createAuditStore } from '../../db/audit-store.ts';
import type { Handle } from '../../db/connection.ts';
import { createWorkspaceStore } from '../../db/workspace-store.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import {
  parseWorkspaceReference,
  type Workspace,
  type WorkspaceChanges,
  type WorkspaceReference,
} from '../../domain/workspace.ts';
import { OutboundBlockedError } from '../../platform/outbound-error.ts';

export interface WorkspaceServiceDeps {
  knex: Handle;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

/** `reference` is an id or a slug; the same 404 answers all that names no workspace of the organization. */
export interface WorkspaceService {
  get(organizationId: string, reference: string): Promise<Workspace>;
  /** 400 for a slug that is taken and a callback URL that can never be called. Leaves an audit row. */
  update(actor: Actor, reference: string, changes: WorkspaceChanges): Promise<Workspace>;
}

export function createWorkspaceService(deps: WorkspaceServiceDeps): WorkspaceService {
  return {
    async get(organizationId, reference) {
      return found(await createWorkspaceStore(deps.knex).find(organizationId, referenceOf(reference)));
    },
    async update(actor, reference, changes) {
      checkCallbackUrl(deps, changes.defaultCallbackUrl);
      return deps.knex.transaction(async (transaction) => {
        const store = createWorkspaceStore(transaction);
        const updated = await store.update(actor.organizationId, referenceOf(reference), changes);
        if (updated === 'slug_taken') {
          throw invalidRequest({ path: 'body.slug', message: 'is the slug of another workspace' });
        }
        const workspace = found(updated);
        const target = `workspaces/${workspace.id}`;
        await createAuditStore(transaction).insert(actor, { action: 'updateWorkspace', target });
        return workspace;
      });
    },
  };
}

/** What can be no name of a workspace is one that is not there. */
function referenceOf(text: string): WorkspaceReference {
  return found(parseWorkspaceReference(text));
}

function found<T>(thing: T | null): T {
  if (thing === null) throw new AppError('not_found');
  return thing;
}

function checkCallbackUrl({ checkUrl }: WorkspaceServiceDeps, url: string | null | undefined): void {
  if (url === undefined || url === null) return;
  try {
    checkUrl(url);
  } catch (error) {
    if (!(error instanceof OutboundBlockedError)) throw error;
    throw invalidRequest({ path: 'body.default_callback_url', message: error.message });
  }
}
