/** Loads the whole configuration of a process from its environment variables. */
import type { QueueName } from '../domain/runs.ts';
import { processesOf, warningsOfProcesses } from './api-processes.ts';
import { checkTogether, requiresTls } from './config-checks.ts';
import { allVariables } from './config-values.ts';
import type { AllValues } from './config-values.ts';
import { ConfigError, readVariables, type Values } from './config-variable.ts';
import type { EncryptionConfig } from './encryption-keys.ts';
import { localUpstreamVariables } from './job-variables.ts';
import { type LedgerConfig, ledgerConfig } from './ledger-variables.ts';
import type { LogLevel } from './log-level.ts';
import { type MetricsConfig, metricsConfig } from './metrics-variables.ts';
import type { ObjectStoreConfig } from './object-store.ts';
import { providerVariableName, readProviderVariables } from './provider-variables.ts';
import type { ProviderConfig } from './provider-variables.ts';
import { type databaseVariables, processVariables } from './server-variables.ts';
import type { TemporalConfig } from './temporal.ts';

export interface DatabaseConfig {
  url: string;
  /** The URL for LISTEN. It must bypass a transaction pooler, because LISTEN needs a session. */
  listenUrl: string;
  /** The URL for reads that may lag behind `url`, such as a replica's. */
  readUrl: string;
  poolMax: number;
  statementTimeoutMs: number;
}

/**
 * The settings of a process. Sizes are in bytes and times in milliseconds unless a name says otherwise.
 * docs/configuration.md describes each of them.
 */
export interface Config {
  environment: 'development' | 'test' | 'production';
  logLevel: LogLevel;
  http: {
    host: string;
    port: number;
    /** The number of processes that answer requests. */
    processes: number;
    /** An origin, perhaps with a path, without a final slash. */
    publicUrl: string;
    /** Further origins under which clients reach the gateway. */
    publicAliases: string[];
    /** The time for which the API serves new connections after a stop signal. */
    drainDelayMs: number;
    shutdownGraceMs: number;
    creditsUrl: string;
    maxGenerationBodyBytes: number;
    maxBodyBytes: number;
    /** CIDR ranges. */
    trustedProxies: string[];
    maxAnswerBytes: number;
    maxEventBytes: number;
    maxMediaAnswerBytes: number;
    /** The memory for answers in all processes. */
    answerMemoryBytes: number;
    /** The name of the header in lower case. */
    countryHeader?: string | undefined;
    /** The origins whose pages may call the API; `*` stands for any. */
    corsOrigins: string[];
    streamHeadersAfterMs: number;
  };
  database: DatabaseConfig;
  temporal: TemporalConfig;
  worker: {
    queues: QueueName[];
    /** The id of this build. Absent: the worker is not versioned. */
    buildId?: string | undefined;
    deploymentName: string;
    shutdownGraceMs: number;
  };
  objectStore: ObjectStoreConfig;
  encryption: EncryptionConfig;
  loggedBodies: { retentionMs: number };
  /** Undefined: audit entries are never deleted. */
  auditRetentionMs: number | undefined;
  outbound: { allow: string[] };
  jobs: {
    outputRetentionMs: number;
    /** The time for which an ended job is kept. */
    retentionMs: number;
    signedUrlMs: number;
    pendingDeadlineMs: number;
    pollFloorMs: number;
    pollCeilingMs: number;
    submitTimeoutMs: number;
    checkTimeoutMs: number;
    storeTimeoutMs: number;
    maxOutputBytes: number;
    slowClaimMs: number;
    /** The most open jobs of an organization, and the largest size of their requests together. */
    maxOpen: { jobs: number; bytes: number };
  };
  ledger: LedgerConfig;
  limits: {
    spendingRefreshMs: number;
    /** Undefined: generation requests are not limited. */
    rateLimitRequests: number | undefined;
    rateLimitIntervalMs: number;
    /** Undefined: a part of the sockets of each process. */
    inFlightOfKey: number | undefined;
    inFlightOfOrganization: number | undefined;
  };
  webhooks: { timeoutMs: number; scheduleSeconds: number[] };
  metrics: MetricsConfig;
  /** Returns a provider's credentials by its slug; an empty object for a provider without any. */
  providers: (slug: string) => ProviderConfig;
  /** Warnings about valid settings. The process that starts logs them. */
  warnings: string[];
}

/** Reads and checks all variables. Throws one ConfigError that lists every problem, without any secret. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { values, problems } = readVariables(allVariables, env);
  const { providers, problems: providerProblems, unknown } = readProviderVariables(env);
  const malformed = new Set(problems.map((problem) => problem.variable));
  const conflicts = checkTogether(values).filter((problem) => !malformed.has(problem.variable));
  const all = [...problems, ...conflicts, ...providerProblems];
  if (all.length > 0) throw new ConfigError(all);
  const complete = values as AllValues;
  return {
    ...serverConfig(complete),
    ...storageConfig(complete),
    ...jobConfig(complete),
    ledger: ledgerConfig(complete),
    metrics: metricsConfig(complete),
    providers: (slug) => providers.get(providerVariableName(slug)) ?? {},
    warnings: [
      ...unknown.map((name) => `${name} is not a variable that Sluice reads`),
      ...(complete.SLUICE_ENV === 'production' && complete.PUBLIC_URL?.startsWith('http:') === true
        ? ['PUBLIC_URL is not https: signed URLs and API keys travel unencrypted']
        : []),
      ...warningsOfProcesses(complete),
    ],
  };
}

/** Loads the configuration of the local upstream. */
export function loadLocalUpstreamConfig(env: NodeJS.ProcessEnv): {
  host: string;
  port: number;
  logLevel: LogLevel;
} {
  const variables = { ...processVariables, ...localUpstreamVariables };
  const { values, problems } = readVariables(variables, env);
  if (problems.length > 0) throw new ConfigError(problems);
  const {
    UPSTREAM_HOST: host,
    UPSTREAM_PORT: port,
    LOG_LEVEL: logLevel,
  } = values as Values<typeof variables>;
  return { host, port, logLevel };
}

/** The default of API_DRAIN_DELAY in production. Balancers probe every few seconds at most. */
const DRAIN_DELAY_MS = 5_000;

function serverConfig(
  v: AllValues,
): Pick<Config, 'environment' | 'logLevel' | 'http' | 'database' | 'temporal' | 'worker'> {
  const publicUrl = publicUrlOf(v);
  return {
    environment: v.SLUICE_ENV,
    logLevel: v.LOG_LEVEL,
    http: {
      host: v.HOST,
      port: v.PORT,
      processes: processesOf(v),
      publicUrl,
      publicAliases: v.PUBLIC_ALIASES ?? [],
      drainDelayMs: v.API_DRAIN_DELAY ?? (v.SLUICE_ENV === 'production' ? DRAIN_DELAY_MS : 0),
      shutdownGraceMs: v.API_SHUTDOWN_GRACE,
      creditsUrl: v.CREDITS_URL ?? `${publicUrl}/docs/credits`,
      maxGenerationBodyBytes: v.MAX_GENERATION_BODY_SIZE,
      maxBodyBytes: v.MAX_BODY_SIZE,
      trustedProxies: v.TRUSTED_PROXIES ?? [],
      maxAnswerBytes: v.MAX_ANSWER_SIZE,
      maxEventBytes: v.MAX_EVENT_SIZE,
      maxMediaAnswerBytes: v.MAX_MEDIA_ANSWER_SIZE,
      answerMemoryBytes: v.ANSWER_MEMORY,
      countryHeader: v.COUNTRY_HEADER,
      corsOrigins: v.CORS_ORIGINS ?? [],
      streamHeadersAfterMs: v.STREAM_HEADERS_AFTER,
    },
    database: databaseConfig(v),
    temporal: temporalConfig(v),
    worker: {
      queues: v.WORKER_QUEUES,
      buildId: v.WORKER_BUILD_ID,
      deploymentName: v.WORKER_DEPLOYMENT_NAME,
      shutdownGraceMs: v.WORKER_SHUTDOWN_GRACE,
    },
  };
}

/** Returns the origin that clients use. Production requires PUBLIC_URL. */
export function publicUrlOf({ PUBLIC_URL, PORT }: AllValues): string {
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}

type DatabaseValues = Pick<AllValues, keyof typeof databaseVariables>;

export function databaseConfig(v: DatabaseValues): DatabaseConfig {
  return {
    url: v.DATABASE_URL,
    listenUrl: v.DATABASE_LISTEN_URL ?? v.DATABASE_URL,
    readUrl: v.DATABASE_READ_URL ?? v.DATABASE_URL,
    poolMax: v.DATABASE_POOL_MAX,
    statementTimeoutMs: v.DATABASE_STATEMENT_TIMEOUT,
  };
}

export function temporalConfig(v: AllValues): TemporalConfig {
  return {
    address: v.TEMPORAL_ADDRESS,
    namespace: v.TEMPORAL_NAMESPACE,
    apiKey: v.TEMPORAL_API_KEY,
    uiUrl: v.TEMPORAL_UI_URL,
    tls:
      (v.TEMPORAL_TLS ?? requiresTls(v))
        ? {
            serverNameOverride: v.TEMPORAL_TLS_SERVER_NAME,
            caPath: v.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
            clientCertPath: v.TEMPORAL_TLS_CLIENT_CERT_PATH,
            clientKeyPath: v.TEMPORAL_TLS_CLIENT_KEY_PATH,
          }
        : false,
  };
}

function storageConfig(
  v: AllValues,
): Pick<Config, 'objectStore' | 'encryption' | 'loggedBodies' | 'auditRetentionMs' | 'outbound'> {
  return {
    objectStore: objectStoreConfig(v),
    encryption: v.ENCRYPTION_KEYS,
    loggedBodies: { retentionMs: v.LOGGED_BODY_RETENTION },
    auditRetentionMs: v.AUDIT_RETENTION,
    outbound: { allow: v.OUTBOUND_ALLOW ?? [] },
  };
}

export function objectStoreConfig(v: AllValues): ObjectStoreConfig {
  if (v.OBJECT_STORE.kind === 'file') return v.OBJECT_STORE;
  return {
    ...v.OBJECT_STORE,
    endpoint: v.S3_ENDPOINT,
    region: v.S3_REGION,
    accessKeyId: v.S3_ACCESS_KEY_ID,
    secretAccessKey: v.S3_SECRET_ACCESS_KEY,
    forcePathStyle: v.S3_FORCE_PATH_STYLE,
  };
}

function jobConfig(v: AllValues): Pick<Config, 'jobs' | 'limits' | 'webhooks'> {
  return {
    limits: {
      spendingRefreshMs: v.SPENDING_REFRESH,
      rateLimitRequests: v.RATE_LIMIT_REQUESTS,
      rateLimitIntervalMs: v.RATE_LIMIT_INTERVAL,
      inFlightOfKey: v.MAX_IN_FLIGHT_PER_KEY,
      inFlightOfOrganization: v.MAX_IN_FLIGHT_PER_ORGANIZATION,
    },
    jobs: {
      outputRetentionMs: v.OUTPUT_RETENTION,
      retentionMs: v.VIDEO_JOB_RETENTION,
      signedUrlMs: v.SIGNED_URL_LIFETIME,
      pendingDeadlineMs: v.JOB_PENDING_DEADLINE,
      pollFloorMs: v.JOB_POLL_FLOOR,
      pollCeilingMs: v.JOB_POLL_CEILING,
      submitTimeoutMs: v.JOB_SUBMIT_TIMEOUT,
      checkTimeoutMs: v.JOB_CHECK_TIMEOUT,
      storeTimeoutMs: v.JOB_STORE_TIMEOUT,
      maxOutputBytes: v.MAX_OUTPUT_SIZE,
      slowClaimMs: v.JOB_SLOW_CLAIM,
      maxOpen: { jobs: v.MAX_OPEN_JOBS, bytes: v.MAX_OPEN_JOBS_SIZE },
    },
    webhooks: webhookConfig(v),
  };
}

export function webhookConfig(v: AllValues): Config['webhooks'] {
  return { timeoutMs: v.WEBHOOK_TIMEOUT, scheduleSeconds: v.WEBHOOK_SCHEDULE_SECONDS };
}
