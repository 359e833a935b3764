/** Invents the usage, speed and cost of one synthetic generation. */
import type { LiveEndpoint, VideoEndpoint } from '../../domain/catalog/catalog.ts';
import type { ApiType, GenerationRecord, GenerationStatus } from '../../domain/ledger/generation.ts';
import type { Modality } from '../../domain/modality.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import { costOfMedia, type MediaUsage } from '../../domain/catalog/media-price.ts';
import type { Nanos } from '../../domain/money.ts';
import { quoteVideo } from '../../domain/videos/video-price.ts';
import { costOfTokens } from '../../domain/catalog/token-price.ts';
import type { ChosenEndpoint } from './weighted-catalog.ts';
import type { Random } from './random.ts';

/** The usage and cost of a generation at the endpoint's prices. */
export type GenerationOutcome = Pick<
  GenerationRecord,
  | 'apiType'
  | 'status'
  | 'finishReason'
  | 'costNanos'
  | 'usage'
  | 'streamed'
  | 'toolCalls'
  | 'inputModalities'
  | 'outputModalities'
  | 'mediaPrompt'
  | 'mediaCompletion'
  | 'latencyMs'
  | 'generationMs'
>;

const NOTHING: GenerationOutcome = {
  apiType: 'completions',
  status: 'completed',
  finishReason: null,
  costNanos: 0n,
  usage: null,
  streamed: false,
  toolCalls: 0,
  inputModalities: ['text'],
  outputModalities: [],
  mediaPrompt: null,
  mediaCompletion: null,
  latencyMs: null,
  generationMs: null,
};

const API_TYPES: Record<LiveEndpoint['capability'], ApiType> = {
  chat: 'completions',
  embeddings: 'embeddings',
  rerank: 'rerank',
  image: 'image',
  speech: 'tts',
};
const MAX_PROMPT_TOKENS = 900_000;
const INPUTS: readonly Modality[][] = [
  ['text', 'image'],
  ['text', 'file'],
  ['text', 'audio'],
];
const WITH_MEDIA = 0.06;

const tokensOf = (random: Random, median: number, sigma: number, max: number): number =>
  Math.max(1, Math.min(max, Math.round(random.logNormal(median, sigma))));

export function makeLive(
  chosen: ChosenEndpoint<LiveEndpoint>,
  kind: LiveEndpoint['capability'],
  status: GenerationStatus,
  random: Random,
): GenerationOutcome {
  const apiType = API_TYPES[kind];
  if (status === 'failed') return makeFailure(apiType, random);
  return kind === 'chat' ? makeChat(chosen, status, random) : makeMedia(chosen, kind, random);
}

/** Makes a failed generation, which failed at once or after a long wait. */
function makeFailure(apiType: ApiType, random: Random): GenerationOutcome {
  const generationMs = Math.round(random.logNormal(random.chance(0.2) ? 30_000 : 400, 0.4));
  return { ...NOTHING, apiType, status: 'failed', finishReason: 'error', generationMs };
}

function makeChat(
  chosen: ChosenEndpoint<LiveEndpoint>,
  status: GenerationStatus,
  random: Random,
): GenerationOutcome {
  const { endpoint, reasons, latencyMs: typicalMs, tokensPerSecond } = chosen;
  const prompt = tokensOf(
    random,
    900,
    1.5,
    Math.min(endpoint.contextLength ?? MAX_PROMPT_TOKENS, MAX_PROMPT_TOKENS),
  );
  const whole = tokensOf(random, 260, 1.1, endpoint.maxCompletionTokens ?? 32_000);
  const isCut = status === 'cancelled';
  const completion = isCut ? Math.ceil(whole * random.next()) : whole;
  const toolCalls = !isCut && random.chance(0.12) ? random.integer(1, 3) : 0;
  const usage: TokenUsage = {
    prompt,
    completion,
    reasoning: reasons ? Math.floor(completion * 0.6 * random.next()) : undefined,
    cacheRead: prompt > 1_024 && random.chance(0.35) ? Math.floor(prompt * random.next()) : undefined,
  };
  const latencyMs = Math.round(typicalMs * Math.exp(random.normal() * 0.35) + prompt / 40);
  return {
    ...NOTHING,
    status,
    finishReason: isCut ? null : toolCalls > 0 ? 'tool_calls' : random.chance(0.05) ? 'length' : 'stop',
    costNanos: costOfTokens(endpoint.pricing, usage).totalNanos,
    usage,
    streamed: isCut || random.chance(0.7),
    toolCalls,
    inputModalities: random.chance(WITH_MEDIA) ? random.pick(INPUTS) : NOTHING.inputModalities,
    outputModalities: ['text'],
    latencyMs,
    generationMs: latencyMs + Math.round((completion / tokensPerSecond) * 1_000),
  };
}

function makeMedia(
  { endpoint, latencyMs: typicalMs }: ChosenEndpoint<LiveEndpoint>,
  kind: Exclude<LiveEndpoint['capability'], 'chat'>,
  random: Random,
): GenerationOutcome {
  const { usage, media, ...made } = USED[kind](random);
  const latencyMs = Math.round(typicalMs * Math.exp(random.normal() * 0.4)) * (kind === 'image' ? 12 : 1);
  const costNanos = costOfMedia(endpoint.pricing, usage, media).totalNanos;
  // Generations charged per piece have no tokens.
  const counted = usage.prompt + usage.completion > 0 ? usage : null;
  const times = { latencyMs, generationMs: latencyMs + random.integer(1, 90) };
  return { ...NOTHING, ...made, apiType: API_TYPES[kind], costNanos, usage: counted, ...times };
}

interface Used
  extends Pick<GenerationOutcome, 'outputModalities'>, Partial<Pick<GenerationOutcome, 'mediaCompletion'>> {
  usage: TokenUsage;
  media: MediaUsage;
}

const USED: Record<Exclude<LiveEndpoint['capability'], 'chat'>, (random: Random) => Used> = {
  embeddings: (random) => ({
    usage: { prompt: tokensOf(random, 400, 1, 8_000), completion: 0 },
    media: {},
    outputModalities: ['embeddings'],
  }),
  rerank: (random) => ({
    usage: { prompt: tokensOf(random, 3_000, 0.8, 100_000), completion: 0 },
    media: { searchUnits: random.integer(1, 3) },
    outputModalities: ['rerank'],
  }),
  image: (random) => {
    const images = random.chance(0.8) ? 1 : random.integer(2, 4);
    return {
      usage: { prompt: tokensOf(random, 60, 0.8, 2_000), completion: images * 1_056 },
      media: { outputImages: images, outputMegapixels: images * 1.05 },
      outputModalities: ['image'],
      mediaCompletion: images,
    };
  },
  speech: (random) => {
    const characters = tokensOf(random, 350, 0.9, 4_000);
    return {
      usage: { prompt: 0, completion: 0 },
      media: { characters, outputSeconds: characters / 15 },
      outputModalities: ['audio'],
      mediaCompletion: 1,
    };
  },
};

const VIDEO_SECONDS = [4, 5, 8] as const;

/** Makes a video. It is billed only if it completed, like jobs. */
export function makeVideo(
  { endpoint }: ChosenEndpoint<VideoEndpoint>,
  status: GenerationStatus,
  random: Random,
): GenerationOutcome {
  const isDone = status === 'completed';
  return {
    ...NOTHING,
    apiType: 'video',
    status,
    costNanos: isDone ? videoPrice(endpoint, random.pick(VIDEO_SECONDS)) : 0n,
    outputModalities: isDone ? ['video'] : [],
    mediaPrompt: 0,
    mediaCompletion: isDone ? 1 : 0,
    generationMs: Math.round(random.logNormal(70_000, 0.5)),
  };
}

/** Returns the estimated cost of a silent video in the endpoint's usual resolution. */
function videoPrice(endpoint: VideoEndpoint, durationSeconds: number): Nanos {
  const resolution = endpoint.capabilities.resolutions?.[0];
  const video = { durationSeconds, resolution, generateAudio: false, hasVideoInput: false };
  return BigInt(quoteVideo(video, endpoint).terms.estimateNanos);
}
