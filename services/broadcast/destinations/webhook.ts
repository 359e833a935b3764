import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { signatureHeaders } from '../../webhooks/signature.ts';
import { createHttpAdapter, deliver } from './create-http-adapter.ts';
import { createOtlpClassifier } from './create-otlp-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import type { DestinationAdapter, SendDeps } from './destination-adapter.ts';
import type { ToolRequest } from './exchange.ts';
import { stableUuid } from './stable-uuid.ts';

type Config = DestinationConfigs['webhook'];

const OTLP = { names: ['openrouter'] } as const;
const EMPTY_PAYLOAD = Buffer.from('{"resourceSpans":[]}');

/**
 * Sends OTLP as JSON to an endpoint of the owner's own. With secrets, the body is signed by the rules of Standard
 * Webhooks. A repeated batch has the same `webhook-id`.
 */
export const webhook: DestinationAdapter<Config> = {
  ...createHttpAdapter<Config>({
    limits: DEFAULT_LIMITS,
    prepare({ spans, id, destinationId }, config, deps) {
      const body = deps.encoder.encodeSpans(spans, {
        format: 'json',
        ...OTLP,
        resource: { 'service.name': 'sluice' },
      });
      return signedRequest(body, stableUuid(`${destinationId}/${id}`), config, deps);
    },
    classify: createOtlpClassifier(),
  }),
  otlp: OTLP,
  /** Sends an empty payload. Endpoints that validate payloads may answer 400. */
  test(config, deps, signal) {
    const request = signedRequest(EMPTY_PAYLOAD, stableUuid(`test/${deps.now()}`), config, deps);
    request.headers['x-test-connection'] = 'true';
    return deliver(
      {
        config,
        request,
        limits: DEFAULT_LIMITS,
        classify: ({ status }) => (status === 400 ? { kind: 'delivered', rejected: 0 } : undefined),
      },
      deps,
      signal,
    );
  },
};

function signedRequest(
  body: Uint8Array,
  id: string,
  { url, method }: Config,
  { webhookSecrets, now }: SendDeps,
): ToolRequest {
  const payload = () => Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
  const signature =
    webhookSecrets.length === 0
      ? { 'webhook-id': id }
      : signatureHeaders([...webhookSecrets], id, payload(), now());
  return { url, method, headers: { 'content-type': 'application/json', ...signature }, body };
}
