/** Answers embeddings requests to the local upstream. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { contextExceeded, tokenize } from '../chat/tokens.ts';
import { faultsIn } from '../control.ts';
import { parseRequest } from '../parse-request.ts';
import { jsonReply, type Reply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';

const MODEL = 'embed-1';
const DEFAULT_DIMENSIONS = 256;
const MAX_DIMENSIONS = 1024;
const MAX_INPUTS = 2048;
/** The most tokens of one input, as in the catalog. */
const CONTEXT_TOKENS = 8192;

const text = z.string().min(1);
const tokens = z.array(z.int().min(0)).min(1);
const embeddingsRequest = z.looseObject({
  model: z.string(),
  input: z.union([
    text,
    tokens,
    z.array(text).min(1).max(MAX_INPUTS),
    z.array(tokens).min(1).max(MAX_INPUTS),
  ]),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
});

/**
 * Serves OpenAI's `POST /v1/embeddings`, with hashed words instead of a model. Written from the vendor's published
 * reference (openai-node, `src/resources/embeddings.ts`, read 2026-11-21). An extra of this server: `faults` in a
 * request affect only that request.
 */
export function createEmbeddingsCapability(): Capability {
  return {
    routes: [
      { method: 'POST', path: '/v1/embeddings', target: 'embeddings', faults: faultsIn, handle: embed },
    ],
  };
}

async function embed(exchange: Exchange): Promise<Reply> {
  const { values } = await exchange.fields();
  const request = parseRequest(embeddingsRequest, values, [MODEL]);
  const { model, input, dimensions, encoding_format: format } = request;
  const inputs = inputsOf(input);
  const counted = inputs.reduce((sum, one) => sum + countTokens(one), 0);
  return jsonReply(200, {
    object: 'list',
    data: inputs.map((one, index) => ({
      object: 'embedding',
      index,
      embedding: encode(hashEmbedding(one, dimensions ?? DEFAULT_DIMENSIONS), format),
    })),
    model,
    usage: { prompt_tokens: counted, total_tokens: counted },
  });
}

function countTokens(input: string | number[]): number {
  const { length } = typeof input === 'string' ? tokenize(input) : input;
  if (length > CONTEXT_TOKENS) throw contextExceeded(CONTEXT_TOKENS, length, 'input');
  return length;
}

/** Returns the inputs: one text or one list of tokens, or a list of either. */
function inputsOf(input: z.output<typeof embeddingsRequest>['input']): (string | number[])[] {
  if (typeof input === 'string') return [input];
  return isTokens(input) ? [input] : input;
}

function isTokens(input: (string | number | number[])[]): input is number[] {
  return typeof input[0] === 'number';
}

/**
 * Returns a vector of length one for a text or token numbers: each word adds or subtracts one at an index given by its
 * hash. Texts are similar if they share words. The same text always gives the same vector.
 */
function hashEmbedding(input: string | number[], dimensions: number): Float32Array {
  const words = typeof input === 'string' ? (input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [input]) : input;
  const vector = new Float32Array(dimensions);
  for (const word of words) {
    const digest = createHash('sha256').update(String(word)).digest();
    const place = digest.readUInt32LE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + ((digest[4] ?? 0) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // Words that cancel each other out give a vector of zeros, which has no direction.
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Encodes a vector; base64 contains little-endian 32-bit floats, as OpenAI's clients expect. */
function encode(vector: Float32Array, format: 'float' | 'base64' | null | undefined): number[] | string {
  if (format !== 'base64') return [...vector];
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
