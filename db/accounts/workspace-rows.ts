/** Lists the columns of workspaces, and selects a workspace by its id or slug. */
import { PROVIDER_SORTS, type Workspace, type WorkspaceReference } from '../../domain/accounts/workspace.ts';
import type { DeliveredEventType } from '../../domain/webhooks/webhook-event.ts';
import { needsContent } from '../needs-content.ts';
import * as column from '../postgres/shape.ts';
import { type RowOf, selectList } from '../postgres/shape.ts';
import { tables } from '../postgres/statement.ts';
import { WEBHOOK_FAILING_SINCE } from '../webhooks/failing-callback-store.ts';

export const WORKSPACE = {
  id: column.uuid,
  organizationId: column.uuid,
  name: column.text,
  slug: column.text,
  description: column.text.orNull,
  createdBy: column.text.orNull,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz.orNull,
  defaultCallbackUrl: column.text.orNull,
  /** Only shown to callers: Sluice has no guardrails. */
  defaultGuardrailId: column.uuid,
  defaultTextModel: column.text.orNull,
  defaultImageModel: column.text.orNull,
  defaultProviderSort: column.oneOf(PROVIDER_SORTS).orNull,
  disabledServerTools: column.texts.orNull,
  ioLoggingApiKeyIds: column.int8s.orNull,
  ioLoggingSamplingRate: column.float8,
  /** Stored, without effect. */
  isDataDiscountLoggingEnabled: column.bool,
  isObservabilityBroadcastEnabled: column.bool,
  isObservabilityIoLoggingEnabled: column.bool,
  includeByokInBudgets: column.bool,
  webhookEventTypes: column.texts.orNull,
  budgetAlertThresholds: column.int2s,
  // Computed: see the expressions below.
  webhookFailingSince: column.timestamptz.orNull,
  hasDestinations: column.bool,
  needsBroadcastContent: column.bool,
};

/** The columns of WORKSPACE, for Knex. */
export const WORKSPACE_COLUMNS = tables.raw(
  selectList(WORKSPACE, 'workspaces', {
    webhookFailingSince: WEBHOOK_FAILING_SINCE,
    hasDestinations: 'exists (select from observability_destinations d where d.workspace_id = workspaces.id)',
    needsBroadcastContent: needsContent('workspaces.id'),
  }),
);

/** Builds a query of the workspace with this id or slug. */
export function workspaceBy(organizationId: string, reference: WorkspaceReference) {
  return tables('workspaces').where({ organization_id: organizationId, deleted_at: null, ...reference });
}

export function toWorkspace(row: RowOf<typeof WORKSPACE>): Workspace {
  return {
    ...row,
    ioLoggingApiKeyIds: row.ioLoggingApiKeyIds?.map(Number) ?? null,
    webhookEventTypes: row.webhookEventTypes as DeliveredEventType[] | null,
  };
}
