import { z } from 'zod';
import { imageFaults } from './image-faults.ts';
import { textFaults } from './text-faults.ts';

/**
 * The faults that the upstream can simulate, and their queue.
 *
 * A fault affects whole requests or whole jobs by count, never by chance: "the next `times` requests to `on`". Faults
 * for one job are in its create request (field `faults`). Faults for the next matching requests are queued through
 * `POST /control/faults`.
 */
export const REQUEST_TARGETS = [
  'create',
  'remix',
  'retrieve',
  'list',
  'content',
  'delete',
  'chat',
  'messages',
  'embeddings',
  'rerank',
  'speech',
  'images',
] as const;
export type RequestTarget = (typeof REQUEST_TARGETS)[number];

const milliseconds = z.int().min(0).max(3_600_000);
const byteCount = z
  .int()
  .min(0)
  .max(4 * 1024 ** 3);

/** The fields of all faults: the number of affected requests, and the delay before the answer. */
const repeated = { times: z.int().min(1).max(1_000_000).default(1), delayMs: milliseconds.default(0) };
const onRequest = { on: z.enum(REQUEST_TARGETS), ...repeated };
const onContent = { on: z.enum(['content', 'speech']).default('content'), ...repeated };
const onJob = { on: z.literal('job').default('job'), times: repeated.times };

const requestFaults = [
  z.object({ kind: z.literal('delay'), ...onRequest }).describe('Answers late, after delayMs'),
  z
    .object({
      kind: z.literal('status'),
      ...onRequest,
      status: z.int().min(400).max(599),
      code: z.string().optional(),
      message: z.string().default('Refused on request.'),
      retryAfter: z.string().describe('Sent as it is: seconds or an HTTP date').optional(),
    })
    .describe('Answers an error without doing anything'),
  z.object({ kind: z.literal('drop'), ...onRequest }).describe('Cuts the connection without doing anything'),
  z
    .object({ kind: z.literal('drop-after'), ...onRequest })
    .describe('Does the work, then cuts the connection'),
  z.object({ kind: z.literal('hang'), ...onRequest }).describe('Does nothing and never answers'),
  z.object({ kind: z.literal('hang-after'), ...onRequest }).describe('Does the work and never answers'),
  z
    .object({ kind: z.literal('garbage'), ...onRequest })
    .describe('Does the work, answers 200 with broken JSON'),
  z
    .object({ kind: z.literal('wrong-shape'), ...onRequest })
    .describe('Does the work, answers 200 with other JSON'),
  z
    .object({ kind: z.literal('oversized'), ...onRequest, bytes: byteCount.default(2 * 1024 ** 2) })
    .describe('Does the work, answers 200 with more JSON than a client accepts'),
] as const;

const contentFaults = [
  z
    .object({ kind: z.literal('redirect'), ...onContent, location: z.string().optional() })
    .describe('Sends the reader to location, or to a keyless link of its own'),
  z
    .object({ kind: z.literal('content-type'), ...onContent, value: z.string() })
    .describe('Serves the file under another content type'),
  z
    .object({ kind: z.literal('truncate'), ...onContent, bytes: byteCount })
    .describe('Announces the whole file and cuts the connection after some bytes'),
  z
    .object({
      kind: z.literal('stream'),
      ...onContent,
      bytes: byteCount,
      announced: z.boolean().default(true),
      of: z.enum(['zeros', 'mp4']).default('zeros'),
    })
    .describe('Streams that many bytes in place of the file, with or without Content-Length'),
] as const;

const jobFaults = [
  z
    .object({ kind: z.literal('slow'), ...onJob, ms: milliseconds })
    .describe('Does not finish before ms have passed'),
  z
    .object({
      kind: z.literal('fail'),
      ...onJob,
      code: z.string().default('generation_failed'),
      message: z.string().default('The video could not be generated.'),
    })
    .describe('Ends as failed'),
  z.object({ kind: z.literal('cancel'), ...onJob }).describe('Ends as cancelled'),
  z.object({ kind: z.literal('expire'), ...onJob }).describe('Ends as expired'),
  z
    .object({
      kind: z.literal('charge'),
      ...onJob,
      amount: z.union([z.number(), z.string(), z.null()]).describe('Sent as it is; null: no report'),
    })
    .describe('Reports another number of billed units, or none'),
  z.object({ kind: z.literal('stall'), ...onJob }).describe('Never leaves the status in_progress'),
  z
    .object({ kind: z.literal('vanish'), ...onJob, afterRetrieves: z.int().min(0).default(0) })
    .describe('Is unknown after it was retrieved that often'),
] as const;

const ofRequests = [...requestFaults, ...contentFaults, ...textFaults, ...imageFaults] as const;
const requestFault = z.discriminatedUnion('kind', ofRequests);
const jobFault = z.discriminatedUnion('kind', jobFaults);
export const faultSchema = z.discriminatedUnion('kind', [...ofRequests, ...jobFaults]);

export type RequestFault = z.output<typeof requestFault>;
export type JobFault = z.output<typeof jobFault>;
export type Fault = z.output<typeof faultSchema>;
/** A fault in a request, without its defaults. */
export type FaultInput = z.input<typeof faultSchema>;

export interface FaultQueue {
  add(faults: readonly Fault[]): void;
  /** Returns the next fault for a request and counts it down. */
  takeForRequest(on: RequestTarget): RequestFault | undefined;
  /** Returns whether the queue has a fault for requests to this target. */
  hasFaultFor(on: RequestTarget): boolean;
  /** Returns one fault of each kind for a job and counts them down. */
  takeForJob(): JobFault[];
  clear(): void;
  waiting(): Fault[];
}

export function createFaultQueue(initial: readonly Fault[] = []): FaultQueue {
  let queue: Fault[] = [];

  function countDown(fault: Fault): void {
    fault.times -= 1;
    if (fault.times === 0) queue = queue.filter((other) => other !== fault);
  }

  function add(faults: readonly Fault[]): void {
    queue.push(...faults.map((fault) => ({ ...fault })));
  }

  add(initial);
  return {
    add,
    takeForRequest(on) {
      const found = queue.find((fault): fault is RequestFault => fault.on === on);
      if (found !== undefined) countDown(found);
      return found;
    },
    hasFaultFor: (on) => queue.some((fault) => fault.on === on),
    takeForJob() {
      const found = new Map<string, JobFault>();
      for (const fault of queue)
        if (fault.on === 'job' && !found.has(fault.kind)) found.set(fault.kind, fault);
      for (const fault of found.values()) countDown(fault);
      return [...found.values()];
    },
    clear() {
      queue = [];
    },
    waiting: () => [...queue],
  };
}
