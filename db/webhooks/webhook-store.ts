/** Records the delivery of webhooks: attempts, outcomes and replays. */
import type { ReadScope } from '../../domain/principal.ts';
import type { AttemptOutcome, DeliveryStatus } from '../../domain/webhooks/webhook-delivery.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { waitingByTurns, type WaitingRows } from '../waiting-organizations.ts';
import { type SealedSecret, signingSecrets } from './webhook-secret-store.ts';

export interface WebhookDelivery {
  id: string;
  /** Null: the event belongs to no job. */
  jobId: string | null;
  organizationId: string;
  workspaceId: string;
  eventId: string;
  eventType: string;
  url: string;
  /** The exact text that every attempt sends and signs. */
  payload: string;
  status: DeliveryStatus;
  replays: number;
  createdAt: Date;
  completedAt: Date | null;
}

export interface WebhookAttempt {
  deliveryId: string;
  replay: number;
  attempt: number;
  outcome: AttemptOutcome;
  statusCode: number | null;
  reason: string | null;
  responseExcerpt: string | null;
  startedAt: Date;
  finishedAt: Date | null;
}

export type AttemptResult = Pick<WebhookAttempt, 'outcome' | 'statusCode' | 'reason' | 'responseExcerpt'>;

/** A delivery with a recorded attempt, and its signing secrets, the current one first. */
export interface StartedAttempt {
  delivery: WebhookDelivery;
  secrets: SealedSecret[];
}

export interface DeliveryRow {
  id: string;
  job_id: string | null;
  organization_id: string;
  workspace_id: string;
  event_id: string;
  event_type: string;
  url: string;
  payload: string;
  status: DeliveryStatus;
  replays: number;
  created_at: Date;
  completed_at: Date | null;
}

const UNDISPATCHED: WaitingRows = {
  table: 'webhook_deliveries',
  condition: `status = 'pending' and dispatched_at is null`,
};

/** Stores the deliveries of the outbox (outbox-store.ts) and their attempts. */
export function createWebhookStore(handle: Handle) {
  return {
    ...deliveryReads(handle),
    ...deliveryRuns(handle),
    ...attemptStarts(handle),
    ...attemptEnds(handle),
  };
}

/** Builds the methods that read deliveries and their attempts. */
function deliveryReads(handle: Handle) {
  return {
    async find(id: string): Promise<WebhookDelivery | null> {
      const row = await handle<DeliveryRow>('webhook_deliveries').where({ id }).first();
      return row === undefined ? null : toDelivery(row);
    },

    async findInScope(scope: ReadScope, id: string): Promise<WebhookDelivery | null> {
      const delivery = await this.find(id);
      const visible =
        delivery?.organizationId === scope.organizationId &&
        (scope.workspaceId === undefined || delivery.workspaceId === scope.workspaceId);
      return visible ? delivery : null;
    },

    async findByJob(jobId: string): Promise<WebhookDelivery | null> {
      const row = await handle<DeliveryRow>('webhook_deliveries').where({ job_id: jobId }).first();
      return row === undefined ? null : toDelivery(row);
    },

    async attemptsOf(deliveryIds: string[]): Promise<WebhookAttempt[]> {
      if (deliveryIds.length === 0) return [];
      return uncheckedRowsOf<WebhookAttempt>(
        handle,
        `select delivery_id "deliveryId", replay, attempt, outcome, status_code "statusCode", reason,
                response_excerpt "responseExcerpt", started_at "startedAt", finished_at "finishedAt"
         from webhook_attempts where delivery_id = any(?) order by started_at`,
        [deliveryIds],
      );
    },
  };
}

/** Builds the methods with which the sweep ensures that each delivery has a run. */
function deliveryRuns(handle: Handle) {
  return {
    /** Returns outbox rows that no run has taken, by turns of their organizations. */
    async undispatched(olderThanMs: number, limit: number): Promise<WebhookDelivery[]> {
      const rows = await uncheckedRowsOf<DeliveryRow>(handle, waitingByTurns(UNDISPATCHED), [
        olderThanMs,
        limit,
        limit,
      ]);
      return rows.map(toDelivery);
    },

    async markDispatched(id: string): Promise<void> {
      await handle.raw(
        `update webhook_deliveries set dispatched_at = now() where id = ? and dispatched_at is null`,
        [id],
      );
    },

    /** Returns open deliveries that were neither started nor seen alive for `olderThanMs`. Their runs may be gone. */
    async silentFor(olderThanMs: number, limit: number): Promise<WebhookDelivery[]> {
      const rows = await uncheckedRowsOf<DeliveryRow>(
        handle,
        `select * from webhook_deliveries
         where status = 'pending' and dispatched_at < now() - ? * interval '1 millisecond'
         order by dispatched_at limit ?`,
        [olderThanMs, limit],
      );
      return rows.map(toDelivery);
    },

    /** Records that the delivery's run is alive. */
    async noteRun(id: string): Promise<void> {
      await handle.raw(
        `update webhook_deliveries set dispatched_at = now()
         where id = ? and status = 'pending' and dispatched_at is not null`,
        [id],
      );
    },

    /**
     * Starts a replay of a delivery whose run is gone; earlier attempts stay in the log. Returns false if the delivery
     * has changed meanwhile.
     */
    async requeue(id: string, replays: number): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `update webhook_deliveries set replays = replays + 1, dispatched_at = null
         where id = ? and status = 'pending' and replays = ? returning id`,
        [id, replays],
      );
      return rows.length > 0;
    },
  };
}

/** Builds the methods that begin attempts and replays. */
function attemptStarts(handle: Handle) {
  return {
    /**
     * Records the attempt before its request is sent, so that an attempt interrupted by a crash is visible. Returns
     * null if the delivery is over or replaced by a replay: then the caller must not send the request.
     */
    async beginAttempt(deliveryId: string, replay: number, attempt: number): Promise<StartedAttempt | null> {
      const [row] = await uncheckedRowsOf<DeliveryRow & { secrets: SealedSecret[] }>(
        handle,
        `with open as (
           update webhook_deliveries set dispatched_at = coalesce(dispatched_at, now())
           where id = ? and replays = ? and status = 'pending'
           returning *
         ), attempt as (
           insert into webhook_attempts (delivery_id, replay, attempt)
           select id, replays, ?::integer from open
           on conflict (delivery_id, replay, attempt) do update
             set started_at = now(), outcome = 'sending', status_code = null, reason = null,
                 response_excerpt = null, finished_at = null
         )
         select open.*, ${signingSecrets('open')} secrets from open`,
        [deliveryId, replay, attempt],
      );
      return row === undefined ? null : { delivery: toDelivery(row), secrets: row.secrets };
    },

    /**
     * Opens a finished delivery again under the next replay number. Returns null if the scope has no finished delivery
     * with this id.
     */
    async beginReplay(scope: ReadScope, id: string): Promise<WebhookDelivery | null> {
      const [row] = await uncheckedRowsOf<DeliveryRow>(
        handle,
        `update webhook_deliveries set replays = replays + 1, status = 'pending', completed_at = null,
                dispatched_at = null
         where id = ? and organization_id = ? and (?::uuid is null or workspace_id = ?) and status <> 'pending'
         returning *`,
        [id, scope.organizationId, scope.workspaceId ?? null, scope.workspaceId ?? null],
      );
      return row === undefined ? null : toDelivery(row);
    },
  };
}

/** Builds the methods that end attempts and deliveries. */
function attemptEnds(handle: Handle) {
  return {
    ...deliveryEnds(handle),

    /**
     * Records the result of an attempt, and ends the delivery if `end` is set. `stopped` (a 410) ends only this replay,
     * `delivered` ends the delivery for all replays. A failure is recorded for its URL, and a success clears it
     * (failing-callback-store.ts).
     */
    async endAttempt(
      deliveryId: string,
      replay: number,
      attempt: number,
      result: AttemptResult,
      end: 'delivered' | 'stopped' | null,
    ): Promise<void> {
      await handle.raw(
        `with attempt as (
           update webhook_attempts set outcome = ?, status_code = ?, reason = ?, response_excerpt = ?,
                  finished_at = now()
           where delivery_id = ? and replay = ? and attempt = ?
         ), receiver as (
           select workspace_id, url, sha256(convert_to(url, 'UTF8')) url_hash, ?::text = 'delivered' works
           from webhook_deliveries where id = ?
         ), success as (
           delete from failing_callbacks f using receiver r
           where r.works and f.workspace_id = r.workspace_id and f.url_hash = r.url_hash
         ), failure as (
           insert into failing_callbacks (workspace_id, url_hash, url)
           select workspace_id, url_hash, url from receiver where not works
           on conflict (workspace_id, url_hash) do update set last_failed_at = now()
         )
         update webhook_deliveries set status = ?, completed_at = now()
         where id = ? and status <> 'delivered' and (?::text = 'delivered' or (?::text = 'stopped' and replays = ?))`,
        [
          result.outcome,
          result.statusCode,
          result.reason,
          result.responseExcerpt,
          deliveryId,
          replay,
          attempt,
          result.outcome,
          deliveryId,
          end,
          deliveryId,
          end,
          end,
          replay,
        ],
      );
    },
  };
}

/** Builds the method that ends a delivery without another attempt. */
function deliveryEnds(handle: Handle) {
  return {
    /** Ends the delivery. Does nothing if it is over, or a later replay has taken over. */
    async giveUp(id: string, replay: number, status: 'exhausted' | 'stopped'): Promise<void> {
      await handle.raw(
        `update webhook_deliveries set status = ?, completed_at = now()
         where id = ? and replays = ? and status = 'pending'`,
        [status, id, replay],
      );
    },
  };
}

export function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    jobId: row.job_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    eventId: row.event_id,
    eventType: row.event_type,
    url: row.url,
    payload: row.payload,
    status: row.status,
    replays: row.replays,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}
