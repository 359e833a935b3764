/**
 * The task queues of workers. This file has all names shared between processes: workflow types, their deterministic
 * ids, task queues, search attributes and inputs. Inputs carry ids and small facts only; prompts, media and credentials
 * never enter a history.
 */
export const QUEUES = {
  video: 'video',
  webhooks: 'webhooks',
  broadcast: 'broadcast',
  'provider-io': 'provider-io',
  directory: 'directory',
  maintenance: 'maintenance',
} as const;
export type QueueName = keyof typeof QUEUES;

export const WORKFLOWS = {
  generateVideo: 'generateVideo',
  deliverWebhook: 'deliverWebhook',
  deliverBroadcast: 'deliverBroadcast',
  validatePrivateEndpoint: 'validatePrivateEndpoint',
  syncDirectory: 'syncDirectory',
  keepSweeping: 'keepSweeping',
  expireOutputs: 'expireOutputs',
  forgetAnswers: 'forgetAnswers',
  expireBodies: 'expireBodies',
  keepPartitions: 'keepPartitions',
  closeRankings: 'closeRankings',
  applyRetention: 'applyRetention',
} as const;

export const SCHEDULES = {
  sweeping: 'sluice-sweeping',
  expireOutputs: 'sluice-expire-outputs',
  forgetAnswers: 'sluice-forget-answers',
  expireBodies: 'sluice-expire-bodies',
  partitions: 'sluice-partitions',
  closeRankings: 'sluice-close-rankings',
  retention: 'sluice-retention',
} as const;

/** The search attributes. Temporal's dev server allows ten keywords in all, so a sixth needs an ADR. */
export const SEARCH_ATTRIBUTES = {
  kind: 'SluiceKind',
  workspaceId: 'SluiceWorkspaceId',
  model: 'SluiceModel',
  provider: 'SluiceProvider',
  status: 'SluiceStatus',
} as const;

export const SIGNALS = {
  cancel: 'cancel',
  providerCallback: 'providerCallback',
  /** Sent when a destination's log has new rows. */
  nudge: 'nudge',
  /** Sent when a destination was edited, or when dead letters must be sent again. The pump stops waiting. */
  changed: 'changed',
  /** Sent when a sync of the organization waits for its run. Carries the id of the job. */
  nextJob: 'nextJob',
} as const;

export interface GenerateVideoInput {
  jobId: string;
  organizationId: string;
  workspaceId: string;
  model: string;
  provider: string;
}

export interface DeliverWebhookInput {
  deliveryId: string;
  workspaceId: string;
  /** Absent: the event belongs to no job. */
  jobId?: string;
  /** 0 is the first delivery; each replay adds one. */
  replay: number;
  schedule: WebhookSchedule;
}

export interface DeliverBroadcastInput {
  destinationId: string;
  workspaceId: string;
  /** The type of the destination. */
  type: string;
}

export interface ValidatePrivateEndpointInput {
  validationId: string;
  endpointId: string;
  workspaceId: string;
}

export interface SyncDirectoryInput {
  jobId: string;
  organizationId: string;
}

export interface KeepSweepingInput {
  forMs: number;
}

export interface WebhookSchedule {
  /** The wait before each attempt, in seconds. The length is the number of attempts. */
  seconds: number[];
  /**
   * The largest share by which a wait is extended at random, so that receivers that failed together are retried apart.
   */
  jitter: number;
}

/**
 * The first attempt is immediate. Each next one waits 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the one
 * before.
 */
export const WEBHOOK_SCHEDULE_SECONDS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

const WEBHOOK_JITTER = 0.1;

/** Returns the schedule of a delivery from the waits that the operator configured. */
export function webhookScheduleOf(seconds: number[]): WebhookSchedule {
  return { seconds, jitter: WEBHOOK_JITTER };
}

export function videoWorkflowId(jobId: string): string {
  return jobId;
}

export function webhookWorkflowId(deliveryId: string, replay: number): string {
  return replay === 0 ? `webhook-${deliveryId}` : `webhook-${deliveryId}-r${replay}`;
}

export function broadcastWorkflowId(destinationId: string): string {
  return `broadcast-${destinationId}`;
}

export function validationWorkflowId(endpointId: string, validationId: string): string {
  return `validate-${endpointId}-${validationId}`;
}

/** Returns one id per organization, so that its runs do not overlap. */
export function directoryWorkflowId(organizationId: string): string {
  return `directory-sync-${organizationId}`;
}
