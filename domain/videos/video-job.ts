import { limitTrace } from '../broadcast/limit-facts.ts';
import type { Modality } from '../modality.ts';
import type { JobStatus } from './job.ts';
import type { Nanos } from '../money.ts';
import type { ClientFacts } from '../principal.ts';
import type { ShapedRequest, VideoRequest } from './video-request.ts';
import type { DeliveryStatus } from '../webhooks/webhook-delivery.ts';

/** A video job as readers see it. */
export interface VideoJob {
  id: string;
  generationId: string;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  model: string;
  provider: string;
  status: JobStatus;
  /** The public sentence of a job that ended without a video. */
  error?: string;
  /** Billed: of a completed job, and of a cancelled one that cost something. */
  costNanos?: Nanos;
  isByok: boolean;
  /** Files that are still held, in order; empty after they expired. */
  outputs: JobOutput[];
  outputsExpireAt?: Date;
  cancelRequestedAt?: Date;
  createdAt: Date;
  /** When a provider accepted it. */
  submittedAt?: Date;
  /** When it expires unless it has ended. It moves when a provider accepts the job. */
  deadlineAt: Date;
  /** What the provider last reported, 0 to 100; absent while it has reported nothing. */
  progressPercent?: number;
  /** Absent without a callback URL, and at the end of a job whose event the default URL does not receive. */
  webhook?: JobWebhook;
  endedAt?: Date;
}

/** How far the delivery of a job's event has come. */
export interface JobWebhook {
  /** Pending also while the job is open and there is nothing to deliver yet. */
  state: DeliveryStatus;
  /** Of the first delivery and of all replays. */
  attempts: number;
  /** The HTTP status that the latest finished attempt was answered with; null where it got no answer. */
  lastStatus: number | null;
}

export interface JobOutput {
  index: number;
  objectKey: string;
  contentType: string;
  bytes: number;
}

/** What is written when a job is accepted. */
export interface NewVideoJob {
  id: string;
  generationId: string;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  model: string;
  provider: string;
  /** Candidates in order; a certain refusal moves on to the next. */
  endpointIds: string[];
  /** Deleted when the job ends. */
  request: VideoRequest;
  requestFacts: RequestFacts;
  client: ClientFacts;
  previousJobId?: string;
  callbackUrl?: string;
  priceNanos: Nanos;
  isByok: boolean;
  /** The customer's own credential; absent for the operator's. */
  credentialId?: string;
  deadlineAt: Date;
  createdAt: Date;
}

/** The facts about its request that a job keeps after the prompt and the media are deleted. */
export interface RequestFacts {
  /** The shape with the defaults of the endpoint that fixed the price. */
  shaped: ShapedRequest;
  sessionId?: string;
  /** The caller's own id of the end user. */
  user?: string;
  /** How many frames and references the request named. */
  mediaCount: number;
  inputModalities: Modality[];
  /** Observability metadata for destinations, without the largest keys where it is too large to be kept. */
  trace?: Record<string, unknown>;
}

/** The largest trace that a job keeps, as JSON. It leaves room for the other facts that destinations receive. */
const MAX_TRACE_BYTES = 15 * 1024;

/** Returns what a job keeps of a request. */
export function requestFacts(request: VideoRequest, shaped: ShapedRequest): RequestFacts {
  const { frameImages = [], inputReferences = [], sessionId, user, trace } = request;
  return {
    shaped,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(user === undefined ? {} : { user }),
    mediaCount: frameImages.length + inputReferences.length,
    inputModalities: inputModalitiesOf(request),
    ...(trace === undefined ? {} : { trace: limitTrace(trace, MAX_TRACE_BYTES) }),
  };
}

function inputModalitiesOf({ prompt, frameImages = [], inputReferences = [] }: VideoRequest): Modality[] {
  const modalities = new Set<Modality>(inputReferences.map(({ kind }) => kind));
  if (frameImages.length > 0) modalities.add('image');
  if (prompt !== undefined) modalities.add('text');
  return [...modalities];
}
