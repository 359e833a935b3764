/** Answers the operations on workspaces. */
import type { WorkspaceChangesBody, WorkspaceRecord } from '../../contract/accounts/workspace.ts';
import type { workspaceOperations } from '../../contract/accounts/workspaces.ts';
import type { Workspace, WorkspaceChanges } from '../../domain/accounts/workspace.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import { actorOf } from '../../domain/principal.ts';
import type { WorkspaceService } from '../../services/accounts/workspaces/workspace-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import type { RoutesOf } from '../http/route.ts';

export const workspaceRoutes: RoutesOf<typeof workspaceOperations, { workspaces: WorkspaceService }> = {
  /** Handles `GET /workspaces`: lists the workspaces of the organization. */
  listWorkspaces: async ({ principal, query }, { services }) => {
    const { workspaces, totalCount } = await services.workspaces.list(principal.organizationId, query);
    return { status: 200, body: { data: workspaces.map(presentWorkspace), total_count: totalCount } };
  },

  /** Handles `POST /workspaces`: creates a workspace in the organization. */
  createWorkspace: (call, { services }) => {
    const { name, slug } = call.body;
    const draft = { ...toWorkspaceChanges(call.body), name, slug };
    return answerIdempotently(
      call,
      (workspace: Workspace) => ({ status: 201, body: { data: presentWorkspace(workspace) } }),
      (once) => services.workspaces.create(call, draft, once),
    );
  },

  /** Handles `GET /workspaces/{id}`: returns one workspace, named by its id or slug. */
  getWorkspace: async ({ principal, params }, { services }) => ({
    status: 200,
    body: { data: presentWorkspace(await services.workspaces.get(principal.organizationId, params.id)) },
  }),

  /** Handles `PATCH /workspaces/{id}`: changes the fields of a workspace that the body names. */
  updateWorkspace: async (call, { services }) => {
    const changes = requireUpdateFields(toWorkspaceChanges(call.body));
    const workspace = await services.workspaces.update(actorOf(call), call.params.id, changes);
    return { status: 200, body: { data: presentWorkspace(workspace) } };
  },

  /** Handles `DELETE /workspaces/{id}`: deletes a workspace with its secrets and inactive keys. */
  deleteWorkspace: async (call, { services }) => {
    await services.workspaces.remove(actorOf(call), call.params.id);
    return { status: 200, body: { deleted: true } };
  },
};

/** Converts the body to changes. An absent field stays as it is; null clears it. */
function toWorkspaceChanges(body: WorkspaceChangesBody): WorkspaceChanges {
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

/** Turns a workspace into the record that responses show. */
function presentWorkspace(workspace: Workspace): WorkspaceRecord {
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
