/** Defines video jobs, their outputs, and the facts that a job keeps of its request. */
import { limitTrace } from '../broadcast/limit-facts.ts';
import type { Modality } from '../modality.ts';
import type { VendorReport } from '../catalog/video-meters.ts';
import type { BillingFlag } from './billing-flag.ts';
import type { JobStatus } from './job.ts';
import type { Nanos } from '../money.ts';
import type { ClientFacts } from '../principal.ts';
import type { WaitReason } from './wait-reason.ts';
import type { JobTerms } from './video-price.ts';
import type { ShapedRequest, VideoRequest } from './video-request.ts';
import type { AttemptOutcome, DeliveryStatus } from '../webhooks/webhook-delivery.ts';

/** A video job as read operations return it. */
export interface VideoJob {
  id: string;
  generationId: string;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  model: string;
  provider: string;
  status: JobStatus;
  /** The public message of a job that ended without a video. */
  error?: string | undefined;
  /** The billed amount of a completed job, or of a cancelled job with a cost. */
  costNanos?: Nanos | undefined;
  /** The units that the provider reported as billed. */
  report?: VendorReport | undefined;
  billingFlag?: BillingFlag | undefined;
  isByok: boolean;
  /** The stored files, in order; empty after they expired. */
  outputs: JobOutput[];
  outputsExpireAt?: Date | undefined;
  cancelRequestedAt?: Date | undefined;
  createdAt: Date;
  /** The time at which a provider accepted the job. */
  submittedAt?: Date | undefined;
  /** The time at which an open job expires. It moves when a provider accepts the job. */
  deadlineAt: Date;
  /** The progress that the provider last reported, 0 to 100; absent before the first report. */
  progressPercent?: number | undefined;
  /** The reason why a pending job waits; absent during its submission. */
  waiting?: JobWait | undefined;
  /** Absent without a callback URL, and at the end of a job whose event type the default URL does not receive. */
  webhook?: JobWebhook | undefined;
  endedAt?: Date | undefined;
}

/** The wait of a job that no provider has accepted yet. */
export interface JobWait {
  reason: WaitReason;
  /** The time since which the job waits for this reason. */
  since: Date;
  /** The earliest time of the next submission; absent before the first one. */
  nextTryAt?: Date | undefined;
}

/** The delivery state of a job's event. */
export interface JobWebhook {
  /** The state of the delivery. It is also `pending` while the job is open and nothing can be delivered yet. */
  state: DeliveryStatus;
  /** The attempts of the first delivery and of all replays. */
  attempts: number;
  /** The HTTP status of the latest finished attempt; null if it got no answer. */
  lastStatus: number | null;
  /** The outcome of the latest finished attempt; null before its end. */
  lastOutcome: AttemptOutcome | null;
  /** The reason why the latest finished attempt failed; null if it did not. It holds no address. */
  lastReason: string | null;
}

export interface JobOutput {
  index: number;
  objectKey: string;
  contentType: string;
  bytes: number;
}

/** The fields written when a job is accepted. */
export interface NewVideoJob {
  id: string;
  generationId: string;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  model: string;
  provider: string;
  /** Candidates in order. After a certain refusal the next one is tried. */
  endpointIds: string[];
  /** Deleted when the job ends. */
  request: VideoRequest;
  requestFacts: RequestFacts;
  client: ClientFacts;
  previousJobId?: string | undefined;
  callbackUrl?: string | undefined;
  /** The amount that is reserved: the price, or the most that a job with terms can cost. */
  priceNanos: Nanos;
  /** The prices of a job whose cost is known at its end only (ADR 0091). */
  terms?: JobTerms | undefined;
  isByok: boolean;
  /** The customer's own credential; absent: the operator's. */
  credentialId?: string | undefined;
  deadlineAt: Date;
  createdAt: Date;
}

/** The facts about the request that remain after prompt and media are deleted. */
export interface RequestFacts {
  /** The shape with the defaults of the endpoint whose price applies. */
  shaped: ShapedRequest;
  /** True: the video is made from another one. */
  hasVideoInput?: boolean | undefined;
  /** The versions of the prices at acceptance, by endpoint. Absent for jobs of earlier versions. */
  priceVersions?: Record<string, number> | undefined;
  sessionId?: string | undefined;
  /** The caller's own id of the end user. */
  user?: string | undefined;
  /** The number of frames and references in the request. */
  mediaCount: number;
  inputModalities: Modality[];
  /** Observability metadata for destinations. The largest keys are removed if the whole is too large. */
  trace?: Record<string, unknown> | undefined;
}

/** The largest trace that a job keeps, in bytes of JSON. The rest is left for the other facts for destinations. */
const MAX_TRACE_BYTES = 15 * 1024;

/** Returns the facts about a request that its job keeps. */
export function requestFacts(request: VideoRequest, shaped: ShapedRequest): RequestFacts {
  const { frameImages = [], inputReferences = [], sessionId, user, trace } = request;
  return {
    shaped,
    sessionId,
    user,
    mediaCount: frameImages.length + inputReferences.length,
    inputModalities: inputModalitiesOf(request),
    trace: trace && limitTrace(trace, MAX_TRACE_BYTES),
  };
}

function inputModalitiesOf({ prompt, frameImages = [], inputReferences = [] }: VideoRequest): Modality[] {
  const modalities = new Set<Modality>(inputReferences.map(({ kind }) => kind));
  if (frameImages.length > 0) modalities.add('image');
  if (prompt !== undefined) modalities.add('text');
  return [...modalities];
}
