/** Converts the body of a workspace request to the settings that change. */
import type { WorkspaceChangesBody } from '../../../contract/accounts/workspace.ts';
import type { WorkspaceChanges } from '../../../domain/accounts/workspace.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';

/** Converts the body to changes. An absent field stays as it is; null clears it. */
export function toWorkspaceChanges(body: WorkspaceChangesBody): WorkspaceChanges {
  const { budget_alert_thresholds: thresholds } = body;
  return withoutUndefined({
    name: body.name,
    slug: body.slug,
    description: body.description,
    defaultCallbackUrl: body.default_callback_url,
    defaultTextModel: body.default_text_model,
    defaultImageModel: body.default_image_model,
    defaultProviderSort: body.default_provider_sort,
    disabledServerTools: body.disabled_server_tools && orNull(body.disabled_server_tools),
    ioLoggingApiKeyIds: body.io_logging_api_key_ids,
    ioLoggingSamplingRate: body.io_logging_sampling_rate,
    isDataDiscountLoggingEnabled: body.is_data_discount_logging_enabled,
    isObservabilityBroadcastEnabled: body.is_observability_broadcast_enabled,
    isObservabilityIoLoggingEnabled: body.is_observability_io_logging_enabled,
    budgetAlertThresholds: thresholds === undefined ? undefined : eachOnce(thresholds ?? []),
    webhookEventTypes: body.webhook_event_types && [...new Set(body.webhook_event_types)],
  });
}

/** Returns the thresholds in ascending order, without duplicates. */
function eachOnce(thresholds: number[]): number[] {
  return [...new Set(thresholds)].toSorted((a, b) => a - b);
}

/** Returns the tools without duplicates. Returns null for an empty list, which disables no tool. */
function orNull(tools: string[]): string[] | null {
  return tools.length === 0 ? null : [...new Set(tools)];
}
