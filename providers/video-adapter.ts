/** Defines the interface of adapters for video jobs: submission, status, cancellation, output and callbacks. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { VendorReport } from '../domain/catalog/video-meters.ts';
import type { Nanos } from '../domain/money.ts';
import { ProviderError } from '../domain/provider-error.ts';
import type { CallContext } from './call-context.ts';

/**
 * The vendor's handle of a job: plain JSON that only its adapter interprets. It is kept in `job_submissions.operation`.
 */
export type VideoOperation = { [key: string]: string | number | boolean | null };

/** The gateway's request with its defaults, as far as the model's capabilities allow. */
export interface VideoSubmitRequest {
  upstreamModel: string;
  /** Stays the same on every retry of one submission. Sent only if the vendor promises idempotency. */
  idempotencyKey: string;
  prompt?: string | undefined;
  durationSeconds?: number | undefined;
  /** Exact pixels; computed if the caller gave resolution and aspect ratio. */
  size?: { width: number; height: number } | undefined;
  resolution?: string | undefined;
  aspectRatio?: string | undefined;
  seed?: number | undefined;
  generateAudio?: boolean | undefined;
  frameImages?: { url: string; frameType: 'first_frame' | 'last_frame' }[] | undefined;
  inputReferences?: { kind: 'image' | 'audio' | 'video'; url: string }[] | undefined;
  /** The operation of the job to extend or edit. */
  previousOperation?: VideoOperation | undefined;
  upscaleFactor?: number | undefined;
  creativity?: number | undefined;
  /** The caller's `provider.options[<slug>]`, limited to the endpoint's allow-list. */
  passthrough?: Record<string, unknown> | undefined;
  /** The URL for the vendor's callbacks; set only for adapters with `webhook` `per-job`. */
  callbackUrl?: string | undefined;
  /**
   * The time after which the gateway ends the job. A vendor that can stop a job by itself receives a slightly longer
   * time.
   */
  maxRunSeconds?: number | undefined;
}

/** A finished file. Only its adapter can read it (`openOutput`). */
export interface VideoOutput {
  index: number;
  /** The vendor's URL or a path below its base URL. */
  location: string;
}

export type VideoStatus =
  | {
      state: 'running';
      vendorStatus: string;
      progressPercent?: number | undefined;
      retryAfterMs?: number | undefined;
    }
  | ({ state: 'completed'; outputs: VideoOutput[] } & VendorCharge)
  | ({ state: 'failed'; vendorStatus: string; publicMessage: string } & VendorCharge)
  | ({ state: 'cancelled'; vendorStatus: string } & VendorCharge)
  | ({ state: 'expired'; vendorStatus: string } & VendorCharge);

/** The charge for a job, as the vendor reports it. */
export interface VendorCharge {
  /** The charge in money. */
  upstreamCostNanos?: Nanos | undefined;
  /** The units that the vendor bills. Absent: it reports none. */
  report?: VendorReport | undefined;
}

/**
 * A vendor's answer to a cancel. `stopped`: the vendor accepted the cancel or does not know the job. `not_stopped`: it
 * is too late, or the vendor cannot stop a job; `status` shows the outcome.
 */
export type CancelAnswer = ({ kind: 'stopped' } & VendorCharge) | { kind: 'not_stopped' };

export interface OpenedOutput {
  body: Readable;
  contentType: string;
  /** The Content-Length; absent if the vendor sends none. */
  bytes?: number | undefined;
}

/** A vendor's callback as received. It is not trusted, so it only triggers a status check. */
export interface VendorCallback {
  headers: IncomingHttpHeaders;
  /** The bytes as received, since a signature covers them. */
  body: Buffer;
  nowMs: number;
}

export interface CallbackNote {
  /** The vendor's id of the job, which the adapter's operations hold as `id`. */
  operationId: string;
  /** True: the vendor reports that the job has ended. */
  terminal: boolean;
  /** The vendor's state, shown to operators. */
  vendorStatus: string;
  /** True: the vendor's signature is valid. False if no secret or key is at hand to check it. */
  signed: boolean;
}

export interface VideoAdapter {
  /** True: the vendor documents that a repeated submit with the same key makes one job. */
  readonly idempotentSubmit: boolean;
  readonly webhook: 'per-job' | 'per-project' | 'none';
  /** True: the vendor's signing secret is configured or its keys are public, so `parseCallback` verifies callbacks. */
  readonly checksSignatures?: boolean;
  /**
   * Submits a job. Resolves with the vendor's handle as soon as the vendor has accepted the job. Throws ProviderError.
   */
  submit(request: VideoSubmitRequest, context: CallContext): Promise<VideoOperation>;
  status(operation: VideoOperation, context: CallContext): Promise<VideoStatus>;
  /** Requests that the vendor stops the job. May be repeated. Never returns `stopped` for a completed job. */
  cancel?(operation: VideoOperation, context: CallContext): Promise<CancelAnswer>;
  /** Returns the operation of an earlier submit with this key, or null if there certainly is none. */
  findOperation?(idempotencyKey: string, context: CallContext): Promise<VideoOperation | null>;
  openOutput(output: VideoOutput, operation: VideoOperation, context: CallContext): Promise<OpenedOutput>;
  /**
   * Parses a callback. Returns `not_authentic` if it is malformed, or if its signature is missing or invalid although a
   * secret is configured.
   */
  parseCallback?(callback: VendorCallback): ParsedCallback | Promise<ParsedCallback>;
}

export type ParsedCallback = CallbackNote | 'not_authentic';

/** Returns the error for an option that a vendor's videos lack. Nothing was sent. */
export function unsupported(what: string): ProviderError {
  return new ProviderError({
    code: 'invalid_request',
    sent: false,
    retryable: false,
    publicMessage: `This provider does not take ${what}`,
  });
}
