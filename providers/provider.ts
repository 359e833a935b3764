import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Nanos } from '../domain/money.ts';

/** Plain JSON, opaque to everything but the adapter that made it; kept in `job_submissions.operation`. */
export type VideoOperation = { [key: string]: string | number | boolean | null };

/** What a call needs besides its subject. Credentials are read from config when the adapter is built. */
export interface CallContext {
  signal: AbortSignal;
  /** For the upstream's log and ours. */
  requestId: string;
}

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
  | { state: 'cancelled'; word: string }
  | { state: 'expired'; word: string };

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
  /** Resolves with the vendor's own handle, as soon as the vendor accepted. Throws ProviderError. */
  submit(request: VideoSubmitRequest, context: CallContext): Promise<VideoOperation>;
  status(operation: VideoOperation, context: CallContext): Promise<VideoStatus>;
  /**
   * Asks the vendor to stop. `stopped`: it took the cancel, or knows no such job. `not_stopped`: it says that it
   * is too late, or has no way to stop a job; `status` tells when it is done with it.
   */
  cancel?(operation: VideoOperation, context: CallContext): Promise<'stopped' | 'not_stopped'>;
  /** The operation that an earlier submit with this key made, or null when there certainly is none. */
  findOperation?(idempotencyKey: string, context: CallContext): Promise<VideoOperation | null>;
  openOutput(output: VideoOutput, operation: VideoOperation, context: CallContext): Promise<OpenedOutput>;
  /** `not_authentic`: not of the vendor's shape, or a signature that was to be checked is missing or wrong. */
  parseCallback?(callback: VendorCallback): CallbackNote | 'not_authentic';
}

/** A call whose caller waits: with the times after which it is given up. */
export interface TextCallContext extends CallContext {
  timeouts: {
    /** Until a streamed answer begins. */
    firstByteMs: number;
    /** The longest silence in the middle of a stream. */
    idleMs: number;
    /** A whole answer that is not streamed. */
    attemptMs: number;
  };
}

/**
 * A request in OpenAI's shape: gateway fields are gone, `model` is the upstream's. `stream` and `stream_options`
 * are the adapter's to set.
 */
export type TextRequest = { model: string; [field: string]: unknown };

/** Plain JSON in OpenAI's shape. Its `usage`, `choices` and `id` are checked by the adapter as far as they are there. */
export type ChatCompletion = {
  id?: string;
  choices: ChatChoice[];
  usage?: OpenAiUsage | null;
  service_tier?: string | null;
  [field: string]: unknown;
};

export type ChatChoice = {
  index: number;
  finish_reason: string | null;
  message: { role: string; content?: unknown; tool_calls?: unknown[]; [field: string]: unknown };
  [field: string]: unknown;
};

export type ChatChunk = {
  id?: string;
  choices: {
    index: number;
    finish_reason?: string | null;
    delta: { role?: string; content?: unknown; tool_calls?: unknown[]; [field: string]: unknown };
    [field: string]: unknown;
  }[];
  /** In the last chunk, or in several that grow. */
  usage?: OpenAiUsage | null;
  [field: string]: unknown;
};

export type OpenAiUsage = {
  prompt_tokens: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { [name: string]: unknown } | null;
  completion_tokens_details?: { [name: string]: unknown } | null;
  [field: string]: unknown;
};

export interface ChatAdapter {
  /** The endpoint understands `cache_control` in messages and tools; to others it is not sent. */
  readonly cacheControl: boolean;
  /** The whole answer. Throws ProviderError; an error in a 200 is one too. */
  complete(request: TextRequest, context: TextCallContext): Promise<ChatCompletion>;
  /**
   * Resolves when the first chunks are there, so that every earlier failure can still fall back to another
   * endpoint. Each step yields the chunks that arrived together, parsed and checked; usage is always asked for.
   * Fails with ProviderError: an error event, a stream that ends without its end, silence, an event of more than
   * `MAX_EVENT_BYTES`. Returning from the iteration closes the connection.
   */
  stream(request: TextRequest, context: TextCallContext): Promise<AsyncIterable<ChatChunk[]>>;
}

export type EmbeddingList = {
  data: { object?: string; embedding: number[] | string; index?: number }[];
  usage?: OpenAiUsage | null;
  [field: string]: unknown;
};

export interface EmbeddingsAdapter {
  embed(request: TextRequest, context: TextCallContext): Promise<EmbeddingList>;
}

export interface Provider {
  readonly slug: string;
  readonly video?: VideoAdapter;
  readonly chat?: ChatAdapter;
  readonly embeddings?: EmbeddingsAdapter;
}
