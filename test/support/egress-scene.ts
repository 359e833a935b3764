import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import tls from 'node:tls';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { createSelfSignedCertificate } from '../platform/self-signed-certificate.ts';
import { addKey, type IssuedKey } from './accounts.ts';
import { auditAnswer } from './contract-audit.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { addIntern, addSecret, type StoredIntern } from './vaults.ts';

/** A host that interns call, over TLS, under every name below `host.localhost`. */
export interface TestHost {
  port: number;
  /** Such as `a.host.localhost:8443`. */
  at(name?: string): string;
  /** The requests that came, the latest last. */
  requests: ReceivedRequest[];
  /** Answers the requests from now on; an empty 200 before. */
  answer(listener: Answerer): void;
  connections(): number;
  close(): Promise<void>;
}

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

export type Answerer = (
  request: ReceivedRequest,
  response: ServerResponse,
  raw: IncomingMessage,
) => void | Promise<void>;

export const HOST = 'api.host.localhost';

/** Starts a host with a certificate of a throw-away authority, which this process trusts from now on. */
export async function startTestHost(): Promise<TestHost> {
  const certificate = createSelfSignedCertificate('*.host.localhost');
  // In place of an earlier one: two authorities of one name would be confused.
  tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), certificate.certificate]);
  const requests: ReceivedRequest[] = [];
  let answerer: Answerer = (_request, response) => void response.end();
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const received = {
        method,
        url,
        headers: headers as Record<string, string>,
        body: Buffer.concat(chunks),
      };
      requests.push(received);
      void answerer(received, response, request);
    });
  };
  const server = await startLoopbackServer(listener, certificate);
  return {
    port: server.port,
    at: (name = HOST) => `${name}:${server.port}`,
    requests,
    answer: (next) => {
      answerer = next;
    },
    connections: server.connections,
    close: server.close,
  };
}

export interface EgressOptions {
  headers?: Record<string, string>;
  body?: string | Buffer | Uint8Array<ArrayBuffer>;
  /** The key that calls; the intern's own when absent. */
  key?: string;
  host?: string;
  scheme?: string;
  signal?: AbortSignal;
}

/** A gateway in the programme with an intern that has a secret `key` for the test host, and that host. */
export interface EgressScene {
  gateway: Gateway;
  host: TestHost;
  intern: StoredIntern;
  key: IssuedKey;
  /** The value of the secret `key`. */
  value: string;
  /** Calls the host through the gateway. The headers have the placeholder of `key` unless they are given. */
  send(method: string, path: string, options?: EgressOptions): Promise<Response>;
  addSecret(name: string, value: string, hosts?: string[] | null): Promise<void>;
  /** The log of the intern, the newest first. */
  log(): Promise<LogEntry[]>;
  close(): Promise<void>;
}

export interface LogEntry {
  created_at: string;
  key_hash: string;
  method: string;
  host: string;
  names: string[];
  status: number | null;
  bytes: number | null;
}

export const WITH_KEY = { authorization: 'Bearer {{secret:key}}' };

export async function startEgressScene(options: GatewayOptions = {}): Promise<EgressScene> {
  const host = await startTestHost();
  const gateway = await startGateway({
    ...options,
    bootstrap: { entitlements: ['interns'], ...options.bootstrap },
  });
  const intern = await addIntern(gateway);
  const key = await addKey(gateway, { kind: 'intern', internId: intern.id });
  const value = 'sk-the-value-of-the-key';
  await addSecret(gateway, intern.vaultId, 'key', { value, hosts: [HOST] });
  const send: EgressScene['send'] = async (method, path, { headers = WITH_KEY, body, ...rest } = {}) => {
    const { key: token = key.token, host: name = host.at(), scheme = 'https', signal } = rest;
    const url = new URL(`/api/v1/interns/${intern.id}/egress/${scheme}/${name}${path}`, gateway.origin);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { 'sluice-authorization': `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body: body as string }),
      ...(signal === undefined ? {} : { signal }),
    });
    await auditAnswer(method, url, response);
    return response;
  };
  return {
    gateway,
    host,
    intern,
    key,
    value,
    send,
    addSecret: (name, text, hosts = [HOST]) =>
      addSecret(gateway, intern.vaultId, name, { value: text, hosts }),
    async log() {
      const response = await gateway.call('GET', `/interns/${intern.id}/egress-log`);
      return ((await response.json()) as { data: LogEntry[] }).data;
    },
    async close() {
      await gateway.close();
      await host.close();
    },
  };
}
