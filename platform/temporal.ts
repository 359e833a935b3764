/** Connects processes to Temporal, with API key or TLS certificates. */
import { readFile } from 'node:fs/promises';
import { Connection } from '@temporalio/client';
import { StartProblem } from './start-problem.ts';

export interface TemporalConfig {
  /** `host:port`. */
  address: string;
  namespace: string;
  apiKey?: string | undefined;
  /** False: the connection is not encrypted. The paths are those of PEM files. */
  tls:
    | false
    | {
        serverNameOverride?: string | undefined;
        clientCertPath?: string | undefined;
        clientKeyPath?: string | undefined;
        caPath?: string | undefined;
      };
  /** The address of Temporal's web UI; used in logs and messages only. */
  uiUrl?: string | undefined;
}

/** The options for both a client's Connection and a worker's NativeConnection. */
export interface TemporalConnectionOptions {
  address: string;
  apiKey?: string;
  /** This field is always set, because the SDK would otherwise encrypt only with an API key. */
  tls: false | TlsOptions;
}

interface TlsOptions {
  serverNameOverride?: string;
  serverRootCACertificate?: Buffer;
  clientCertPair?: { crt: Buffer; key: Buffer };
}

/**
 * Connects a client. With `lazy` it returns at once and connects at the first call, so that an API can start and accept
 * jobs during an outage of Temporal. Otherwise it rejects if the server does not answer within ten seconds. Missing or
 * unreadable certificate files reject in both cases.
 */
export async function connectTemporal(
  config: TemporalConfig,
  { lazy = false }: { lazy?: boolean } = {},
): Promise<Connection> {
  const options = await nativeConnectionOptions(config);
  return lazy ? Connection.lazy(options) : Connection.connect(options);
}

/** Returns the options for `NativeConnection.connect` of a worker. */
export async function nativeConnectionOptions(config: TemporalConfig): Promise<TemporalConnectionOptions> {
  const { address, apiKey, tls } = config;
  const options = { address, tls: tls === false ? tls : await readTlsFiles(tls) };
  return apiKey === undefined ? options : { ...options, apiKey };
}

/** The oldest server that tests run against: 1.29. */
const OLDEST_MINOR = 29;

/** Throws a StartProblem if the server is older than the oldest version that is tested. */
export async function requireSupportedTemporal(connection: Connection): Promise<void> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(serverVersion ?? '') ?? [];
  if (major === undefined || Number(major) > 1 || Number(minor) >= OLDEST_MINOR) return;
  throw new StartProblem(`Sluice needs Temporal 1.${OLDEST_MINOR} or later; this server is ${serverVersion}`);
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
