/** Lets the AWS SDK write to a customer's bucket without bypassing the outbound guard. */
import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import type { SendDeps } from './destination-adapter.ts';
import { exchange } from './exchange.ts';
import type { ToolAnswer } from './exchange.ts';

type Config = DestinationConfigs['s3'];

/** Headers that authenticate a request. The signer would keep existing ones, so the owner's are dropped. */
const SIGNATURE_HEADERS = new Set([
  'authorization',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
]);

/** The fields of the SDK's requests that are used here. */
interface SdkRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: Uint8Array;
}

export interface GuardedS3Client {
  client: S3Client;
  /** Returns the answer to the latest request; undefined when none came. */
  latestAnswer(): ToolAnswer | undefined;
}

/**
 * Builds a client of the AWS SDK whose requests all pass the outbound guard. It ignores the AWS settings of the
 * process: endpoint, region and credentials are the owner's. Requests are not retried.
 */
export function createGuardedS3Client(config: Config, deps: SendDeps, signal: AbortSignal): GuardedS3Client {
  const { region = 'us-east-1', endpoint, accessKeyId, secretAccessKey, sessionToken } = config;
  let latest: ToolAnswer | undefined;
  const client = new S3Client({
    region,
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
    forcePathStyle: endpoint !== undefined,
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
    maxAttempts: 1,
    // Other services than AWS refuse the SDK's own checksums; the signature covers the body's SHA-256 anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: createHandler(async (request) => {
      latest = undefined;
      latest = await exchange(deps, request, undefined, signal);
      return latest;
    }),
  });
  addOwnersHeaders(client, config.headers ?? {});
  return { client, latestAnswer: () => latest };
}

type Exchange = (request: {
  url: string;
  method: 'PUT';
  headers: Record<string, string>;
  body: Uint8Array;
}) => Promise<ToolAnswer>;

function createHandler(send: Exchange): NonNullable<S3ClientConfig['requestHandler']> {
  return {
    async handle({ protocol, hostname, port, path, query = {}, headers, body = Buffer.of() }: SdkRequest) {
      const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) parameters.set(name, String(value ?? ''));
      const url = `${origin}${path}?${parameters.toString()}`;
      const answer = await send({ url, method: 'PUT', headers, body });
      return {
        response: {
          statusCode: answer.status,
          headers: answer.headers,
          body: Readable.from([answer.body]),
        },
      };
    },
  };
}

/** Adds headers before the request is signed, because S3 requires that its own headers are signed. */
function addOwnersHeaders(client: S3Client, ownersHeaders: Record<string, string>): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as SdkRequest;
      for (const [name, value] of Object.entries(ownersHeaders)) {
        const lower = name.toLowerCase();
        if (!SIGNATURE_HEADERS.has(lower)) headers[lower] ??= value;
      }
      return next(args);
    },
    { step: 'build', name: 'addOwnersHeaders' },
  );
}
