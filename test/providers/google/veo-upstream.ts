import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { parseFaults } from '../../../upstream/control.ts';
import { createFaultQueue, type FaultQueue, type JobFault } from '../../../upstream/faults.ts';
import { jsonReply, type Reply, UpstreamError } from '../../../upstream/reply.ts';
import type { Exchange, Route } from '../../../upstream/route.ts';
import type { VendorStandIn } from '../adapter-under-test.ts';
import { startVendorServer } from '../vendor-server.ts';
import { MP4 } from './omni-answers.ts';

export const VEO = 'veo-3.1-lite-generate-001';
const PROJECT = 'projects/p1/locations/us-central1/publishers/google';

const picture = z.strictObject({
  bytesBase64Encoded: z.base64(),
  mimeType: z.enum(['image/png', 'image/jpeg', 'image/webp']),
});
const prediction = z.strictObject({
  instances: z.tuple([
    z.strictObject({
      prompt: z.string().min(1).optional(),
      image: picture.optional(),
      lastFrame: picture.optional(),
      referenceImages: z
        .array(z.strictObject({ image: picture, referenceType: z.literal('asset') }))
        .min(1)
        .max(3)
        .optional(),
    }),
  ]),
  parameters: z.strictObject({
    sampleCount: z.int().min(1).max(4),
    durationSeconds: z.literal([4, 6, 8]).optional(),
    aspectRatio: z.enum(['16:9', '9:16']).optional(),
    resolution: z.enum(['720p', '1080p', '4k']).optional(),
    seed: z.int().min(0).max(4_294_967_295).optional(),
    generateAudio: z.boolean().optional(),
    negativePrompt: z.string().optional(),
  }),
});

interface Operation {
  name: string;
  body: z.output<typeof prediction>;
  faults: FaultQueue;
  script: JobFault[];
  retrieves: number;
}

type AnswerMade = (made: { name: string; done: true }) => Reply;

/** A stand-in for Veo on Vertex AI and for Cloud Storage, on their documented wires, with the usual faults. */
export interface VeoUpstream extends VendorStandIn {
  /** Oldest first. */
  operations(): Operation[];
  /** Changes the answers about operations that made a video; undefined restores them. */
  answerWith(answer: AnswerMade | undefined): void;
}

export async function startVeoUpstream(): Promise<VeoUpstream> {
  const faults = createFaultQueue();
  const operations = new Map<string, Operation>();
  let answer: AnswerMade | undefined;
  const made = (operation: Operation): Reply => {
    const head = { name: operation.name, done: true } as const;
    const gcsUri = `gs://videos-of-p1/${operation.name.split('/').at(-1)}/sample 0.mp4`;
    return (
      answer?.(head) ?? jsonReply(200, { ...head, response: { videos: [{ gcsUri, mimeType: 'video/mp4' }] } })
    );
  };
  const server = await startVendorServer({
    faults,
    scheme: 'Bearer',
    refusal: (status, { message, code }) => ({ error: { code: status, message, status: code ?? 'UNKNOWN' } }),
    routes: [...operationRoutes(operations, faults, made), ...objectRoutes(operations)],
  });
  return {
    url: server.origin,
    baseUrl: `${server.origin}/v1/${PROJECT}`,
    upstream: {
      addFaults: (...added) => faults.add(parseFaults(added)),
      clearFaults: () => faults.clear(),
      requests: (target) => server.log.list({ target }),
      close: () => server.close(),
    },
    call: (method, path) => fetch(server.origin + path, { method }),
    operations: () => [...operations.values()],
    answerWith: (given) => (answer = given),
  };
}

const notFound = () => new UpstreamError(404, 'Requested entity was not found.');

function operationRoutes(
  operations: Map<string, Operation>,
  queue: FaultQueue,
  made: (operation: Operation) => Reply,
): Route[] {
  const find = async (exchange: Exchange) =>
    operations.get(String((await exchange.fields()).values['operationName']));
  const ofInput = async (exchange: Exchange) => {
    const { parameters } = (await exchange.fields()).values;
    const { faults } = z.looseObject({ faults: z.unknown().optional() }).parse(parameters);
    return createFaultQueue(faults === undefined ? [] : parseFaults(faults));
  };
  const model = `/v1/${PROJECT}/models/${VEO}`;
  return [
    { method: 'GET', path: '/healthz', keyless: true, handle: () => jsonReply(200, {}) },
    {
      method: 'POST',
      path: `${model}:predictLongRunning`,
      target: 'create',
      faults: ofInput,
      async handle(exchange) {
        const faults = await ofInput(exchange);
        const body = readPrediction((await exchange.fields()).values);
        const name = `${PROJECT}/models/${VEO}/operations/${randomUUID()}`;
        const script = [...faults.takeForJob(), ...queue.takeForJob()];
        operations.set(name, { name, body, faults, script, retrieves: 0 });
        return jsonReply(200, { name });
      },
    },
    {
      method: 'POST',
      path: `${model}:fetchPredictOperation`,
      target: 'retrieve',
      faults: async (exchange) => (await find(exchange))?.faults,
      async handle(exchange) {
        const operation = await find(exchange);
        if (operation === undefined) throw notFound();
        return stateOf(operation, made);
      },
    },
  ];
}

function readPrediction(values: Record<string, unknown>): Operation['body'] {
  const { faults: _, ...parameters } = z.looseObject({}).parse(values['parameters']);
  const { data, error } = prediction.safeParse({ ...values, parameters });
  if (error !== undefined) throw new UpstreamError(400, z.prettifyError(error));
  return data;
}

function stateOf(operation: Operation, made: (operation: Operation) => Reply): Reply {
  const { name, script } = operation;
  const vanish = script.find((fault) => fault.kind === 'vanish');
  if (vanish !== undefined && operation.retrieves >= vanish.afterRetrieves) throw notFound();
  operation.retrieves += 1;
  const kinds = new Set(script.map(({ kind }) => kind));
  const failed = (code: number, message: string) =>
    jsonReply(200, { name, done: true, error: { code, message } });
  if (kinds.has('stall')) return jsonReply(200, { name });
  const failure = script.find((fault) => fault.kind === 'fail');
  if (failure !== undefined) return failed(13, failure.message);
  if (kinds.has('cancel')) return failed(1, 'Cancelled');
  return kinds.has('expire') ? failed(4, 'Took too long') : made(operation);
}

function objectRoutes(operations: Map<string, Operation>): Route[] {
  const mp4 = (): Reply => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: MP4 });
  const faultsOf = (name: string) =>
    [...operations.values()].find((operation) => name.startsWith(`${operation.name.split('/').at(-1)}/`))
      ?.faults;
  return [
    {
      method: 'GET',
      path: '/storage/v1/b/videos-of-p1/o/:name',
      target: 'content',
      faults: async ({ params }) => faultsOf(params['name'] ?? ''),
      handle({ query }) {
        if (query.get('alt') !== 'media') throw new UpstreamError(400, 'alt must be media');
        return { ...mp4(), keylessPath: '/links/sample' };
      },
    },
    { method: 'GET', path: '/links/sample', keyless: true, handle: mp4 },
  ];
}
