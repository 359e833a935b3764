/** Reads which callback URLs of an organization fail now. */
import { CALLBACK_FAILING_AFTER_MS } from '../../domain/webhooks/webhook-event.ts';
import type { Handle } from '../postgres/connection.ts';
import { type RowOf, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const WEBHOOK = {
  workspaceId: uuid,
  workspaceName: text,
  url: text,
  failingSince: timestamptz,
  lastFailedAt: timestamptz,
};
/** A callback URL without a success since its first failure. */
export type FailingWebhook = RowOf<typeof WEBHOOK>;

/**
 * A URL that failed for less than five minutes may have missed one attempt only. One that is not the default URL may be
 * out of use, so it counts for five days after its last failure.
 */
const WEBHOOKS = `
  select w.id "workspaceId", w.name "workspaceName", f.url, f.failing_since "failingSince",
    f.last_failed_at "lastFailedAt"
  from workspaces w join failing_callbacks f on f.workspace_id = w.id
  where w.organization_id = :organizationId and w.deleted_at is null
    and f.failing_since < now() - interval '5 minutes'
    and (f.url = w.default_callback_url
      or f.last_failed_at > now() - interval '${CALLBACK_FAILING_AFTER_MS} milliseconds')
  order by f.failing_since, f.url limit :limit`;

/** Returns up to `limit` callback URLs that fail, those that fail longest first. */
export function failingWebhooks(
  handle: Handle,
  organizationId: string,
  limit: number,
): Promise<FailingWebhook[]> {
  return rowsOf(handle, WEBHOOK, WEBHOOKS, { organizationId, limit });
}
