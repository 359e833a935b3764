/**
 * A stand-in for the vendors that speak OpenAI's wire. It answers as they do, and refuses what the wire of one vendor
 * refuses, with the status and the words of that vendor.
 */
import type { ServerResponse } from 'node:http';
import {
  answerChat,
  sendJson,
  startVendorServer,
  type VendorCall,
  type VendorServer,
} from '../support/vendor-server.ts';

/** What one vendor's documentation says of requests. */
export interface StrictWire {
  /** The path of `chat/completions` at the vendor. */
  path: string;
  /** Fields of the request that the vendor refuses or does not know. */
  fields?: string[];
  /** Fields of messages that it refuses. */
  ofMessages?: string[];
  /** True: it answers without a key. */
  keyless?: true;
  /** True: it takes content as one text only. */
  textOnly?: true;
}

/** The documented wires by vendor, written down apart from the deviations that must fit them. */
export const WIRES: Record<string, StrictWire> = {
  mistral: {
    path: '/v1/chat/completions',
    fields: ['max_completion_tokens', 'seed', 'stream_options', 'reasoning'],
    ofMessages: ['name', 'reasoning', 'reasoning_content'],
  },
  groq: { path: '/openai/v1/chat/completions', ofMessages: ['reasoning_content'], textOnly: true },
  deepseek: { path: '/v1/chat/completions', fields: ['max_completion_tokens', 'reasoning'], textOnly: true },
  xai: {
    path: '/v1/chat/completions',
    fields: ['max_completion_tokens', 'reasoning'],
    ofMessages: ['name', 'reasoning', 'reasoning_content'],
  },
  together: { path: '/v1/chat/completions', fields: ['max_completion_tokens'] },
  fireworks: { path: '/inference/v1/chat/completions', fields: ['max_completion_tokens'] },
  cerebras: { path: '/v1/chat/completions', ofMessages: ['reasoning_content'], textOnly: true },
  perplexity: { path: '/chat/completions', ofMessages: ['name', 'reasoning', 'reasoning_content'] },
  deepinfra: { path: '/v1/openai/chat/completions', fields: ['max_completion_tokens'], textOnly: true },
  moonshotai: { path: '/v1/chat/completions', fields: ['max_completion_tokens'], textOnly: true },
  alibaba: { path: '/compatible-mode/v1/chat/completions' },
  minimax: { path: '/v1/chat/completions' },
  'z-ai': { path: '/api/paas/v4/chat/completions', fields: ['max_completion_tokens', 'reasoning'] },
  nebius: { path: '/v1/chat/completions', fields: ['max_completion_tokens'] },
  novita: { path: '/v3/openai/chat/completions' },
  sambanova: {
    path: '/v1/chat/completions',
    fields: ['max_completion_tokens'],
    ofMessages: ['reasoning', 'reasoning_content'],
    textOnly: true,
  },
  nvidia: { path: '/v1/chat/completions', fields: ['max_completion_tokens'] },
  huggingface: { path: '/v1/chat/completions' },
  'github-models': { path: '/inference/chat/completions' },
  cloudflare: { path: '/client/v4/accounts/a1/ai/v1/chat/completions' },
  'bedrock-mantle': { path: '/v1/chat/completions' },
  openrouter: { path: '/api/v1/chat/completions', fields: ['reasoning_effort'] },
  ollama: { path: '/v1/chat/completions', fields: ['max_completion_tokens'], keyless: true },
  'lm-studio': { path: '/v1/chat/completions', fields: ['max_completion_tokens'], keyless: true },
  vllm: { path: '/v1/chat/completions', keyless: true },
  'llama-cpp': { path: '/v1/chat/completions', fields: ['max_completion_tokens'], keyless: true },
};

type Message = Record<string, unknown>;

/** Starts the stand-in. `wire` says which vendor it is; a test sets it before it calls. */
export async function startStrictVendor(): Promise<VendorServer & { wire: StrictWire }> {
  const server: VendorServer = await startVendorServer((call, response) => {
    const problem = problemOf(call, vendor.wire);
    if (problem !== undefined) refuse(response, problem);
    else if (call.path === embeddingsPath(vendor.wire)) answerEmbeddings(call, response);
    else answerChat(call, response);
  });
  const vendor = Object.assign(server, { wire: { path: '/' } as StrictWire });
  return vendor;
}

function embeddingsPath({ path }: StrictWire): string {
  return path.replace(/chat\/completions$/, 'embeddings');
}

/** Sends a vector for each input, in the encoding that was asked for. */
function answerEmbeddings({ body }: VendorCall, response: ServerResponse): void {
  const { input, model, encoding_format: encoding } = JSON.parse(body) as Message;
  const vector = new Float32Array([0.5, 0.25]);
  const embedding = encoding === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
  const data = [input].flat().map((_, index) => ({ object: 'embedding', index, embedding }));
  sendJson(response, 200, { object: 'list', model, data, usage: { prompt_tokens: 3, total_tokens: 3 } });
}

function problemOf({ path, key, body }: VendorCall, wire: StrictWire): string | undefined {
  if (path !== wire.path && path !== embeddingsPath(wire)) return `path ${path}`;
  if (key !== 'sk-vendor' && !(key === undefined && wire.keyless)) return `key ${key}`;
  const request = JSON.parse(body) as Message & { messages: Message[] };
  if (path !== wire.path) return 'input' in request ? undefined : 'no input';
  const field = wire.fields?.find((name) => name in request);
  if (field !== undefined) return `field ${field}`;
  const roles = ['system', 'user', 'assistant', 'tool'];
  for (const message of request.messages) {
    if (!roles.includes(String(message['role']))) return `role ${String(message['role'])}`;
    const inner = wire.ofMessages?.find((name) => name in message);
    if (inner !== undefined) return `messages.${inner}`;
    if (wire.textOnly === true && typeof message['content'] !== 'string') return 'content';
  }
  return undefined;
}

function refuse(response: ServerResponse, problem: string): void {
  sendJson(response, 422, {
    detail: [{ type: 'extra_forbidden', loc: ['body', problem], msg: `refused: ${problem}` }],
  });
}
