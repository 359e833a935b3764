import { createHash } from 'node:crypto';
import { jsonReply, type Reply, streamedReply, UpstreamError } from '../../../upstream/reply.ts';
import type { Exchange, Route } from '../../../upstream/route.ts';
import { toEvent } from '../../../upstream/server-sent-event.ts';
import type { VendorStandIn } from '../adapter-under-test.ts';
import type { TextVendor } from '../text-adapter-under-test.ts';
import type { VendorServerOptions } from '../vendor-server.ts';
import { interactionRoutes, startVideos, vertexVideoRoutes, type VideoJobs } from './video-jobs.ts';
import { startTokenServer, type TokenServer } from './vertex-tokens.ts';
import { embedText, partnerRoutes, vectorOf } from './vertex-routes.ts';
import {
  batchEmbedContents,
  checked,
  type GenerateContent,
  generateContent,
  levelsOf,
  type Part,
} from './wire.ts';

/** A stand-in for Google's cloud, on its documented wires over real HTTP, with the usual faults. */
export interface GoogleUpstream extends VendorStandIn {
  /** The bodies that it accepted, oldest first, each with its model and the tier in its header. */
  accepted: (GenerateContent & { model: string; tier?: string | string[] | undefined })[];
  /** The parts of the next answers, in place of those that follow the request. */
  answerParts(parts: object[] | undefined): void;
  /** Fields of the last piece of the next answers, such as `finishReason`, or of the whole answer, and headers. */
  answerWith(facts: Facts): void;
  videos: VideoJobs;
}

/** The stand-in for Vertex AI, with the server that gives its tokens. Its credential is a service account. */
export interface VertexUpstream extends GoogleUpstream {
  tokens: TokenServer;
}

interface Facts {
  candidate?: object;
  answer?: object;
  headers?: Record<string, string>;
}

const PIECE = '{"candidates":[{"content":{"parts":[{"text":"y"}]},"finishReason":"STOP"}]}';

/** The vendor of the shared suites. */
export const GEMINI: TextVendor<GoogleUpstream> = {
  start: () => startGeminiUpstream(),
  bodies: { whole: PIECE, stream: `data: ${PIECE}\n\n` },
};

/** Google's words for a status. */
const STATUS_NAMES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Google's shape of an error. A code becomes the reason of its details. */
export function googleError(
  status: number,
  { message, code }: { message: string; code: string | null },
): object {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: code,
    domain: 'googleapis.com',
  };
  return {
    error: {
      code: status,
      message,
      status: STATUS_NAMES[status] ?? 'UNKNOWN',
      ...(code && { details: [info] }),
    },
  };
}

/** The path of a region of a project on Vertex AI. */
const PLACE = '/v1beta1/projects/our-project/locations/europe-west4';

/** Starts the stand-in at the address of the Gemini API, with a key. */
export const startGeminiUpstream = (): Promise<GoogleUpstream> =>
  startCloud('/v1beta', { keyHeader: 'x-goog-api-key' }, interactionRoutes);

/** Starts the stand-in of Vertex AI and Cloud Storage, whose shared suites ask for this model. */
export async function startVertexUpstream(model?: string): Promise<VertexUpstream> {
  const routesOf = (jobs: VideoJobs) => [...partnerRoutes(PLACE), ...vertexVideoRoutes(jobs, PLACE)];
  const [vertex, tokens] = await Promise.all([
    startCloud(`${PLACE}/publishers/google`, { scheme: 'Bearer' }, routesOf),
    startTokenServer(),
  ]);
  const close = async () => void (await Promise.all([vertex.upstream.close(), tokens.close()]));
  const credential = tokens.serviceAccount();
  const upstream = { ...vertex.upstream, close };
  return { ...vertex, tokens, credential, upstream, ...(model !== undefined && { model }) };
}

/** Starts the same with a credential for the region `global`, which alone has interactions. */
export async function startGlobalVertex(): Promise<VertexUpstream> {
  const vertex = await startVertexUpstream();
  return { ...vertex, credential: vertex.tokens.serviceAccount({ region: 'global' }) };
}

/** Starts the stand-in with the models below a path, and further routes. */
async function startCloud(
  base: string,
  credential: { keyHeader?: string; scheme?: string },
  routesOf: (jobs: VideoJobs) => Route[],
): Promise<GoogleUpstream> {
  const accepted: GoogleUpstream['accepted'] = [];
  let [parts, facts]: [object[]?, Facts?] = [];
  const isVertex = 'scheme' in credential;
  const handle = async (exchange: Exchange): Promise<Reply> => {
    const [model = '', method] = (exchange.params['call'] ?? '').split(':');
    const { values } = await exchange.fields();
    if (isVertex && model.includes('embedding')) return embedText(model, method, values);
    if (method === 'batchEmbedContents') return embed(values);
    const request = readRequest(model, values);
    if (isVertex && request.serviceTier !== undefined)
      throw new UpstreamError(400, `Invalid value at 'service_tier', "${request.serviceTier}"`);
    accepted.push({ ...request, model, tier: exchange.headers['x-vertex-ai-llm-shared-request-type'] });
    const pieces = piecesOf(model, request, parts ?? partsFor(request), facts);
    if (method === 'generateContent') return jsonReply(200, whole(pieces), facts?.headers);
    if (method !== 'streamGenerateContent' || exchange.query.get('alt') !== 'sse')
      throw new UpstreamError(404, 'Requested entity was not found.');
    const reply = streamedReply(pieces.map(toEvent));
    return { ...reply, headers: { ...reply.headers, ...facts?.headers } };
  };
  const videos = await startVideos({ ...credential, basePath: `/${base.split('/')[1]}`, refusal }, (jobs) => {
    // Interactions grow, so this must be the list itself.
    const routes = routesOf(jobs);
    routes.push({ method: 'POST', path: `${base}/models/:call`, target: 'chat', handle });
    return routes;
  });
  return {
    ...videos.cloud.standIn,
    accepted,
    videos,
    answerParts: (given) => (parts = given),
    answerWith: (given) => (facts = given),
  };
}

/** Interactions have errors of another shape. */
const refusal: VendorServerOptions['refusal'] = (status, error, path) =>
  path.includes('/interactions')
    ? { error: { message: error.message, code: error.code ?? 'invalid_request' } }
    : googleError(status, error);

function readRequest(model: string, values: unknown): GenerateContent {
  const data = checked(generateContent, values);
  const level = data.generationConfig?.thinkingConfig?.thinkingLevel;
  const levels = levelsOf(model);
  if (level !== undefined && levels?.includes(level) !== true)
    throw new UpstreamError(400, `Thinking level ${level} is not supported for this model.`);
  for (const { role, parts } of data.contents) {
    const call = parts.find((part) => 'functionCall' in part);
    if (role === 'model' && call && levels !== undefined) checkSignature(call);
  }
  return data;
}

/** The signature of a call, which only Google can make. */
const signatureOf = (name: string): string => createHash('sha256').update(`google ${name}`).digest('base64');

function checkSignature(part: Extract<Part, { functionCall: object }>): void {
  const { name } = part.functionCall;
  const known = [signatureOf(name), 'skip_thought_signature_validator'];
  if (part.thoughtSignature === undefined)
    throw new UpstreamError(
      400,
      `Function call is missing a thought_signature in functionCall parts: ${name}`,
    );
  if (!known.includes(part.thoughtSignature)) throw new UpstreamError(400, 'Corrupted thought signature.');
}

/**
 * The rules of its answers: it calls each declared tool that the last turn mentions, with thoughts before; it repeats
 * the result of a tool; it answers with JSON if it was asked to; and it repeats all else.
 */
function partsFor({ contents, tools = [], generationConfig: config = {} }: GenerateContent): object[] {
  const [modality] = config.responseModalities ?? [];
  if (modality === 'IMAGE') return [{ text: 'A draft', thought: true }, { inlineData: PICTURE }];
  if (modality === 'AUDIO') return SOUND.map((inlineData) => ({ inlineData }));
  const last = contents.at(-1)!.parts;
  const words = last.map((part) => ('text' in part ? part.text : '')).join('');
  const results = last.flatMap((part) =>
    'functionResponse' in part ? [part.functionResponse.response] : [],
  );
  if (results.length > 0) return [{ text: 'The tool' }, { text: ` said: ${JSON.stringify(results)}` }];
  const called = tools.flatMap(({ functionDeclarations: all }) =>
    all.filter(({ name }) => words.includes(name)),
  );
  if (called.length > 0) {
    const calls = called.map(({ name }, i) => ({
      functionCall: { id: `g${i}`, name, args: { city: 'Oslo' } },
      ...(i === 0 && { thoughtSignature: signatureOf(name) }),
    }));
    const thought = { text: 'I must look.', thought: true };
    return config.thinkingConfig?.includeThoughts === true ? [thought, ...calls] : calls;
  }
  if (config.responseMimeType === 'application/json') return [{ text: JSON.stringify({ echo: words }) }];
  return [{ text: 'You said: ' }, { text: words }];
}

/** A picture of one pixel, and two seconds of sound in two pieces. */
const PICTURE = {
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
const SOUND = [1, 2].map((sample) => ({
  mimeType: 'audio/L16;codec=pcm;rate=24000',
  data: Buffer.alloc(48_000, sample).toString('base64'),
}));

/** The counts of every answer: of 1,200 tokens of the prompt, 500 came from the cache and 200 are sound. */
const USAGE = {
  promptTokenCount: 1200,
  cachedContentTokenCount: 500,
  candidatesTokenCount: 30,
  thoughtsTokenCount: 70,
  totalTokenCount: 1300,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 1000 },
    { modality: 'AUDIO', tokenCount: 200 },
  ],
  cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 500 }],
};

interface Piece {
  candidates: { index: number; content?: { role: string; parts: object[] }; finishReason?: string }[];
  usageMetadata: object;
  [field: string]: unknown;
}

/** Returns an event for each part, the last with the reason of the end and all counts. */
function piecesOf(
  model: string,
  { generationConfig: { candidateCount = 1 } = {} }: GenerateContent,
  parts: object[],
  { candidate = {}, answer = {} }: Facts = {},
): Piece[] {
  return parts.map((part, at) => {
    const isLast = at === parts.length - 1;
    const content = { role: 'model', parts: [part] };
    return {
      candidates: Array.from({ length: candidateCount }, (_, index) => ({
        index,
        content,
        ...(isLast && { finishReason: 'STOP', ...candidate }),
      })),
      usageMetadata: isLast ? USAGE : { promptTokenCount: 1200, totalTokenCount: 1200 },
      modelVersion: model,
      responseId: 'resp-1',
      ...(isLast && answer),
    };
  });
}

function whole(pieces: Piece[]): Piece {
  const last = pieces.at(-1)!;
  const candidates = last.candidates.map((candidate, index) => {
    if (candidate.content === undefined) return candidate;
    const parts = pieces.flatMap((piece) => piece.candidates[index]?.content?.parts ?? []);
    return { ...candidate, content: { role: 'model', parts } };
  });
  return { ...last, candidates };
}

/** The first number of a vector is the place of its text. */
function embed(values: unknown): Reply {
  const { requests } = checked(batchEmbedContents, values);
  const embeddings = requests.map(({ outputDimensionality }, place) => ({
    values: vectorOf(place, outputDimensionality),
  }));
  return jsonReply(200, { embeddings, usageMetadata: { promptTokenCount: 5 } });
}
