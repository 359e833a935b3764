/** Puts the handlers of all resources together and binds them to their operations. */
import { operations } from '../contract/operations.ts';
import type { Services } from './create-services.ts';
import { chatRoutes } from './live/chat.ts';
import { completionRoutes } from './live/completions.ts';
import { messageRoutes } from './live/messages.ts';
import { responseRoutes } from './live/responses.ts';
import { embeddingRoutes } from './live/embeddings.ts';
import { rerankRoutes } from './live/rerank.ts';
import { cohereRerankRoutes } from './live/cohere-rerank.ts';
import { imageRoutes } from './live/images.ts';
import { speechRoutes } from './live/speech.ts';
import { imageModelRoutes } from './catalog/image-models.ts';
import { modelRoutes } from './catalog/models.ts';
import { openAiModelRoutes } from './catalog/openai-model.ts';
import { generationRoutes } from './insights/generations.ts';
import { generationListRoutes } from './insights/generation-list.ts';
import { analyticsRoutes } from './insights/analytics.ts';
import { activityRoutes } from './insights/activity.ts';
import { problemRoutes } from './insights/problems.ts';
import { classifierRoutes } from './insights/classifiers.ts';
import { rankingRoutes } from './insights/rankings.ts';
import { videoRoutes } from './videos/videos.ts';
import { videoTimelineRoutes } from './videos/video-timeline.ts';
import { providerCallbackRoutes } from './videos/provider-callbacks.ts';
import { presetRoutes } from './presets/presets.ts';
import { currentKeyRoutes } from './accounts/current-key.ts';
import { keyRoutes } from './accounts/keys.ts';
import { endUserRoutes } from './accounts/end-users.ts';
import { auditLogRoutes } from './accounts/audit-log.ts';
import { consoleSessionRoutes } from './accounts/console-sessions.ts';
import { creditRoutes } from './accounts/credits.ts';
import { organizationRoutes } from './accounts/organization.ts';
import { workspaceRoutes } from './accounts/workspaces.ts';
import { workspaceMemberRoutes } from './accounts/workspace-members.ts';
import { workspaceBudgetRoutes } from './accounts/workspace-budgets.ts';
import { workspaceWebhookRoutes } from './accounts/workspace-webhooks.ts';
import { webhookDeliveryRoutes } from './webhooks/webhook-deliveries.ts';
import { destinationRoutes } from './broadcast/destinations.ts';
import { destinationPreviewRoutes } from './broadcast/destination-preview.ts';
import { destinationDeliveryRoutes } from './broadcast/destination-deliveries.ts';
import { privateEndpointRoutes } from './endpoints/private-endpoints.ts';
import { byokKeyRoutes } from './endpoints/byok-keys.ts';
import { validationRoutes } from './endpoints/endpoint-validation.ts';
import { scimTokenRoutes } from './directory/scim-tokens.ts';
import { scimUserRoutes } from './directory/scim-users.ts';
import { scimGroupRoutes } from './directory/scim-groups.ts';
import { scimDiscoveryRoutes } from './directory/scim-discovery.ts';
import { groupRoutes } from './directory/groups.ts';
import { mappingRoutes } from './directory/mappings.ts';
import { sourceRoutes } from './directory/source.ts';
import { syncJobRoutes } from './directory/sync-jobs.ts';
import { internRoutes } from './interns/interns.ts';
import { internKeyRoutes } from './interns/intern-keys.ts';
import { vaultRoutes } from './interns/vault.ts';
import { daemonRoutes } from './interns/daemon.ts';
import { egressRoutes } from './interns/egress.ts';
import { egressLogRoutes } from './interns/egress-log.ts';
import { healthRoutes } from './health.ts';
import { bindRoutes, type RoutesOf } from './http/route.ts';

/** The handlers of all operations of the contract; a missing or a wrong one does not compile. */
const handlers: RoutesOf<typeof operations, Services> = {
  ...chatRoutes,
  ...completionRoutes,
  ...messageRoutes,
  ...responseRoutes,
  ...embeddingRoutes,
  ...rerankRoutes,
  ...cohereRerankRoutes,
  ...imageRoutes,
  ...speechRoutes,
  ...imageModelRoutes,
  ...modelRoutes,
  ...openAiModelRoutes,
  ...generationRoutes,
  ...generationListRoutes,
  ...analyticsRoutes,
  ...activityRoutes,
  ...problemRoutes,
  ...classifierRoutes,
  ...rankingRoutes,
  ...videoRoutes,
  ...videoTimelineRoutes,
  ...providerCallbackRoutes,
  ...presetRoutes,
  ...currentKeyRoutes,
  ...keyRoutes,
  ...endUserRoutes,
  ...auditLogRoutes,
  ...consoleSessionRoutes,
  ...creditRoutes,
  ...organizationRoutes,
  ...workspaceRoutes,
  ...workspaceMemberRoutes,
  ...workspaceBudgetRoutes,
  ...workspaceWebhookRoutes,
  ...webhookDeliveryRoutes,
  ...destinationRoutes,
  ...destinationPreviewRoutes,
  ...destinationDeliveryRoutes,
  ...privateEndpointRoutes,
  ...byokKeyRoutes,
  ...validationRoutes,
  ...scimTokenRoutes,
  ...scimUserRoutes,
  ...scimGroupRoutes,
  ...scimDiscoveryRoutes,
  ...groupRoutes,
  ...mappingRoutes,
  ...sourceRoutes,
  ...syncJobRoutes,
  ...internRoutes,
  ...internKeyRoutes,
  ...vaultRoutes,
  ...daemonRoutes,
  ...egressRoutes,
  ...egressLogRoutes,
  ...healthRoutes,
};

/** All routes, one for each operation of the contract. */
export const routes = bindRoutes<Services>(operations, handlers);
