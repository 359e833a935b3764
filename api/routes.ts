import type { OperationId } from '../contract/operations.ts';
import type { Route } from './http/route.ts';
import { liveRoutes } from './live/live-routes.ts';
import { listAuditLog } from './accounts/audit/list-audit-log.ts';
import { listActivity } from './insights/activity/list-activity.ts';
import { getAnalyticsMeta } from './insights/analytics/get-analytics-meta.ts';
import { queryAnalytics } from './insights/analytics/query-analytics.ts';
import { addClassifierTags } from './insights/classifiers/add-classifier-tags.ts';
import { createClassifier } from './insights/classifiers/create-classifier.ts';
import { getClassifier } from './insights/classifiers/get-classifier.ts';
import { listClassifiers } from './insights/classifiers/list-classifiers.ts';
import { updateClassifier } from './insights/classifiers/update-classifier.ts';
import { getCredits } from './accounts/credits/get-credits.ts';
import { getAppRankings } from './insights/rankings/get-app-rankings.ts';
import { getModelRankings } from './insights/rankings/get-model-rankings.ts';
import { createScimGroupMapping } from './directory/create-scim-group-mapping.ts';
import { deleteScimGroupMapping } from './directory/delete-scim-group-mapping.ts';
import { getScimGroupMapping } from './directory/get-scim-group-mapping.ts';
import { listScimGroupMappings } from './directory/list-scim-group-mappings.ts';
import { listScimGroups } from './directory/list-scim-groups.ts';
import { updateScimGroupMapping } from './directory/update-scim-group-mapping.ts';
import { createScimSyncJob } from './directory/create-scim-sync-job.ts';
import { deleteScimSource } from './directory/delete-scim-source.ts';
import { getScimSource } from './directory/get-scim-source.ts';
import { getScimSyncJob } from './directory/get-scim-sync-job.ts';
import { listScimSyncChanges } from './directory/list-scim-sync-changes.ts';
import { listScimSyncJobs } from './directory/list-scim-sync-jobs.ts';
import { setScimSource } from './directory/set-scim-source.ts';
import { createEndUser } from './accounts/end-users/create-end-user.ts';
import { deleteEndUser } from './accounts/end-users/delete-end-user.ts';
import { getEndUser } from './accounts/end-users/get-end-user.ts';
import { listEndUsers } from './accounts/end-users/list-end-users.ts';
import { updateEndUser } from './accounts/end-users/update-end-user.ts';
import {
  getScimResourceType,
  getScimSchema,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  listScimSchemas,
} from './directory/scim/discovery.ts';
import { listProvisionedUsers } from './directory/scim/list-users.ts';
import { createProvisionedUser } from './directory/scim/create-user.ts';
import { getProvisionedUser } from './directory/scim/get-user.ts';
import { replaceProvisionedUser } from './directory/scim/replace-user.ts';
import { patchProvisionedUser } from './directory/scim/patch-user.ts';
import { deleteProvisionedUser } from './directory/scim/delete-user.ts';
import { listProvisionedGroups } from './directory/scim/list-groups.ts';
import { createProvisionedGroup } from './directory/scim/create-group.ts';
import { getProvisionedGroup } from './directory/scim/get-group.ts';
import { replaceProvisionedGroup } from './directory/scim/replace-group.ts';
import { patchProvisionedGroup } from './directory/scim/patch-group.ts';
import { deleteProvisionedGroup } from './directory/scim/delete-group.ts';
import { createScimToken } from './directory/create-scim-token.ts';
import { deleteScimToken } from './directory/delete-scim-token.ts';
import { listScimTokens } from './directory/list-scim-tokens.ts';
import { activatePrivateEndpoint } from './endpoints/activate-private-endpoint.ts';
import { createPrivateEndpoint } from './endpoints/create-private-endpoint.ts';
import { deletePrivateEndpoint } from './endpoints/delete-private-endpoint.ts';
import { getPrivateEndpoint } from './endpoints/get-private-endpoint.ts';
import { listPrivateEndpoints } from './endpoints/list-private-endpoints.ts';
import { setPrivateEndpointPricing } from './endpoints/set-private-endpoint-pricing.ts';
import { updatePrivateEndpoint } from './endpoints/update-private-endpoint.ts';
import { disablePrivateEndpoint, enablePrivateEndpoint } from './endpoints/switch-private-endpoint.ts';
import { createByokKey } from './endpoints/create-byok-key.ts';
import { deleteByokKey } from './endpoints/delete-byok-key.ts';
import { getByokKey } from './endpoints/get-byok-key.ts';
import { listByokKeys } from './endpoints/list-byok-keys.ts';
import { updateByokKey } from './endpoints/update-byok-key.ts';
import { validatePrivateEndpoint } from './endpoints/validate-private-endpoint.ts';
import { getGeneration } from './insights/generations/get-generation.ts';
import { getGenerationContent } from './insights/generations/get-generation-content.ts';
import { checkHealth } from './health/check-health.ts';
import { checkReadiness } from './health/check-readiness.ts';
import { listEmbeddingsModels } from './catalog/list-embeddings-models.ts';
import { countModels } from './catalog/count-models.ts';
import { getModel } from './catalog/get-model.ts';
import { getOpenAiModel, getOpenAiModelByName } from './catalog/get-openai-model.ts';
import { listModelEndpoints } from './catalog/list-model-endpoints.ts';
import { listModels } from './catalog/list-models.ts';
import { listUserModels } from './catalog/list-user-models.ts';
import { listZdrEndpoints } from './catalog/list-zdr-endpoints.ts';
import { listProviders } from './catalog/list-providers.ts';
import { listImageModelEndpoints } from './catalog/list-image-model-endpoints.ts';
import { listImageModels } from './catalog/list-image-models.ts';
import { daemonRoutes } from './interns/daemon-routes.ts';
import { internRoutes } from './interns/intern-routes.ts';
import { vaultRoutes } from './interns/vault-routes.ts';
import { egressRoutes } from './interns/egress-routes.ts';
import { createKey } from './accounts/keys/create-key.ts';
import { deleteKey } from './accounts/keys/delete-key.ts';
import { getCurrentKey, getCurrentKeyAtFormerPath } from './accounts/keys/get-current-key.ts';
import { getKey } from './accounts/keys/get-key.ts';
import { listKeys } from './accounts/keys/list-keys.ts';
import { updateKey } from './accounts/keys/update-key.ts';
import { createObservabilityDestination } from './broadcast/create-destination.ts';
import { deleteObservabilityDestination } from './broadcast/delete-destination.ts';
import { getObservabilityDestination } from './broadcast/get-destination.ts';
import { listObservabilityDeliveries } from './broadcast/list-deliveries.ts';
import { listObservabilityDeadLetters } from './broadcast/list-dead-letters.ts';
import { listObservabilityDestinations } from './broadcast/list-destinations.ts';
import { previewObservabilityDestination } from './broadcast/preview-destination.ts';
import { replayObservabilityDeadLetters } from './broadcast/replay-dead-letters.ts';
import { testObservabilityDestination } from './broadcast/test-destination.ts';
import { updateObservabilityDestination } from './broadcast/update-destination.ts';
import { createPresetFromChatCompletion } from './presets/create-preset-from-chat-completion.ts';
import { createPresetFromMessages } from './presets/create-preset-from-messages.ts';
import { createPresetFromResponse } from './presets/create-preset-from-response.ts';
import { deletePreset } from './presets/delete-preset.ts';
import { getPresetVersion } from './presets/get-preset-version.ts';
import { getPreset } from './presets/get-preset.ts';
import { listPresetVersions } from './presets/list-preset-versions.ts';
import { listPresets } from './presets/list-presets.ts';
import { updatePreset } from './presets/update-preset.ts';
import { receiveJobCallback } from './videos/callbacks/receive-job-callback.ts';
import { receiveProviderCallback } from './videos/callbacks/receive-provider-callback.ts';
import { cancelVideo } from './videos/cancel-video.ts';
import { createVideo } from './videos/create-video.ts';
import { getVideoContent } from './videos/get-video-content.ts';
import { getVideoOutput } from './videos/get-video-output.ts';
import { getVideoTimeline } from './videos/get-video-timeline.ts';
import { getVideo } from './videos/get-video.ts';
import { listVideoModels } from './catalog/list-video-models.ts';
import { listVideos } from './videos/list-videos.ts';
import { listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts';
import { replayWebhookDelivery } from './webhooks/replay-webhook-delivery.ts';
import { testWebhook } from './accounts/workspaces/test-webhook.ts';
import { getOrganizationSettings } from './accounts/organization/get-organization-settings.ts';
import { listOrganizationMembers } from './accounts/organization/list-organization-members.ts';
import { updateOrganizationSettings } from './accounts/organization/update-organization-settings.ts';
import { addWorkspaceMembers } from './accounts/workspaces/add-workspace-members.ts';
import { createWorkspace } from './accounts/workspaces/create-workspace.ts';
import { deleteWorkspaceBudget } from './accounts/workspaces/delete-workspace-budget.ts';
import { deleteWorkspace } from './accounts/workspaces/delete-workspace.ts';
import { getWorkspaceBudget } from './accounts/workspaces/get-workspace-budget.ts';
import { getWorkspace } from './accounts/workspaces/get-workspace.ts';
import { listWorkspaceBudgets } from './accounts/workspaces/list-workspace-budgets.ts';
import { listWorkspaceMembers } from './accounts/workspaces/list-workspace-members.ts';
import { listWorkspaces } from './accounts/workspaces/list-workspaces.ts';
import { removeWorkspaceMembers } from './accounts/workspaces/remove-workspace-members.ts';
import { rotateWebhookSecret } from './accounts/workspaces/rotate-webhook-secret.ts';
import { setWorkspaceBudget } from './accounts/workspaces/set-workspace-budget.ts';
import { updateWorkspace } from './accounts/workspaces/update-workspace.ts';

/** One route for each operation of the contract; a missing one does not compile. */
export const routes: Record<OperationId, Route> = {
  ...liveRoutes,
  listEmbeddingsModels,
  listImageModels,
  listImageModelEndpoints,
  listModels,
  countModels,
  listUserModels,
  getModel,
  getOpenAiModel,
  getOpenAiModelByName,
  listModelEndpoints,
  listZdrEndpoints,
  listProviders,
  getGeneration,
  getGenerationContent,
  createVideo,
  listVideos,
  listVideoModels,
  getVideo,
  getVideoTimeline,
  cancelVideo,
  getVideoContent,
  getVideoOutput,
  createPresetFromMessages,
  createPresetFromChatCompletion,
  createPresetFromResponse,
  listPresets,
  getPreset,
  listPresetVersions,
  getPresetVersion,
  updatePreset,
  deletePreset,
  getCurrentKey,
  getCurrentKeyAtFormerPath,
  listKeys,
  createKey,
  getKey,
  updateKey,
  deleteKey,
  listEndUsers,
  createEndUser,
  getEndUser,
  updateEndUser,
  deleteEndUser,
  listAuditLog,
  getCredits,
  queryAnalytics,
  getAnalyticsMeta,
  listActivity,
  createClassifier,
  listClassifiers,
  getClassifier,
  updateClassifier,
  addClassifierTags,
  getModelRankings,
  getAppRankings,
  listOrganizationMembers,
  getOrganizationSettings,
  updateOrganizationSettings,
  listWorkspaces,
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  listWorkspaceMembers,
  addWorkspaceMembers,
  removeWorkspaceMembers,
  listWorkspaceBudgets,
  getWorkspaceBudget,
  setWorkspaceBudget,
  deleteWorkspaceBudget,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  replayWebhookDelivery,
  listObservabilityDestinations,
  createObservabilityDestination,
  getObservabilityDestination,
  updateObservabilityDestination,
  deleteObservabilityDestination,
  previewObservabilityDestination,
  testObservabilityDestination,
  listObservabilityDeliveries,
  listObservabilityDeadLetters,
  replayObservabilityDeadLetters,
  listPrivateEndpoints,
  createPrivateEndpoint,
  getPrivateEndpoint,
  updatePrivateEndpoint,
  deletePrivateEndpoint,
  setPrivateEndpointPricing,
  activatePrivateEndpoint,
  enablePrivateEndpoint,
  disablePrivateEndpoint,
  listByokKeys,
  createByokKey,
  getByokKey,
  updateByokKey,
  deleteByokKey,
  validatePrivateEndpoint,
  createScimToken,
  listScimTokens,
  deleteScimToken,
  listProvisionedUsers,
  createProvisionedUser,
  getProvisionedUser,
  replaceProvisionedUser,
  patchProvisionedUser,
  deleteProvisionedUser,
  listProvisionedGroups,
  createProvisionedGroup,
  getProvisionedGroup,
  replaceProvisionedGroup,
  patchProvisionedGroup,
  deleteProvisionedGroup,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  getScimResourceType,
  listScimSchemas,
  getScimSchema,
  listScimGroups,
  listScimGroupMappings,
  createScimGroupMapping,
  getScimGroupMapping,
  updateScimGroupMapping,
  deleteScimGroupMapping,
  getScimSource,
  setScimSource,
  deleteScimSource,
  createScimSyncJob,
  listScimSyncJobs,
  getScimSyncJob,
  listScimSyncChanges,
  ...internRoutes,
  ...vaultRoutes,
  ...daemonRoutes,
  ...egressRoutes,
  receiveJobCallback,
  receiveProviderCallback,
  checkHealth,
  checkReadiness,
};
