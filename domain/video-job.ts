import type { JobStatus } from './job.ts';
import type { Nanos } from './money.ts';
import type { ClientFacts } from './principal.ts';
import type { ShapedRequest, VideoRequest } from './video-request.ts';

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
  /** Billed; only when completed. */
  costNanos?: Nanos;
  isByok: boolean;
  /** Files that are still held, in order; empty after they expired. */
  outputs: JobOutput[];
  outputsExpireAt?: Date;
  cancelRequestedAt?: Date;
  createdAt: Date;
  endedAt?: Date;
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
  request: StoredRequest;
  client: ClientFacts;
  previousJobId?: string;
  callbackUrl?: string;
  priceNanos: Nanos;
  isByok: boolean;
  deadlineAt: Date;
  createdAt: Date;
}

/** The request as kept with the job. The `shaped` defaults are those of the endpoint that fixed the price. */
export interface StoredRequest extends VideoRequest {
  shaped: ShapedRequest;
}
