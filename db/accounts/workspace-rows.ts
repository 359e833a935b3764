/** Lists the columns of workspaces, and selects a workspace by its id or slug. */
import { PROVIDER_SORTS, type Workspace, type WorkspaceReference } from '../../domain/accounts/workspace.ts';
import type { DeliveredEventType } from '../../domain/webhooks/webhook-event.ts';
import { needsContent } from '../needs-content.ts';
import {
  bool,
  float8,
  int2s,
  int8s,
  oneOf,
  type RowOf,
  selectList,
  text,
  texts,
  timestamptz,
  uuid,
} from '../postgres/shape.ts';
import { tables } from '../postgres/statement.ts';
import { WEBHOOK_FAILING_SINCE } from '../webhooks/failing-callback-store.ts';

export const WORKSPACE = {
  id: uuid,
  organizationId: uuid,
  name: text,
  slug: text,
  description: text.orNull,
  createdBy: text.orNull,
  createdAt: timestamptz,
  updatedAt: timestamptz.orNull,
  defaultCallbackUrl: text.orNull,
  /** Only shown to callers: Sluice has no guardrails. */
  defaultGuardrailId: uuid,
  defaultTextModel: text.orNull,
  defaultImageModel: text.orNull,
  defaultProviderSort: oneOf(PROVIDER_SORTS).orNull,
  disabledServerTools: texts.orNull,
  ioLoggingApiKeyIds: int8s.orNull,
  ioLoggingSamplingRate: float8,
  /** Stored, without effect. */
  isDataDiscountLoggingEnabled: bool,
  isObservabilityBroadcastEnabled: bool,
  isObservabilityIoLoggingEnabled: bool,
  includeByokInBudgets: bool,
  webhookEventTypes: texts.orNull,
  budgetAlertThresholds: int2s,
  // Computed: see the expressions below.
  webhookFailingSince: timestamptz.orNull,
  hasDestinations: bool,
  needsBroadcastContent: bool,
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
