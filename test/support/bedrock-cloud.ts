/**
 * Plays Amazon Bedrock: Converse, ConverseStream and InvokeModel on their documented wire over HTTP. It computes the
 * signature of each request itself, refuses fields that AWS refuses, and streams binary frames.
 */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { startLoopbackServer } from '../platform/loopback-server.ts';

/** The keys that the account has. */
export const AWS_KEYS = {
  region: 'eu-west-1',
  accessKeyId: 'AKIAEXAMPLEKEY000001',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'FwoGZXIvYXdzEXAMPLE/token+of==',
};
export const BEDROCK_API_KEY = 'ABSKQmVkcm9ja0FQSUtleS1leGFtcGxl';

/** A request that the cloud accepted. */
export interface BedrockCall {
  model: string;
  operation: string;
  body: Record<string, unknown>;
}

/** The events of a stream, as pairs of their type and content. A type that ends in `Exception` states an error. */
export type BedrockEvents = [type: string, content: object][];

export type BedrockAnswer = (call: BedrockCall, response: ServerResponse) => void;

export interface BedrockCloud {
  origin: string;
  calls: BedrockCall[];
  /** Answers the accepted requests from now on. */
  answer: BedrockAnswer;
  close(): Promise<void>;
}

export async function startBedrockCloud(): Promise<BedrockCloud> {
  const calls: BedrockCall[] = [];
  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    response.setHeader('x-amzn-requestid', `aws-${calls.length + 1}`);
    if (!isAuthorized(request, body))
      return refuse(response, 403, 'InvalidSignatureException', 'The signature does not match.');
    const [, model = '', operation = ''] = /^\/model\/([^/]+)\/([a-z-]+)$/.exec(request.url ?? '') ?? [];
    if (operation === '') return refuse(response, 404, 'UnknownOperationException', '');
    const value = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    const problem = operation === 'invoke' ? undefined : problemOf(value);
    if (problem !== undefined) return refuse(response, 400, 'ValidationException', problem);
    const call = { model: decodeURIComponent(model), operation, body: value };
    calls.push(call);
    cloud.answer(call, response);
  };
  const { origin, close } = await startLoopbackServer((request, response) => {
    listen(request, response).catch(() => response.destroy());
  });
  const cloud: BedrockCloud = {
    origin,
    calls,
    answer: (_, response) => sendConverse(response, [{ text: 'Yes' }]),
    close,
  };
  return cloud;
}

export function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': `${type}:http://aws.example/` };
  response.writeHead(status, headers).end(JSON.stringify({ message }));
}

/** Sends a whole answer. */
export function sendConverse(response: ServerResponse, content: object[], more: object = {}): void {
  const usage = { inputTokens: 3, outputTokens: 1, totalTokens: 4 };
  const output = { message: { role: 'assistant', content } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ output, stopReason: 'end_turn', usage, metrics: { latencyMs: 9 }, ...more }));
}

/** Sends a stream, in pieces of seven bytes if it must arrive so. */
export function sendFrames(response: ServerResponse, events: BedrockEvents, isDripped = false): void {
  response.setHeader('content-type', 'application/vnd.amazon.eventstream');
  const bytes = Buffer.concat(events.map(([type, content]) => frameOf(type, content)));
  if (!isDripped) return void response.end(bytes);
  for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
  response.end();
}

/** Returns the bytes of a frame: lengths, headers and content, with two checksums. */
export function frameOf(type: string, content: object): Buffer {
  const kind = type.endsWith('Exception') ? 'exception' : 'event';
  const headers = Buffer.concat([
    headerOf(':message-type', kind),
    headerOf(`:${kind}-type`, type),
    headerOf(':content-type', 'application/json'),
  ]);
  const body = Buffer.from(JSON.stringify({ ...content, p: 'abcdefgh' }));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(headers.length + body.length + 16, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

function headerOf(name: string, value: string): Buffer {
  const length = Buffer.alloc(3);
  // 7 is the type of texts.
  length.writeUInt8(7, 0);
  length.writeUInt16BE(Buffer.byteLength(value), 1);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)]);
}

/** Returns whether the request has the account's API key, or a signature by its keys that is not old. */
function isAuthorized({ headers, url = '' }: IncomingMessage, body: Buffer): boolean {
  const { authorization = '' } = headers;
  if (authorization === `Bearer ${BEDROCK_API_KEY}`) return true;
  const form = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, /.exec(
    authorization,
  );
  const [, accessKeyId, day = '', region = ''] = form ?? [];
  const date = String(headers['x-amz-date']);
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const isFresh = Math.abs(Date.now() - at) < 5 * 60_000 && date.startsWith(day);
  const isKnown = accessKeyId === AWS_KEYS.accessKeyId && region === AWS_KEYS.region;
  if (!isFresh || !isKnown || headers['x-amz-security-token'] !== AWS_KEYS.sessionToken) return false;
  return authorization.endsWith(`Signature=${signatureOf(headers, url, body, [day, region])}`);
}

/** Computes a signature by the steps of AWS's reference, "Create a signed AWS API request". */
function signatureOf(headers: IncomingHttpHeaders, url: string, body: Buffer, scope: string[]): string {
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(String(headers.authorization)) ?? [];
  if (!['host', 'x-amz-date', 'x-amz-security-token'].every((name) => names.split(';').includes(name)))
    return 'of headers that must be signed';
  const encodedTwice = url
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = ['POST', encodedTwice, '', lines.join(''), names, sha256(body)].join('\n');
  const parts = [...scope, 'bedrock', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], parts.join('/'), sha256(canonical)].join('\n');
  const key = parts.reduce<Buffer | string>(hmac, `AWS4${AWS_KEYS.secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(value: Buffer | string): string {
  return createHash('sha256').update(value).digest('hex');
}

const bytes = z.string().regex(/^[A-Za-z0-9+/]+=*$/);
const cachePoint = z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() });
const words = z.string().refine((text) => text.trim() !== '', 'The text field is blank');
const image = z.strictObject({
  format: z.enum(['png', 'jpeg', 'gif', 'webp']),
  source: z.strictObject({ bytes }),
});
const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
  name: z.string().regex(/^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/),
  source: z.strictObject({ bytes }),
  context: z.string().optional(),
});
const toolId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const record = z.record(z.string(), z.unknown());
const resultPart = z.union([
  z.strictObject({ text: words }),
  z.strictObject({ image }),
  z.strictObject({ document }),
]);
const block = z.union([
  z.strictObject({ text: words }),
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ cachePoint }),
  z.strictObject({ toolUse: z.strictObject({ toolUseId: toolId, name: z.string(), input: record }) }),
  z.strictObject({
    toolResult: z.strictObject({
      toolUseId: toolId,
      content: z.array(resultPart),
      status: z.enum(['success', 'error']).optional(),
    }),
  }),
  z.strictObject({
    reasoningContent: z.union([
      z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string() }) }),
      z.strictObject({ redactedContent: bytes }),
    ]),
  }),
]);
const toolSpec = z.strictObject({
  name: toolId,
  description: z.string().min(1).optional(),
  inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
  strict: z.boolean().optional(),
});
const none = z.strictObject({});
const converse = z.strictObject({
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })),
  system: z.array(z.union([z.strictObject({ text: words }), z.strictObject({ cachePoint })])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().optional(),
      stopSequences: z.array(z.string()).max(4).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z.array(z.union([z.strictObject({ toolSpec }), z.strictObject({ cachePoint })])).min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: none }),
          z.strictObject({ any: none }),
          z.strictObject({ tool: z.strictObject({ name: z.string() }) }),
        ])
        .optional(),
    })
    .optional(),
  outputConfig: z.strictObject({ textFormat: record }).optional(),
  guardrailConfig: record.optional(),
  serviceTier: z.strictObject({ type: z.enum(['priority', 'default', 'flex', 'reserved']) }).optional(),
  requestMetadata: z.record(z.string(), z.string()).optional(),
  additionalModelRequestFields: record.optional(),
});

/** Returns what AWS refuses in a Converse request; undefined for nothing. */
function problemOf(body: unknown): string | undefined {
  const { data, error } = converse.safeParse(body);
  if (error !== undefined)
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const { messages, toolConfig } = data;
  if (messages.some(({ role }, i) => role !== (i % 2 === 0 ? 'user' : 'assistant')))
    return 'A conversation must alternate between user and assistant roles.';
  const blocks = messages.flatMap(({ content }) => content);
  if (toolConfig === undefined && blocks.some((one) => 'toolUse' in one || 'toolResult' in one))
    return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
  const names = blocks.flatMap((one) => ('document' in one ? [one.document.name] : []));
  return new Set(names).size < names.length ? 'Document names must be unique.' : undefined;
}
