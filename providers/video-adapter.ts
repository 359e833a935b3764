import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Nanos } from '../domain/money.ts';
import type { CallContext } from './call-context.ts';

/** Plain JSON, opaque to everything but the adapter that made it; kept in `job_submissions.operation`. */
export type VideoOperation = { [key: string]: string | number | boolean | null };

/** The gateway's request with its defaults filled in: what the model's capabilities already allowed. */
export interface VideoSubmitRequest {
  upstreamModel: string;
  /** The same on every retry of one submission; sent only where the vendor promises idempotency. */
  idempotencyKey: string;
  prompt?: string;
  durationSeconds?: number;
  /** Exact pixels; derived from resolution and aspect ratio when the caller gave those. */
  size?: { width: number; height: number };
  resolution?: string;
  aspectRatio?: string;
  seed?: number;
  generateAudio?: boolean;
  frameImages?: { url: string; frameType: 'first_frame' | 'last_frame' }[];
  inputReferences?: { kind: 'image' | 'audio' | 'video'; url: string }[];
  /** The operation of the job to extend or edit. */
  previousOperation?: VideoOperation;
  upscaleFactor?: number;
  creativity?: number;
  /** The caller's `provider.options[<slug>]`, limited to the endpoint's allow-list. */
  passthrough?: Record<string, unknown>;
  /** Where the vendor may tell how the job goes on; set only for an adapter whose `webhook` is `per-job`. */
  callbackUrl?: string;
  /** After this the gateway gives the job up. A vendor that can stop a job by itself is told to, a little later. */
  maxRunSeconds?: number;
}

/** A finished file. The adapter alone knows how to read it (`openOutput`). */
export interface VideoOutput {
  index: number;
  /** The vendor's URL or a path below its base URL. */
  location: string;
}

export type VideoStatus =
  | { state: 'running'; word: string; progressPercent?: number; retryAfterMs?: number }
  | { state: 'completed'; outputs: VideoOutput[]; upstreamCostNanos?: Nanos }
  | { state: 'failed'; word: string; publicMessage: string }
  | { state: 'cancelled'; word: string; upstreamCostNanos?: Nanos }
  | { state: 'expired'; word: string };

/**
 * What a vendor answers that is asked to stop. `stopped`: it took the cancel, or knows no such job; with what it charges,
 * where it says so. `not_stopped`: it is too late, or there is no way to stop a job; `status` tells what becomes of it.
 */
export type CancelAnswer = { kind: 'stopped'; upstreamCostNanos?: Nanos } | { kind: 'not_stopped' };

export interface OpenedOutput {
  body: Readable;
  contentType: string;
  /** From Content-Length; absent when the vendor streams without one. */
  bytes?: number;
}

/** A vendor's callback as it arrived. Nothing in it is trusted: at most it makes the gateway ask the vendor. */
export interface VendorCallback {
  headers: IncomingHttpHeaders;
  /** The very bytes: a signature covers them. */
  body: Buffer;
  nowMs: number;
}

export interface CallbackNote {
  /** The vendor's own id of the job, which the adapter's operations hold as `id`. */
  operationId: string;
  /** Whether the job is over, by the vendor's word. */
  terminal: boolean;
  /** The vendor's state, shown to operators. */
  word: string;
  /** The vendor's signature was checked and fits. False where no secret is configured to check it with. */
  signed: boolean;
}

export interface VideoAdapter {
  /** The vendor documents that a repeated submit with the same key makes one job. */
  readonly idempotentSubmit: boolean;
  readonly webhook: 'per-job' | 'per-project' | 'none';
  /** Says whether the vendor's signing secret is configured, so that `parseCallback` can prove a callback by itself. */
  readonly checksSignatures?: boolean;
  /** Resolves with the vendor's own handle, as soon as the vendor accepted. Throws ProviderError. */
  submit(request: VideoSubmitRequest, context: CallContext): Promise<VideoOperation>;
  status(operation: VideoOperation, context: CallContext): Promise<VideoStatus>;
  /** Asks the vendor to stop. A job that has completed is never `stopped`. May be repeated. */
  cancel?(operation: VideoOperation, context: CallContext): Promise<CancelAnswer>;
  /** The operation that an earlier submit with this key made, or null when there certainly is none. */
  findOperation?(idempotencyKey: string, context: CallContext): Promise<VideoOperation | null>;
  openOutput(output: VideoOutput, operation: VideoOperation, context: CallContext): Promise<OpenedOutput>;
  /** `not_authentic`: not of the vendor's shape, or a signature that was to be checked is missing or wrong. */
  parseCallback?(callback: VendorCallback): CallbackNote | 'not_authentic';
}
