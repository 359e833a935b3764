/**
 * Plays Amazon Bedrock: Converse, ConverseStream and InvokeModel on their documented wire over HTTP. It signs each
 * request again with AWS's own library, refuses fields that AWS refuses, and streams binary frames.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Sha256 } from '@smithy/core/checksum';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { SignatureV4 } from '@smithy/signature-v4';
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

/** A stream that says one word. */
export const HELLO: BedrockEvents = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['messageStop', { stopReason: 'end_turn' }],
  ['metadata', { usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 } }],
];

export interface BedrockCloud {
  origin: string;
  calls: BedrockCall[];
  /** Answers the accepted requests from now on. */
  answer(call: BedrockCall, response: ServerResponse): void;
  close(): Promise<void>;
}

export async function startBedrockCloud(): Promise<BedrockCloud> {
  const calls: BedrockCall[] = [];
  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    response.setHeader('x-amzn-requestid', `aws-${calls.length + 1}`);
    if (!(await isAuthorized(request, body)))
      return refuse(response, 403, 'InvalidSignatureException', 'The signature does not match.');
    const [, model = '', operation = ''] = /^\/model\/([^/]+)\/([a-z-]+)$/.exec(request.url ?? '') ?? [];
    if (operation === '') return refuse(response, 404, 'UnknownOperationException', '');
    const value = JSON.parse(body) as Record<string, unknown>;
    const problem = operation === 'invoke' ? undefined : problemOf(value);
    if (problem !== undefined) return refuse(response, 400, 'ValidationException', problem);
    const call = { model: decodeURIComponent(model), operation, body: value };
    calls.push(call);
    cloud.answer(call, response);
  };
  const { origin, close } = await startLoopbackServer((request, response) => {
    listen(request, response).catch(() => response.destroy());
  });
  const cloud: BedrockCloud = { origin, calls, answer: sayHello, close };
  return cloud;
}

/** Answers a chat with one word, whole or in frames. */
export function sayHello({ operation }: BedrockCall, response: ServerResponse): void {
  if (operation === 'converse') sendConverse(response, [{ text: 'Hello' }]);
  else sendFrames(response, HELLO);
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

/** Sends a stream in pieces of seven bytes, so that no frame arrives whole. */
export function sendFrames(response: ServerResponse, events: BedrockEvents): void {
  response.setHeader('content-type', 'application/vnd.amazon.eventstream');
  const bytes = Buffer.concat(events.map(([type, content]) => frameOf(type, content)));
  for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
  response.end();
}

/** It only writes frames, so it need not read text. */
const codec = new EventStreamCodec(String, (value) => Buffer.from(value));

/** Returns the bytes of a frame: lengths, headers and content, with two checksums. */
export function frameOf(type: string, content: object): Buffer {
  const kind = type.endsWith('Exception') ? 'exception' : 'event';
  const header = (value: string) => ({ type: 'string' as const, value });
  const facts = { ':message-type': header(kind), ':content-type': header('application/json') };
  const body = Buffer.from(JSON.stringify({ ...content, p: 'abcdefgh' }));
  return Buffer.from(codec.encode({ headers: { ...facts, [`:${kind}-type`]: header(type) }, body }));
}

const { region, ...credentials } = AWS_KEYS;
const account = { service: 'bedrock', region, credentials };
const signer = new SignatureV4({ ...account, sha256: Sha256, applyChecksum: false });

/** Returns whether the request has the account's API key, or a signature by its keys that is not old. */
async function isAuthorized({ headers, url = '' }: IncomingMessage, body: string): Promise<boolean> {
  const { authorization, host = '' } = headers;
  if (authorization === `Bearer ${BEDROCK_API_KEY}`) return true;
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
  const signingDate = new Date(String(headers['x-amz-date']).replace(date, '$1-$2-$3T$4:$5:$6Z'));
  const isFresh = Math.abs(Date.now() - signingDate.getTime()) < 5 * 60_000;
  if (!isFresh || headers['x-amz-security-token'] !== AWS_KEYS.sessionToken) return false;
  const request = { method: 'POST', protocol: 'http:', hostname: host, path: url, headers: { host }, body };
  const signed = await signer.sign(request, { signingDate });
  return authorization === signed.headers['authorization'];
}

/** Accepts what AWS calls a union: an object with one of these fields. */
function oneOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const hasOne = (fields: object): boolean => Object.keys(fields).length === 1;
  return z.strictObject(shape).partial().refine(hasOne, 'must have one field');
}

const bytes = z.string().regex(/^[A-Za-z0-9+/]+=*$/);
const cachePoint = z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() });
const words = z.string().refine((value) => value.trim() !== '', 'The text field is blank');
const source = z.strictObject({ bytes });
const image = z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source });
const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
  name: z.string().regex(/^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/),
  source,
  context: z.string().optional(),
});
const toolId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const record = z.record(z.string(), z.unknown());
const block = oneOf({
  text: words,
  image,
  document,
  cachePoint,
  toolUse: z.strictObject({ toolUseId: toolId, name: z.string(), input: record }),
  toolResult: z.strictObject({
    toolUseId: toolId,
    content: z.array(oneOf({ text: words, image, document })),
    status: z.enum(['success', 'error']).optional(),
  }),
  reasoningContent: oneOf({
    reasoningText: z.strictObject({ text: z.string(), signature: z.string() }),
    redactedContent: bytes,
  }),
});
const toolSpec = z.strictObject({
  name: toolId,
  description: z.string().min(1).optional(),
  inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
  strict: z.boolean().optional(),
});
const none = z.strictObject({});
const toolChoice = oneOf({ auto: none, any: none, tool: z.strictObject({ name: z.string() }) });
const inferenceConfig = z.strictObject({
  maxTokens: z.int().min(1),
  temperature: z.number().min(0).max(1),
  topP: z.number(),
  stopSequences: z.array(z.string()).max(4),
});
const options = z.strictObject({
  system: z.array(oneOf({ text: words, cachePoint })),
  inferenceConfig: inferenceConfig.partial(),
  toolConfig: z.strictObject({
    tools: z.array(oneOf({ toolSpec, cachePoint })).min(1),
    toolChoice: toolChoice.optional(),
  }),
  outputConfig: z.strictObject({ textFormat: record }),
  guardrailConfig: record,
  serviceTier: z.strictObject({ type: z.enum(['priority', 'default', 'flex', 'reserved']) }),
  requestMetadata: z.record(z.string(), z.string()),
  additionalModelRequestFields: record,
});
const message = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) });
const converse = options.partial().extend({ messages: z.array(message) });

/** Returns what AWS refuses in a Converse request; undefined for nothing. */
function problemOf(body: unknown): string | undefined {
  const { data, error } = converse.safeParse(body);
  if (error !== undefined)
    return error.issues.map(({ path, message: rule }) => `${path.join('.')}: ${rule}`).join('; ');
  const { messages, toolConfig } = data;
  if (messages.some(({ role }, i) => role !== (i % 2 === 0 ? 'user' : 'assistant')))
    return 'A conversation must alternate between user and assistant roles.';
  const blocks = messages.flatMap(({ content }) => content);
  if (toolConfig === undefined && blocks.some(({ toolUse, toolResult }) => toolUse ?? toolResult))
    return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
  const names = blocks.flatMap((one) => one.document?.name ?? []);
  return new Set(names).size < names.length ? 'Document names must be unique.' : undefined;
}
