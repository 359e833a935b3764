import { chatOperations } from './live/chat.ts';
import { completionOperations } from './live/completions.ts';
import { messageOperations } from './live/messages.ts';
import { responseOperations } from './live/responses.ts';
import { embeddingOperations } from './live/embeddings.ts';
import { rerankOperations } from './live/rerank.ts';
import { cohereRerankOperations } from './live/cohere-rerank.ts';
import { imageOperations } from './live/images.ts';
import { speechOperations } from './live/speech.ts';
import { imageModelOperations } from './catalog/image-models.ts';
import { modelOperations } from './catalog/models.ts';
import { openAiModelOperations } from './catalog/openai-model.ts';
import { generationOperations } from './insights/generations.ts';
import { generationListOperations } from './insights/generation-list.ts';
import { analyticsOperations } from './insights/analytics.ts';
import { activityOperations } from './insights/activity.ts';
import { problemOperations } from './insights/problems.ts';
import { classifierOperations } from './insights/classifiers.ts';
import { rankingOperations } from './insights/rankings.ts';
import { videoOperations } from './videos/videos.ts';
import { videoTimelineOperations } from './videos/video-timeline.ts';
import { providerCallbackOperations } from './videos/provider-callbacks.ts';
import { presetOperations } from './presets/presets.ts';
import { currentKeyOperations } from './accounts/current-key.ts';
import { keyOperations } from './accounts/keys.ts';
import { endUserOperations } from './accounts/end-users.ts';
import { auditLogOperations } from './accounts/audit-log.ts';
import { consoleSessionOperations } from './accounts/console-sessions.ts';
import { creditOperations } from './accounts/credits.ts';
import { organizationOperations } from './accounts/organization.ts';
import { workspaceOperations } from './accounts/workspaces.ts';
import { workspaceMemberOperations } from './accounts/workspace-members.ts';
import { workspaceBudgetOperations } from './accounts/workspace-budgets.ts';
import { workspaceWebhookOperations } from './accounts/workspace-webhooks.ts';
import { webhookDeliveryOperations } from './webhooks/webhook-deliveries.ts';
import { destinationOperations } from './broadcast/destinations.ts';
import { destinationPreviewOperations } from './broadcast/destination-preview.ts';
import { destinationDeliveryOperations } from './broadcast/destination-deliveries.ts';
import { privateEndpointOperations } from './endpoints/private-endpoints.ts';
import { byokKeyOperations } from './endpoints/byok-keys.ts';
import { validationOperations } from './endpoints/endpoint-validation.ts';
import { scimTokenOperations } from './directory/scim-tokens.ts';
import { scimUserOperations } from './directory/scim-users.ts';
import { scimGroupOperations } from './directory/scim-groups.ts';
import { scimDiscoveryOperations } from './directory/scim-discovery.ts';
import { groupOperations } from './directory/groups.ts';
import { mappingOperations } from './directory/mappings.ts';
import { sourceOperations } from './directory/source.ts';
import { syncJobOperations } from './directory/sync-jobs.ts';
import { internOperations } from './interns/interns.ts';
import { internKeyOperations } from './interns/intern-keys.ts';
import { vaultOperations } from './interns/vault.ts';
import { daemonOperations } from './interns/daemon.ts';
import { egressOperations } from './interns/egress.ts';
import { egressLogOperations } from './interns/egress-log.ts';
import { healthOperations } from './health.ts';

/** All operations by their id. Router, validation and docs/openapi.json are derived from this object. */
export const operations = {
  ...chatOperations,
  ...completionOperations,
  ...messageOperations,
  ...responseOperations,
  ...embeddingOperations,
  ...rerankOperations,
  ...cohereRerankOperations,
  ...imageOperations,
  ...speechOperations,
  ...imageModelOperations,
  ...modelOperations,
  ...openAiModelOperations,
  ...generationOperations,
  ...generationListOperations,
  ...analyticsOperations,
  ...activityOperations,
  ...problemOperations,
  ...classifierOperations,
  ...rankingOperations,
  ...videoOperations,
  ...videoTimelineOperations,
  ...providerCallbackOperations,
  ...presetOperations,
  ...currentKeyOperations,
  ...keyOperations,
  ...endUserOperations,
  ...auditLogOperations,
  ...consoleSessionOperations,
  ...creditOperations,
  ...organizationOperations,
  ...workspaceOperations,
  ...workspaceMemberOperations,
  ...workspaceBudgetOperations,
  ...workspaceWebhookOperations,
  ...webhookDeliveryOperations,
  ...destinationOperations,
  ...destinationPreviewOperations,
  ...destinationDeliveryOperations,
  ...privateEndpointOperations,
  ...byokKeyOperations,
  ...validationOperations,
  ...scimTokenOperations,
  ...scimUserOperations,
  ...scimGroupOperations,
  ...scimDiscoveryOperations,
  ...groupOperations,
  ...mappingOperations,
  ...sourceOperations,
  ...syncJobOperations,
  ...internOperations,
  ...internKeyOperations,
  ...vaultOperations,
  ...daemonOperations,
  ...egressOperations,
  ...egressLogOperations,
  ...healthOperations,
};

export type OperationId = keyof typeof operations;
