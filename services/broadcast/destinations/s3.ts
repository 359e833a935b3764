/** Sends generations to a customer's bucket in S3 or a compatible object store. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundTimeoutError,
} from '../../../platform/outbound-error.ts';
import { tooLarge } from './create-http-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import type { Batch, DestinationAdapter, AnswerClass, SendDeps, SendOutcome } from './destination-adapter.ts';
import type { ToolAnswer } from './exchange.ts';
import { createGuardedS3Client } from './guarded-s3-client.ts';
import { excerptOf, secretsOf } from './hide-secrets.ts';
import { classifyFailure, classifyStatus } from './classify-answer.ts';
import { objectFolder, objectKey } from './object-key.ts';
import { stableUuid } from './stable-uuid.ts';
import { traceLine } from './trace-line.ts';

type Config = DestinationConfigs['s3'];

const TEST_OBJECT = '.sluice-connection-test.json';

/** Codes of a 400 that every batch would get. */
const PAUSES = new Map([
  ['AuthorizationHeaderMalformed', 'The bucket lies in another region'],
  ['ExpiredToken', 'The session token has expired'],
  ['InvalidBucketName', 'The name of the bucket is not valid'],
  ['InvalidToken', 'The session token is not valid'],
]);

interface StoredObject {
  key: string;
  body: Buffer;
  contentType: string;
  /** True when an existing object of this key must stay. */
  isCreateOnly: boolean;
}

/**
 * Stores a batch as one `.jsonl` object for each folder that its spans belong to. The key is derived from the batch's
 * id, and S3 creates only missing objects: a repeated batch gets a 412, which counts as delivered.
 */
export const s3: DestinationAdapter<Config> = {
  limits: DEFAULT_LIMITS,
  async send(batch, config, deps, signal) {
    const objects = objectsOf(batch, config, deps.now());
    const bytes = objects.reduce((sum, { body }) => sum + body.length, 0);
    if (bytes > DEFAULT_LIMITS.bytes)
      return { ...tooLarge(bytes, DEFAULT_LIMITS.bytes), status: null, bytes };
    let outcome: SendOutcome = { kind: 'delivered', rejected: 0, status: null, bytes };
    for (const object of objects) {
      outcome = { ...(await put(object, config, deps, signal)), bytes };
      if (outcome.kind !== 'delivered') break;
    }
    return outcome;
  },
  /** Writes a small object below the prefix. */
  test(config, deps, signal) {
    const body = Buffer.from(`${JSON.stringify({ tested_at: new Date(deps.now()).toISOString() })}\n`);
    const key = objectKey(config.prefix, TEST_OBJECT);
    return put({ key, body, contentType: 'application/json', isCreateOnly: false }, config, deps, signal);
  },
};

function objectsOf({ spans, id, destinationId }: Batch, config: Config, nowMs: number): StoredObject[] {
  const exportedAt = new Date(nowMs).toISOString();
  const folders = Map.groupBy(spans, (span) => objectFolder(span, config));
  return [...folders].map(([folder, members]) => {
    const startedAtMs = Math.min(...members.map((span) => span.startedAtMs));
    const time = new Date(startedAtMs).toISOString().replace(/[-:.]/g, '');
    const name = `${time}-${stableUuid(`${destinationId}/${id}`)}.jsonl`;
    return {
      key: objectKey(folder, name),
      body: Buffer.from(members.map((span) => traceLine(span, exportedAt)).join('')),
      contentType: 'application/x-ndjson',
      isCreateOnly: true,
    };
  });
}

async function put(
  object: StoredObject,
  config: Config,
  deps: SendDeps,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { client, latestAnswer } = createGuardedS3Client(config, deps, signal);
  const { key, body, contentType, isCreateOnly } = object;
  let failure: unknown;
  try {
    await client.send(
      new PutObjectCommand({
        Bucket: config.bucketName,
        Key: key,
        Body: body,
        ContentType: contentType,
        ...(isCreateOnly ? { IfNoneMatch: '*' } : {}),
      }),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    failure = error;
  } finally {
    client.destroy();
  }
  const answer = latestAnswer();
  if (answer === undefined) return { ...classifyClientFailure(failure), status: null, bytes: body.length };
  // Some services do not support conditional writes. There, a repeated batch writes the same object again.
  if (answer.status === 501 && isCreateOnly)
    return put({ ...object, isCreateOnly: false }, config, deps, signal);
  const excerpt = excerptOf(answer.body, secretsOf(config));
  const answerClass = classifyObjectAnswer(answer, deps.now());
  return { ...answerClass, status: answer.status, bytes: body.length, excerpt };
}

function classifyObjectAnswer(answer: ToolAnswer, nowMs: number): AnswerClass {
  const { status } = answer;
  if (status === 412) return { kind: 'delivered', rejected: 0 };
  if (status === 409) {
    return { kind: 'retry', reason: 'Another write of the object is under way (409).', isServerError: false };
  }
  const code = /<Code>(\w{1,64})<\/Code>/.exec(answer.body.toString('utf8'))?.[1] ?? '';
  if (status !== 400) return classifyStatus(answer, nowMs);
  const reason = PAUSES.get(code);
  if (reason !== undefined) return { kind: 'pause', reason: `${reason} (${code}).` };
  if (code === 'EntityTooLarge') return { kind: 'too_large', reason: 'The object is too large (400).' };
  if (code === 'RequestTimeout') {
    return { kind: 'retry', reason: 'S3 waited too long for the object (400).', isServerError: false };
  }
  return classifyStatus(answer, nowMs);
}

/** Judges a request that the SDK refused before sending it, which is a fault of the configuration. */
function classifyClientFailure(error: unknown): AnswerClass {
  const isOutbound =
    error instanceof OutboundBlockedError ||
    error instanceof OutboundNetworkError ||
    error instanceof OutboundTimeoutError;
  if (isOutbound) return classifyFailure(error);
  return { kind: 'pause', reason: 'The S3 client refuses the configuration.' };
}
