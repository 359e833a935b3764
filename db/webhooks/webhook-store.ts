/** Records the delivery of webhooks: attempts, outcomes and replays. */
import type { ReadScope } from '../../domain/principal.ts';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES } from '../../domain/webhooks/webhook-delivery.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import { int4, json, oneOf, type RowOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { waitingByTurns, type WaitingRows } from '../waiting-organizations.ts';
import { type SealedSecret, signingSecrets } from './webhook-secret-store.ts';

/** The columns of a delivery. */
export const DELIVERY = {
  id: uuid,
  /** Null: the event belongs to no job. */
  jobId: text.orNull,
  organizationId: uuid,
  workspaceId: uuid,
  eventId: text,
  eventType: text,
  url: text,
  /** The exact text that every attempt sends and signs. */
  payload: text,
  status: oneOf(DELIVERY_STATUSES),
  replays: int4,
  createdAt: timestamptz,
  completedAt: timestamptz.orNull,
};
export type WebhookDelivery = RowOf<typeof DELIVERY>;

const ATTEMPT = {
  deliveryId: uuid,
  replay: int4,
  attempt: int4,
  outcome: oneOf(ATTEMPT_OUTCOMES),
  statusCode: int4.orNull,
  reason: text.orNull,
  responseExcerpt: text.orNull,
  startedAt: timestamptz,
  finishedAt: timestamptz.orNull,
};
export type WebhookAttempt = RowOf<typeof ATTEMPT>;

export type AttemptResult = Pick<WebhookAttempt, 'outcome' | 'statusCode' | 'reason' | 'responseExcerpt'>;

/** A delivery with a recorded attempt, and its signing secrets, the current one first. */
export interface StartedAttempt {
  delivery: WebhookDelivery;
  secrets: SealedSecret[];
}

const UNDISPATCHED: WaitingRows = {
  table: 'webhook_deliveries',
  condition: `status = 'pending' and dispatched_at is null`,
};

const DELIVERIES = `select ${selectList(DELIVERY)} from webhook_deliveries`;

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
    find: (id: string): Promise<WebhookDelivery | null> =>
      firstRow(handle, DELIVERY, `${DELIVERIES} where id = :id`, { id }),

    async findInScope(scope: ReadScope, id: string): Promise<WebhookDelivery | null> {
      const delivery = await this.find(id);
      const visible =
        delivery?.organizationId === scope.organizationId &&
        (scope.workspaceId === undefined || delivery.workspaceId === scope.workspaceId);
      return visible ? delivery : null;
    },

    async findByJob(jobId: string): Promise<WebhookDelivery | null> {
      const statement = `${DELIVERIES} where job_id = :jobId limit 1`;
      return firstRow(handle, DELIVERY, statement, { jobId });
    },

    async attemptsOf(deliveryIds: string[]): Promise<WebhookAttempt[]> {
      if (deliveryIds.length === 0) return [];
      return rowsOf(
        handle,
        ATTEMPT,
        `select ${selectList(ATTEMPT)} from webhook_attempts
         where delivery_id = any(:deliveryIds) order by started_at`,
        { deliveryIds },
      );
    },
  };
}

/** Builds the methods with which the sweep ensures that each delivery has a run. */
function deliveryRuns(handle: Handle) {
  return {
    /** Returns outbox rows that no run has taken, by turns of their organizations. */
    async undispatched(olderThanMs: number, limit: number): Promise<WebhookDelivery[]> {
      const statement = waitingByTurns(UNDISPATCHED, selectList(DELIVERY, 'page'));
      return rowsOf(handle, DELIVERY, statement, { olderThanMs, limit });
    },

    async markDispatched(id: string): Promise<void> {
      await run(
        handle,
        `update webhook_deliveries set dispatched_at = now() where id = :id and dispatched_at is null`,
        { id },
      );
    },

    /** Returns open deliveries that were neither started nor seen alive for `olderThanMs`. Their runs may be gone. */
    silentFor: (olderThanMs: number, limit: number): Promise<WebhookDelivery[]> =>
      rowsOf(
        handle,
        DELIVERY,
        `${DELIVERIES} where status = 'pending' and dispatched_at < now() - :olderThanMs * interval '1 millisecond'
         order by dispatched_at limit :limit`,
        { olderThanMs, limit },
      ),

    /** Records that the delivery's run is alive. */
    async noteRun(id: string): Promise<void> {
      await run(
        handle,
        `update webhook_deliveries set dispatched_at = now()
         where id = :id and status = 'pending' and dispatched_at is not null`,
        { id },
      );
    },

    /**
     * Starts a replay of a delivery whose run is gone; earlier attempts stay in the log. Returns false if the delivery
     * has changed meanwhile.
     */
    requeue: (id: string, replays: number): Promise<boolean> =>
      anyRows(
        handle,
        `update webhook_deliveries set replays = replays + 1, dispatched_at = null
         where id = :id and status = 'pending' and replays = :replays`,
        { id, replays },
      ),
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
      const [row] = await rowsOf(
        handle,
        { ...DELIVERY, secrets: json<SealedSecret[]>() },
        `with open as (
           update webhook_deliveries set dispatched_at = coalesce(dispatched_at, now())
           where id = :deliveryId and replays = :replay and status = 'pending'
           returning *
         ), attempt as (
           insert into webhook_attempts (delivery_id, replay, attempt)
           select id, replays, :attempt::integer from open
           on conflict (delivery_id, replay, attempt) do update
             set started_at = now(), outcome = 'sending', status_code = null, reason = null,
                 response_excerpt = null, finished_at = null
         )
         select ${selectList(DELIVERY, 'open')}, ${signingSecrets('open')} secrets from open`,
        { deliveryId, replay, attempt },
      );
      if (row === undefined) return null;
      const { secrets, ...delivery } = row;
      return { delivery, secrets };
    },

    /**
     * Opens a finished delivery again under the next replay number. Returns null if the scope has no finished delivery
     * with this id.
     */
    beginReplay: (scope: ReadScope, id: string): Promise<WebhookDelivery | null> =>
      firstRow(
        handle,
        DELIVERY,
        `update webhook_deliveries set replays = replays + 1, status = 'pending', completed_at = null,
                dispatched_at = null
         where id = :id and organization_id = :organizationId
           and (:workspaceId::uuid is null or workspace_id = :workspaceId) and status <> 'pending'
         returning ${selectList(DELIVERY)}`,
        { id, organizationId: scope.organizationId, workspaceId: scope.workspaceId ?? null },
      ),
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
      await run(
        handle,
        `with attempt as (
           update webhook_attempts set outcome = :outcome, status_code = :statusCode, reason = :reason,
                  response_excerpt = :responseExcerpt, finished_at = now()
           where delivery_id = :deliveryId and replay = :replay and attempt = :attempt
         ), receiver as (
           select workspace_id, url, sha256(convert_to(url, 'UTF8')) url_hash, :outcome = 'delivered' works
           from webhook_deliveries where id = :deliveryId
         ), success as (
           delete from failing_callbacks f using receiver r
           where r.works and f.workspace_id = r.workspace_id and f.url_hash = r.url_hash
         ), failure as (
           insert into failing_callbacks (workspace_id, url_hash, url)
           select workspace_id, url_hash, url from receiver where not works
           on conflict (workspace_id, url_hash) do update set last_failed_at = now()
         )
         update webhook_deliveries set status = :end, completed_at = now()
         where id = :deliveryId and status <> 'delivered'
           and (:end::text = 'delivered' or (:end = 'stopped' and replays = :replay))`,
        { ...result, deliveryId, replay, attempt, end },
      );
    },
  };
}

/** Builds the method that ends a delivery without another attempt. */
function deliveryEnds(handle: Handle) {
  return {
    /** Ends the delivery. Does nothing if it is over, or a later replay has taken over. */
    async giveUp(id: string, replay: number, status: 'exhausted' | 'stopped'): Promise<void> {
      await run(
        handle,
        `update webhook_deliveries set status = :status, completed_at = now()
         where id = :id and replays = :replay and status = 'pending'`,
        { id, replay, status },
      );
    },
  };
}
