/** Tells workspaces by webhook that a model which they used lately expires soon. */
import { createExpiringModelStore, type UsingWorkspace } from '../../../db/catalog/expiring-model-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import {
  expiryEventId,
  type ExpiryWarning,
  USE_DAYS,
  WARNED_DAYS,
  warningOf,
} from '../../../domain/catalog/expiring-model.ts';
import { addDays, utcDayOf } from '../../../domain/utc-day.ts';
import { type RenderedEvent, writeEvent } from '../../webhooks/write-event.ts';

export interface AnnounceExpiryDeps {
  knex: Handle;
  /** Renders the body of the event and checks it against the contract. */
  renderExpiry(warning: ExpiryWarning, workspaceId: string, at: Date): RenderedEvent;
  now?: (() => number) | undefined;
}

const SCAN_EVERY_MS = 3_600_000;
const PAGE = 200;

/**
 * Writes the events that are due, page by page, until the signal aborts or the time is over. The next call, in any
 * worker, continues after the last completed page. A scan runs once an hour, and at once when a model, a date or a
 * milestone is new. Without expiring models, it reads no workspace.
 *
 * A worker that dies repeats a page at most. The id of an event follows from workspace, model, date and milestone, so
 * the repetition writes nothing. Returns the number of events written. The sweep starts their deliveries.
 */
export async function announceExpiry(
  deps: AnnounceExpiryDeps,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
): Promise<number> {
  const store = createExpiringModelStore(deps.knex);
  const untilMs = performance.now() + limitMs;
  const at = new Date(deps.now?.() ?? Date.now());
  const today = utcDayOf(at);
  if (signal?.aborted === true) return 0;
  const models = await store.expiring(today, addDays(today, WARNED_DAYS - 1));
  const warnings = models.map((model) => warningOf(model, today));
  if (warnings.length === 0) return 0;
  const key = warnings
    .map(({ id, expirationDate, milestone }) => `${id} ${expirationDate} ${milestone}`)
    .join('\n');
  const slugs = warnings.map(({ canonicalSlug }) => canonicalSlug);
  const since = addDays(today, -USE_DAYS);
  let written = 0;
  await store.begin(key, SCAN_EVERY_MS);
  while (!isAborted(signal) && performance.now() < untilMs) {
    const after = await store.position(key);
    if (after === null) break;
    const page = await store.page(after, slugs, since, PAGE);
    for (const workspace of page) written += await warn(deps, workspace, warnings, at);
    await store.advance(key, after, page.length === PAGE ? page.at(-1)!.workspaceId : null);
  }
  return written;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Writes the events of one workspace. Returns how many were new. */
async function warn(
  { knex, renderExpiry }: AnnounceExpiryDeps,
  { workspaceId, organizationId, slugs }: UsingWorkspace,
  warnings: readonly ExpiryWarning[],
  at: Date,
): Promise<number> {
  let written = 0;
  for (const warning of warnings) {
    if (!slugs.includes(warning.canonicalSlug)) continue;
    const delivery = await writeEvent(knex, {
      ...renderExpiry(warning, workspaceId, at),
      organizationId,
      workspaceId,
      eventId: expiryEventId(workspaceId, warning),
    });
    if (delivery !== null) written += 1;
  }
  return written;
}
