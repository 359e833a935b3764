import { readFile } from 'node:fs/promises';
import { Connection } from '@temporalio/client';

export interface TemporalConfig {
  /** `host:port`. */
  address: string;
  namespace: string;
  apiKey?: string | undefined;
  /** False is plain text. The paths are PEM files. */
  tls:
    | false
    | {
        serverNameOverride?: string | undefined;
        clientCertPath?: string | undefined;
        clientKeyPath?: string | undefined;
        caPath?: string | undefined;
      };
  /** Where people look at workflows; shown in logs and messages only. */
  uiUrl?: string | undefined;
}

/** What both a client's Connection and a worker's NativeConnection take. */
export interface TemporalConnectionOptions {
  address: string;
  apiKey?: string;
  /** Never left out: the SDK would then encrypt or not depending on the API key. */
  tls: false | TlsOptions;
}

interface TlsOptions {
  serverNameOverride?: string;
  serverRootCACertificate?: Buffer;
  clientCertPair?: { crt: Buffer; key: Buffer };
}

/**
 * A client connection. `lazy` answers at once and connects at the first call, so that an API can start, and
 * keep accepting jobs, while Temporal is away; otherwise a server that does not answer within ten seconds
 * rejects. Missing or unreadable certificate files reject in both cases.
 */
export async function connectTemporal(
  config: TemporalConfig,
  { lazy = false }: { lazy?: boolean } = {},
): Promise<Connection> {
  const options = await nativeConnectionOptions(config);
  return lazy ? Connection.lazy(options) : Connection.connect(options);
}

/** For `NativeConnection.connect` of a worker. */
export async function nativeConnectionOptions(config: TemporalConfig): Promise<TemporalConnectionOptions> {
  const { address, apiKey, tls } = config;
  const options = { address, tls: tls === false ? tls : await readTlsFiles(tls) };
  return apiKey === undefined ? options : { ...options, apiKey };
}

async function readTlsFiles(tls: Exclude<TemporalConfig['tls'], false>): Promise<TlsOptions> {
  const options: TlsOptions = {};
  if (tls.serverNameOverride !== undefined) options.serverNameOverride = tls.serverNameOverride;
  if (tls.caPath !== undefined) options.serverRootCACertificate = await readFile(tls.caPath);
  if (tls.clientCertPath !== undefined && tls.clientKeyPath !== undefined) {
    const [crt, key] = await Promise.all([readFile(tls.clientCertPath), readFile(tls.clientKeyPath)]);
    options.clientCertPair = { crt, key };
  }
  return options;
}
