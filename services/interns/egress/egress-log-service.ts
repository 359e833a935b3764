/** Lists the recorded requests of an intern. */
import type { EgressLogStore, EgressRecord } from '../../../db/interns/egress-log-store.ts';
import type { InternStore } from '../../../db/interns/intern-store.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import { visibleIntern } from '../visible-intern.ts';
import type { EgressLog } from './egress-log.ts';

export interface EgressLogQuery {
  limit: number;
  /** The cursor of the previous page. */
  startingAfter: string | undefined;
}

export interface EgressLogPage {
  entries: EgressRecord[];
  /** Absent on the last page. */
  nextCursor?: string;
}

export interface EgressLogServiceDeps {
  interns: Pick<InternStore, 'findKnown'>;
  store: Pick<EgressLogStore, 'list'>;
  log: Pick<EgressLog, 'flush'>;
}

/** Creates the service that lists the requests of interns. */
export function createEgressLogService({ interns, store, log }: EgressLogServiceDeps) {
  return {
    /** Returns the requests that were sent for an intern, the newest first. */
    async list(
      principal: Principal,
      internId: string,
      { limit, startingAfter }: EgressLogQuery,
    ): Promise<EgressLogPage> {
      const before = startingAfter === undefined ? undefined : parseCursor(startingAfter);
      const { id } = await visibleIntern((known) => interns.findKnown(known), principal, internId);
      await log.flush();
      const entries = await store.list(id, { limit: limit + 1, before });
      const page = entries.slice(0, limit);
      const last = page.at(-1);
      if (entries.length <= limit || last === undefined) return { entries: page };
      return { entries: page, nextCursor: cursorOf(last.id) };
    },
  };
}

export type EgressLogService = ReturnType<typeof createEgressLogService>;

/** Returns the cursor to the entries after this one, which is opaque to clients. */
function cursorOf(id: string): string {
  return Buffer.from(`egress ${id}`).toString('base64url');
}

/** Reads a cursor; throws 400 for a text that `cursorOf` never returns. */
function parseCursor(text: string): string {
  const [, id] = /^egress ([1-9]\d{0,17})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (id !== undefined && cursorOf(id) === text) return id;
  throw invalidRequest({ path: 'query.starting_after', message: 'must be the next_cursor of a page' });
}
