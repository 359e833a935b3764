/** Turns a workspace, or its new webhook secret, into the body of a response. */
import type { WorkspaceRecord } from '../../../contract/accounts/workspace.ts';
import type { RotatedWebhookSecret } from '../../../contract/accounts/workspace-webhooks.ts';
import type { Workspace } from '../../../domain/accounts/workspace.ts';
import type { RotatedSecret } from '../../../services/accounts/workspaces/rotate-secret.ts';

export function presentWorkspace(workspace: Workspace): WorkspaceRecord {
  return {
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt?.toISOString() ?? null,
    created_by: workspace.createdBy,
    budget_alert_thresholds: workspace.budgetAlertThresholds,
    default_guardrail_id: workspace.defaultGuardrailId,
    default_text_model: workspace.defaultTextModel,
    default_image_model: workspace.defaultImageModel,
    default_provider_sort: workspace.defaultProviderSort,
    default_callback_url: workspace.defaultCallbackUrl,
    disabled_server_tools: workspace.disabledServerTools,
    include_byok_in_budgets: workspace.includeByokInBudgets,
    io_logging_api_key_ids: workspace.ioLoggingApiKeyIds,
    io_logging_sampling_rate: workspace.ioLoggingSamplingRate,
    is_data_discount_logging_enabled: workspace.isDataDiscountLoggingEnabled,
    is_observability_broadcast_enabled: workspace.isObservabilityBroadcastEnabled,
    is_observability_io_logging_enabled: workspace.isObservabilityIoLoggingEnabled,
    webhook_event_types: workspace.webhookEventTypes,
    webhook_failing_since: workspace.webhookFailingSince?.toISOString() ?? null,
  };
}

export function presentRotatedSecret({ secret, previousExpiresAt }: RotatedSecret): RotatedWebhookSecret {
  return { data: { secret, previous_secret_expires_at: previousExpiresAt?.toISOString() ?? null } };
}
