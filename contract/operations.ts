import { liveOperations } from './live/live-operations.ts';
import { listActivity } from './insights/activity.ts';
import { getAnalyticsMeta, queryAnalytics } from './insights/analytics.ts';
import { listAuditLog } from './accounts/audit-log.ts';
import {
  listObservabilityDeadLetters,
  listObservabilityDeliveries,
  replayObservabilityDeadLetters,
  testObservabilityDestination,
} from './broadcast/destination-deliveries.ts';
import { previewObservabilityDestination } from './broadcast/destination-preview.ts';
import {
  createObservabilityDestination,
  deleteObservabilityDestination,
  getObservabilityDestination,
  listObservabilityDestinations,
  updateObservabilityDestination,
} from './broadcast/destinations.ts';
import {
  addClassifierTags,
  createClassifier,
  getClassifier,
  listClassifiers,
  updateClassifier,
} from './insights/classifiers.ts';
import { getCredits } from './accounts/credits.ts';
import {
  getScimResourceType,
  getScimSchema,
  getScimServiceProviderConfig,
  listScimResourceTypes,
  listScimSchemas,
} from './directory/scim-discovery.ts';
import {
  createProvisionedGroup,
  deleteProvisionedGroup,
  getProvisionedGroup,
  listProvisionedGroups,
  patchProvisionedGroup,
  replaceProvisionedGroup,
} from './directory/scim-groups.ts';
import {
  createProvisionedUser,
  deleteProvisionedUser,
  getProvisionedUser,
  listProvisionedUsers,
  patchProvisionedUser,
  replaceProvisionedUser,
} from './directory/scim-users.ts';
import { createScimToken, deleteScimToken, listScimTokens } from './directory/scim-tokens.ts';
import { listScimGroups } from './directory/groups.ts';
import {
  createScimGroupMapping,
  deleteScimGroupMapping,
  getScimGroupMapping,
  listScimGroupMappings,
  updateScimGroupMapping,
} from './directory/mappings.ts';
import { deleteScimSource, getScimSource, setScimSource } from './directory/source.ts';
import {
  createScimSyncJob,
  getScimSyncJob,
  listScimSyncChanges,
  listScimSyncJobs,
} from './directory/sync-jobs.ts';
import {
  createByokKey,
  deleteByokKey,
  getByokKey,
  listByokKeys,
  updateByokKey,
} from './endpoints/byok-keys.ts';
import {
  createEndUser,
  deleteEndUser,
  getEndUser,
  listEndUsers,
  updateEndUser,
} from './accounts/end-users.ts';
import {
  activatePrivateEndpoint,
  createPrivateEndpoint,
  deletePrivateEndpoint,
  disablePrivateEndpoint,
  enablePrivateEndpoint,
  getPrivateEndpoint,
  listPrivateEndpoints,
  setPrivateEndpointPricing,
  updatePrivateEndpoint,
} from './endpoints/private-endpoints.ts';
import { validatePrivateEndpoint } from './endpoints/validation-operation.ts';
import { getGeneration, getGenerationContent } from './insights/generations.ts';
import { checkHealth, checkReadiness } from './health.ts';
import {
  countModels,
  getModel,
  listEmbeddingsModels,
  listModelEndpoints,
  listModels,
  listProviders,
  listUserModels,
  listZdrEndpoints,
} from './catalog/models.ts';
import {
  getOrganizationSettings,
  listOrganizationMembers,
  updateOrganizationSettings,
} from './accounts/organization.ts';
import { getOpenAiModel, getOpenAiModelByName } from './catalog/openai-model.ts';
import { listImageModelEndpoints, listImageModels } from './catalog/image-models.ts';
import { programmeOperations } from './interns/programme-operations.ts';
import {
  createKey,
  deleteKey,
  getCurrentKey,
  getCurrentKeyAtFormerPath,
  getKey,
  listKeys,
  updateKey,
} from './accounts/keys.ts';
import {
  createPresetFromChatCompletion,
  createPresetFromMessages,
  createPresetFromResponse,
  deletePreset,
  getPreset,
  getPresetVersion,
  listPresets,
  listPresetVersions,
  updatePreset,
} from './presets/presets.ts';
import { receiveJobCallback, receiveProviderCallback } from './videos/provider-callbacks.ts';
import { getAppRankings, getModelRankings } from './insights/rankings.ts';
import {
  cancelVideo,
  createVideo,
  getVideo,
  getVideoContent,
  getVideoOutput,
  listVideoModels,
  listVideos,
} from './videos/videos.ts';
import { getVideoTimeline } from './videos/video-timeline.ts';
import { listWebhookDeliveries, replayWebhookDelivery } from './webhooks/webhook-deliveries.ts';
import { testWebhook } from './accounts/webhook-test.ts';
import {
  deleteWorkspaceBudget,
  getWorkspaceBudget,
  listWorkspaceBudgets,
  setWorkspaceBudget,
} from './accounts/workspace-budgets.ts';
import {
  addWorkspaceMembers,
  listWorkspaceMembers,
  removeWorkspaceMembers,
} from './accounts/workspace-members.ts';
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  rotateWebhookSecret,
  updateWorkspace,
} from './accounts/workspaces.ts';

/** Every operation, by its id. Router, validation and docs/openapi.json are made from this and nothing else. */
export const operations = {
  ...liveOperations,
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
  ...programmeOperations,
  receiveJobCallback,
  receiveProviderCallback,
  checkHealth,
  checkReadiness,
};

export type OperationId = keyof typeof operations;
