/** Manages interns: creates, lists, changes and deletes them. */
import type { Handle } from '../../db/postgres/connection.ts';
import { createInternReadModel, type InternPosition } from '../../db/interns/intern-read-model.ts';
import { createInternStore } from '../../db/interns/intern-store.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import type {
  Intern,
  InternChanges,
  InternDraft,
  InternState,
  InternStatus,
} from '../../domain/interns/intern-record.ts';
import type { Caller, Principal } from '../../domain/principal.ts';
import type { OnceAnswer, OnceOptions } from '../answer-once.ts';
import type { KeyVerifier } from '../accounts/identity/key-verifier.ts';
import { attachVault, changeIntern, detachVault, removeIntern } from './change-intern.ts';
import { createIntern, type CreateInternDeps, type MadeIntern } from './create-intern.ts';
import type { InternMemory } from './intern-memory.ts';
import { requireOwnWorkspace, hideFromInternKey, refuseInternKey, visibleIntern } from './visible-intern.ts';

export interface InternServiceDeps extends CreateInternDeps {
  verifier: Pick<KeyVerifier, 'forget'>;
  memory: Pick<InternMemory, 'forget'>;
}

export interface InternQuery {
  limit: number;
  statuses?: readonly InternStatus[] | undefined;
  /** The cursor at the end of the previous page. */
  startingAfter?: string | undefined;
  workspaceId?: string | undefined;
}

export interface InternPage {
  interns: Intern[];
  /** Absent on the last page. */
  nextCursor?: string | undefined;
}

/**
 * Reads and changes the records of interns. A key sees the interns of its own workspace, and an intern's key only its
 * own intern. Every other id gets the same 404. Each write leaves an audit row. A change applies in this process at
 * once, and in the others within a second, when the notice arrives.
 */
export function createInternService(deps: InternServiceDeps) {
  const { knex, verifier, memory } = deps;
  const change = async (work: (transaction: Handle) => Promise<Intern>): Promise<Intern> => {
    const intern = await knex.transaction(work);
    memory.forget(intern.id);
    return intern;
  };
  const admit = refuseInternKey;
  return {
    /** Creates an intern; see `createIntern`. */
    create: (caller: Caller, draft: InternDraft, once: OnceOptions<MadeIntern>): Promise<OnceAnswer> =>
      createIntern(deps, caller, draft, once),
    /** Lists interns, the newest first. Throws 404 for an intern's key. */
    list: (principal: Principal, query: InternQuery): Promise<InternPage> =>
      listInterns(knex, principal, query),
    get(principal: Principal, id: string): Promise<Intern> {
      const store = createInternStore(knex);
      return visibleIntern((known) => store.find(principal.workspaceId, known), principal, id);
    },
    /** Changes an intern. Throws 403 for an intern's key. */
    update: (caller: Caller, id: string, changes: InternChanges): Promise<Intern> =>
      change((transaction) =>
        changeIntern(transaction, caller, id, changes, { action: 'updateIntern', admit }),
      ),
    /** Replaces the state that the host reported before. Throws 403 unless the key is a management key. */
    report(caller: Caller, id: string, state: InternState): Promise<Intern> {
      const write = { action: 'setInternStatus', below: '/status', admit: requireManagementKey };
      return change((transaction) => changeIntern(transaction, caller, id, state, write));
    },
    /** Attaches the vault of another intern; see `attachVault`. Throws 403 for an intern's key. */
    attach(caller: Caller, id: string, vaultId: string): Promise<Intern> {
      const write = { action: 'attachVault', below: '/attached-vault', admit };
      return change((transaction) => attachVault(transaction, caller, id, vaultId, write));
    },
    /** Detaches the attached vault; see `detachVault`. Throws 403 for an intern's key. */
    detach(caller: Caller, id: string): Promise<Intern> {
      const write = { action: 'detachVault', below: '/attached-vault', admit };
      return change((transaction) => detachVault(transaction, caller, id, write));
    },
    /** Deletes the intern with its keys, its vault and the secrets in it. Throws 403 for an intern's key. */
    async remove(caller: Caller, id: string): Promise<void> {
      const write = { action: 'deleteIntern', admit };
      const removed = await knex.transaction((transaction) => removeIntern(transaction, caller, id, write));
      memory.forget(removed.id);
      for (const hash of removed.keyHashes) verifier.forget(hash);
    },
  };
}

async function listInterns(
  knex: Handle,
  principal: Principal,
  { limit, statuses, startingAfter, workspaceId }: InternQuery,
): Promise<InternPage> {
  const after = startingAfter === undefined ? undefined : parseCursor(startingAfter);
  hideFromInternKey(principal);
  requireOwnWorkspace('query', principal, workspaceId);
  const filter = { workspaceId: principal.workspaceId, statuses, after, limit: limit + 1 };
  const rows = await createInternReadModel(knex).list(filter);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    interns: page.map(({ intern }) => intern),
    nextCursor: rows.length > limit ? last && cursorOf(last.position) : undefined,
  };
}

function requireManagementKey({ kind }: Principal): void {
  if (kind !== 'management') throw new AppError('management_key_required');
}

export type InternService = ReturnType<typeof createInternService>;

/** Matches a position in the list: microseconds since 1970 and the id of an intern. */
const POSITION = /^(\d{1,16}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the cursor for the interns after this position. It is opaque to clients. */
function cursorOf({ createdMicros, id }: InternPosition): string {
  return Buffer.from(`${createdMicros} ${id}`).toString('base64url');
}

/** Reads a cursor. Throws 400 for text that `cursorOf` never returns. */
function parseCursor(text: string): InternPosition {
  const position = Buffer.from(text, 'base64url').toString('latin1');
  const [, createdMicros, id] = POSITION.exec(position) ?? [];
  if (createdMicros !== undefined && id !== undefined && cursorOf({ createdMicros, id }) === text) {
    return { createdMicros, id };
  }
  throw invalidRequest({ path: 'query.starting_after', message: 'must be the next_cursor of a page' });
}
