import type { Principal } from '../domain/principal.ts';
import type { ActivityService } from '../services/insights/activity/activity-service.ts';
import type { AnalyticsService } from '../services/insights/analytics/analytics-service.ts';
import type { AuditLog } from '../services/accounts/audit/audit-log.ts';
import type { GroupsService } from '../services/directory/scim-server/groups-service.ts';
import type { PeopleService } from '../services/directory/scim-server/people-service.ts';
import type { ScimTokenService } from '../services/directory/tokens/scim-token-service.ts';
import type { ScimTokenVerifier } from '../services/directory/tokens/token-verifier.ts';
import type { DestinationService } from '../services/broadcast/destination-service.ts';
import type { CallbackService } from '../services/videos/callbacks/callback-service.ts';
import type { ClassifierService } from '../services/insights/classifiers/classifier-service.ts';
import type { GroupService } from '../services/directory/group-service.ts';
import type { MappingService } from '../services/directory/mapping-service.ts';
import type { SourceService } from '../services/directory/source-service.ts';
import type { SyncJobService } from '../services/directory/sync-job-service.ts';
import type { Entitlement } from '../domain/entitlement.ts';
import type { PrivateEndpointService } from '../services/endpoints/private-endpoint-service.ts';
import type { CredentialService } from '../services/endpoints/credential-service.ts';
import type { EndUserService } from '../services/accounts/end-users/end-user-service.ts';
import type { ValidationService } from '../services/endpoints/validation/validation-service.ts';
import type { InternKeyService } from '../services/interns/intern-key-service.ts';
import type { InternService } from '../services/interns/intern-service.ts';
import type { DaemonService } from '../services/interns/daemon/daemon-service.ts';
import type { EgressLogService } from '../services/interns/egress/egress-log-service.ts';
import type { EgressService } from '../services/interns/egress/egress-service.ts';
import type { ProgrammeGate } from '../services/interns/programme-gate.ts';
import type { VaultService } from '../services/interns/vault/vault-service.ts';
import type { KeyInfo } from '../services/accounts/identity/describe-key.ts';
import type { OwnModels } from '../services/endpoints/own-models.ts';
import type { ModelService } from '../services/catalog/model-service.ts';
import type { CreditTotals } from '../db/ledger/credit-store.ts';
import type { ChatService } from '../services/live/chat/chat-service.ts';
import type { CompletionsService } from '../services/live/completions/completions-service.ts';
import type { EmbeddingsService } from '../services/live/embeddings/embeddings-service.ts';
import type { MessagesService } from '../services/live/messages/messages-service.ts';
import type { GenerationService } from '../services/insights/generation/generation-service.ts';
import type { ImagesService } from '../services/live/images/images-service.ts';
import type { RerankService } from '../services/live/rerank/rerank-service.ts';
import type { SpeechService } from '../services/live/speech/speech-service.ts';
import type { ResponsesService } from '../services/live/responses/responses-service.ts';
import type { KeyVerifier } from '../services/accounts/identity/key-verifier.ts';
import type { UrlSigner } from '../services/videos/url-signer.ts';
import type { KeyService } from '../services/accounts/keys/key-service.ts';
import type { VideoService } from '../services/videos/video-service.ts';
import type { PresetService } from '../services/presets/preset-service.ts';
import type { RankingsService } from '../services/insights/rankings/rankings-service.ts';
import type { DatasetRate } from '../services/rate-limits/dataset-rate.ts';
import type { GenerationRate } from '../services/rate-limits/generation-rate.ts';
import type { WebhookService } from '../services/webhooks/webhook-service.ts';
import type { OrganizationService } from '../services/accounts/organization/organization-service.ts';
import type { BudgetService } from '../services/accounts/workspaces/budget-service.ts';
import type { MemberService } from '../services/accounts/workspaces/member-service.ts';
import type { WorkspaceWebhooks } from '../services/accounts/workspaces/workspace-webhooks.ts';
import type { WorkspaceService } from '../services/accounts/workspaces/workspace-service.ts';

/** All that the routes call. What fails for the caller's sake rejects with an `AppError`. */
export interface Services {
  keys: Pick<KeyVerifier, 'verify'>;
  keyInfo: KeyInfoService;
  apiKeys: KeyService;
  endUsers: EndUserService;
  entitlements: EntitlementService;
  programmeGate: Pick<ProgrammeGate, 'admit'>;
  vault: VaultService;
  daemon: DaemonService;
  auditLog: AuditLog;
  generationRate: Pick<GenerationRate, 'take'>;
  datasetRate: DatasetRate;
  rankings: RankingsService;
  credits: CreditService;
  models: ModelService;
  ownModels: OwnModels;
  chat: ChatService;
  completions: CompletionsService;
  messages: MessagesService;
  responses: ResponsesService;
  embeddings: EmbeddingsService;
  rerank: RerankService;
  images: ImagesService;
  speech: SpeechService;
  generations: GenerationService;
  videos: VideoService;
  urlSigner: UrlSigner;
  webhooks: WebhookService;
  workspaceWebhooks: WorkspaceWebhooks;
  callbacks: CallbackService;
  organization: OrganizationService;
  workspaces: WorkspaceService;
  workspaceMembers: MemberService;
  workspaceBudgets: BudgetService;
  presets: PresetService;
  destinations: DestinationService;
  privateEndpoints: PrivateEndpointService;
  credentials: CredentialService;
  validations: ValidationService;
  scimGroups: GroupService;
  groupMappings: MappingService;
  scimSource: SourceService;
  syncJobs: SyncJobService;
  analytics: AnalyticsService;
  activity: ActivityService;
  directoryPeople: PeopleService;
  directoryGroups: GroupsService;
  scimTokens: ScimTokenService & ScimTokenVerifier;
  classifiers: ClassifierService;
  interns: InternService;
  internKeys: InternKeyService;
  egress: EgressService;
  egressLog: EgressLogService;
  health: HealthService;
}

export interface KeyInfoService {
  describeKey(principal: Principal): Promise<KeyInfo>;
}

export interface CreditService {
  totals(organizationId: string): Promise<CreditTotals>;
}

export interface EntitlementService {
  /** Throws a 403 unless the organization has the entitlement. */
  require(organizationId: string, entitlement: Entitlement): Promise<void>;
}

export interface HealthService {
  /** Bounded in time; never rejects. */
  checkReadiness(): Promise<{ postgres: boolean; temporal: boolean }>;
}

/** A caller's `Idempotency-Key`. */
export interface IdempotencyClaim {
  key: string;
  /** Lower-case hex SHA-256 over operation, path parameters and body. */
  requestHash: string;
}
