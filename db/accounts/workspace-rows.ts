/** Converts rows of `workspaces` to workspaces, and changed settings to columns. */
import type { DeliveredEventType } from '../../domain/webhooks/webhook-event.ts';
import type { ProviderSort, Workspace, WorkspaceChanges } from '../../domain/accounts/workspace.ts';

/** A row with computed columns. */
export type ShownWorkspaceRow = WorkspaceRow & {
  webhook_failing_since: Date | null;
  has_destinations: boolean;
  needs_broadcast_content: boolean;
};

export interface WorkspaceRow {
  id: string;
  organization_id: string;
  is_default: boolean;
  name: string;
  slug: string;
  description: string | null;
  created_by: string | null;
  created_at: Date;
  updated_at: Date | null;
  default_callback_url: string | null;
  default_guardrail_id: string;
  default_text_model: string | null;
  default_image_model: string | null;
  default_provider_sort: ProviderSort | null;
  disabled_server_tools: string[] | null;
  io_logging_api_key_ids: string[] | null;
  io_logging_sampling_rate: number;
  is_data_discount_logging_enabled: boolean;
  is_observability_broadcast_enabled: boolean;
  is_observability_io_logging_enabled: boolean;
  include_byok_in_budgets: boolean;
  webhook_event_types: DeliveredEventType[] | null;
  budget_alert_thresholds: number[];
  deleted_at: Date | null;
}

/** The column of each setting that can be changed. A setting without a column does not compile. */
const COLUMNS = {
  name: 'name',
  slug: 'slug',
  description: 'description',
  defaultCallbackUrl: 'default_callback_url',
  defaultTextModel: 'default_text_model',
  defaultImageModel: 'default_image_model',
  defaultProviderSort: 'default_provider_sort',
  disabledServerTools: 'disabled_server_tools',
  ioLoggingApiKeyIds: 'io_logging_api_key_ids',
  ioLoggingSamplingRate: 'io_logging_sampling_rate',
  isDataDiscountLoggingEnabled: 'is_data_discount_logging_enabled',
  isObservabilityBroadcastEnabled: 'is_observability_broadcast_enabled',
  isObservabilityIoLoggingEnabled: 'is_observability_io_logging_enabled',
  webhookEventTypes: 'webhook_event_types',
  budgetAlertThresholds: 'budget_alert_thresholds',
} as const satisfies Record<keyof Required<WorkspaceChanges>, keyof WorkspaceRow>;

export function columnsOf(changes: WorkspaceChanges): Partial<WorkspaceRow> {
  const columns = Object.entries(changes).map(([name, value]) => [
    COLUMNS[name as keyof WorkspaceChanges],
    value,
  ]);
  return Object.fromEntries(columns) as Partial<WorkspaceRow>;
}

export function toWorkspace(row: ShownWorkspaceRow): Workspace {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    defaultCallbackUrl: row.default_callback_url,
    defaultGuardrailId: row.default_guardrail_id,
    defaultTextModel: row.default_text_model,
    defaultImageModel: row.default_image_model,
    defaultProviderSort: row.default_provider_sort,
    disabledServerTools: row.disabled_server_tools,
    ioLoggingApiKeyIds: row.io_logging_api_key_ids?.map(Number) ?? null,
    ioLoggingSamplingRate: row.io_logging_sampling_rate,
    isDataDiscountLoggingEnabled: row.is_data_discount_logging_enabled,
    isObservabilityBroadcastEnabled: row.is_observability_broadcast_enabled,
    isObservabilityIoLoggingEnabled: row.is_observability_io_logging_enabled,
    webhookEventTypes: row.webhook_event_types,
    budgetAlertThresholds: row.budget_alert_thresholds,
    includeByokInBudgets: row.include_byok_in_budgets,
    webhookFailingSince: row.webhook_failing_since,
    hasDestinations: row.has_destinations,
    needsBroadcastContent: row.needs_broadcast_content,
  };
}
