/** Declares the environment variables of the processes, HTTP, Postgres, Temporal, the workers and metrics. */
import { QUEUES } from '../domain/runs.ts';
import type { QueueName } from '../domain/runs.ts';
import { trustedProxies } from './address-lists.ts';
import * as rules from './config-rules.ts';
import { defaulted, optional, required } from './config-variable.ts';

/** The log levels, the most detailed first. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];
const postgresUrl = rules.urlOf('postgres', 'postgresql');

export const processVariables = {
  environment: defaulted('SLUICE_ENV', rules.oneOf(['production', 'development', 'test']), 'production', {
    sentence: 'The kind of deployment. `production` refuses settings that are only safe on a laptop.',
  }),
  logLevel: defaulted('LOG_LEVEL', rules.oneOf(LOG_LEVELS), 'info', {
    sentence: 'The least severe level that is logged.',
  }),
};

export const httpVariables = {
  host: defaulted('HOST', rules.anyText, '0.0.0.0', {
    sentence: 'The address the API listens on, and metrics of all processes.',
  }),
  port: defaulted('PORT', rules.wholeNumber(0, 65_535), '8080', {
    sentence: 'The port the API listens on; 0 takes a free one.',
  }),
  processes: defaulted('API_PROCESSES', rules.processCount(64), '1', {
    sentence:
      'How many processes answer requests on the same port, or `auto` for one per processor, as far as `DATABASE_POOL_MAX` reaches. With more than one, a further process hands them the connections, replaces those that end, and restarts them one by one on SIGHUP. They divide `DATABASE_POOL_MAX`, `SPOOL_MAX_SIZE` and the memory for request bodies. The more processes there are, the further spending may exceed a limit.',
    example: 'auto',
  }),
  publicUrl: optional('PUBLIC_URL', rules.baseUrl, {
    sentence: 'The origin clients reach the API under; it begins the absolute URLs in answers and webhooks.',
    example: 'https://sluice.example.com',
    unset: 'an error in production, `http://localhost:<PORT>` elsewhere',
  }),
  publicAliases: optional('PUBLIC_ALIASES', rules.httpOrigins, {
    sentence:
      'Further origins under which this gateway is reached, separated by commas, such as other host names of its proxy or its address inside the network. URLs of customers may not lead to them, to `PUBLIC_URL`, or to the address that the API listens on.',
    example: 'https://llm.example.com,http://sluice-api:8080',
    unset: 'none',
  }),
  creditsUrl: optional('CREDITS_URL', rules.urlOf('https', 'http'), {
    sentence: 'The page that the answer to a customer without credits points at.',
    example: 'https://example.com/credits',
    unset: '`<PUBLIC_URL>/docs/credits`, which says how an operator adds credits',
  }),
  maxBodyBytes: defaulted('MAX_BODY_SIZE', rules.byteSize('1KiB', '64MiB'), '1MiB', {
    sentence:
      'The largest request body; above it the answer is 413. A callback of a provider without a token in its address may be 256 KiB at most.',
  }),
  // The API keeps at most 128 MiB of one organization's bodies in memory, so a much larger body could never be read.
  maxGenerationBodyBytes: defaulted('MAX_GENERATION_BODY_SIZE', rules.byteSize('1KiB', '96MiB'), '32MiB', {
    sentence:
      'The largest request body of generation endpoints, which take inline media. At most 96 MiB: one organization may hold 128 MiB of request bodies.',
  }),
  trustedProxies: optional('TRUSTED_PROXIES', trustedProxies, {
    sentence:
      'The addresses and CIDR ranges of the proxies in front of the API. Only they may name the address of their caller, in `X-Forwarded-For` or else in `Forwarded`, and the country in `COUNTRY_HEADER`. They may open more connections than other addresses.',
    example: '10.0.0.0/8,2001:db8::7',
    unset:
      'the caller is the other end of the connection, so all callers behind a proxy share the limits of one address',
  }),
  maxAnswerBytes: defaulted('MAX_ANSWER_SIZE', rules.byteSize('1MiB', '256MiB'), '16MiB', {
    sentence:
      'The largest text answer that is accepted from an upstream; above it the answer is 502. The events of the Responses API that repeat the whole answer may be as large. At most a thirty-second of the heap of the process.',
  }),
  maxEventBytes: defaulted('MAX_EVENT_SIZE', rules.byteSize('64KiB', '64MiB'), '1MiB', {
    sentence:
      'The largest event of a stream of text that is accepted from an upstream, and at most `MAX_ANSWER_SIZE`; above it the stream ends with an error. Regular events have a few hundred bytes.',
  }),
  maxMediaAnswerBytes: defaulted('MAX_MEDIA_ANSWER_SIZE', rules.byteSize('1MiB', '256MiB'), '64MiB', {
    sentence:
      'The same for answers with media or vectors, and for each event of a stream of pictures: images, embeddings, and chats of models that make images or audio. At most a thirty-second of the heap of the process.',
  }),
  answerMemoryBytes: defaulted('ANSWER_MEMORY', rules.byteSize('16MiB', '64GiB'), '512MiB', {
    sentence:
      'The memory that answers of upstreams may use in all `API_PROCESSES` together, from their first bytes until their callers have them. An organization may use a quarter of it and a key an eighth. Answers of up to 64 KiB do not count. At most a quarter of the heap of each process.',
  }),
  countryHeader: optional('COUNTRY_HEADER', rules.headerName, {
    sentence:
      "The header in which a proxy in front sends the client's country as ISO 3166-1 alpha-2. Set it only if the proxy overwrites a value from the client. With `TRUSTED_PROXIES`, the value of other callers is ignored.",
    example: 'cf-ipcountry',
    unset: 'countries are not recorded',
  }),
  corsOrigins: optional('CORS_ORIGINS', rules.origins, {
    sentence:
      'The origins of web pages, extensions and apps that may call the API from a browser, separated by commas, or `*` for any. A key in a page is known to all who open it: give it a limit.',
    example: 'https://app.example.com,http://localhost:5173',
    unset: 'no page may',
  }),
  streamHeadersAfterMs: defaulted('STREAM_HEADERS_AFTER', rules.duration('0s', '1h'), '20s', {
    sentence:
      'How long a streamed chat, message or response waits for an upstream before its headers leave, with a comment that keeps proxies and clients from giving up. A failure after that is an event in the stream instead of a status. Above `15m` headers always wait for the upstream.',
  }),
  drainDelayMs: optional('API_DRAIN_DELAY', rules.duration('0s', '1h'), {
    sentence:
      'How long the API still takes new connections after a stop signal. `/readyz` is 503 from the signal on, so that a load balancer in front can leave before the port closes.',
    example: '15s',
    unset: '`5s` in production, `0s` elsewhere',
  }),
  shutdownGraceMs: defaulted('API_SHUTDOWN_GRACE', rules.duration('0s', '1h'), '30s', {
    sentence:
      'How long requests may finish after a stop signal and `API_DRAIN_DELAY`. The process then has 20 seconds more to record the requests that it cut off.',
  }),
};

export const databaseVariables = {
  url: required('DATABASE_URL', postgresUrl, {
    sentence:
      'Postgres, or a pooler in front of it that knows prepared statements, as PgBouncer does from 1.21 on. Options such as `sslmode` go into the URL.',
    example: 'postgres://sluice:password@db.example.com:5432/sluice',
    secret: true,
  }),
  listenUrl: optional('DATABASE_LISTEN_URL', postgresUrl, {
    sentence:
      'The same database without a transaction pooler in between: notifications and the ledger need a session.',
    example: 'postgres://sluice:password@db.example.com:5433/sluice',
    unset: '`DATABASE_URL`',
    secret: true,
  }),
  readUrl: optional('DATABASE_READ_URL', postgresUrl, {
    sentence:
      'A read replica for analytics and reports, which may lag behind. The API opens four connections to it at most, or two for each of `API_PROCESSES` where that is more, and a worker two, beside those of `DATABASE_POOL_MAX`.',
    example: 'postgres://sluice:password@replica.example.com:5432/sluice',
    unset: '`DATABASE_URL`',
    secret: true,
  }),
  poolMax: defaulted('DATABASE_POOL_MAX', rules.wholeNumber(1, 500), '10', {
    sentence:
      'The most connections one worker, or all `API_PROCESSES` together, open to the primary for their requests. Each of several API processes needs two; while they are restarted there is one process more.',
  }),
  statementTimeoutMs: defaulted('DATABASE_STATEMENT_TIMEOUT', rules.duration('1s', '1h'), '10s', {
    sentence:
      'How long Postgres may work on one statement of the API or a worker, and at most five seconds on one of analytics and lists; migrations and admin commands take as long as they need. A server that does not answer within two more seconds counts as down. Sent when connecting, with `idle_in_transaction_session_timeout`; for a pooler that refuses such parameters, end `DATABASE_URL` with `?statement_timeout=&idle_in_transaction_session_timeout=`.',
  }),
};

export const temporalVariables = {
  address: required('TEMPORAL_ADDRESS', rules.hostAndPort, {
    sentence: "The Temporal server's frontend.",
    example: 'temporal.example.com:7233',
  }),
  namespace: defaulted('TEMPORAL_NAMESPACE', rules.anyText, 'default', {
    sentence: 'The Temporal namespace.',
  }),
  apiKey: optional('TEMPORAL_API_KEY', rules.anyText, {
    sentence: 'An API key, as Temporal Cloud issues them; switches TLS on.',
    example: 'eyJhbGciOi…',
    unset: 'no API key is sent',
    secret: true,
  }),
  tls: optional('TEMPORAL_TLS', rules.trueOrFalse, {
    sentence: 'Whether the connection is encrypted.',
    example: 'true',
    unset: 'on when an API key or another `TEMPORAL_TLS_…` variable is set, else off',
  }),
  serverNameOverride: optional('TEMPORAL_TLS_SERVER_NAME', rules.anyText, {
    sentence: "The name expected in the server's certificate.",
    example: 'temporal.example.com',
    unset: 'the host of `TEMPORAL_ADDRESS`',
  }),
  caPath: optional('TEMPORAL_TLS_SERVER_CA_CERT_PATH', rules.absolutePath, {
    sentence: "PEM file with the authority that signed the server's certificate.",
    example: '/etc/sluice/temporal-ca.pem',
    unset: "the system's authorities",
  }),
  clientCertPath: optional('TEMPORAL_TLS_CLIENT_CERT_PATH', rules.absolutePath, {
    sentence: 'PEM file with the client certificate (mTLS); goes with the key.',
    example: '/etc/sluice/temporal.pem',
    unset: 'no client certificate is sent',
  }),
  clientKeyPath: optional('TEMPORAL_TLS_CLIENT_KEY_PATH', rules.absolutePath, {
    sentence: "PEM file with the client certificate's private key.",
    example: '/etc/sluice/temporal.key',
    unset: 'no client certificate is sent',
  }),
  uiUrl: optional('TEMPORAL_UI_URL', rules.baseUrl, {
    sentence: 'The Temporal Web UI, for links shown to operators.',
    example: 'https://temporal-ui.example.com',
    unset: 'no links are shown',
  }),
};

export const workerVariables = {
  queues: defaulted('WORKER_QUEUES', rules.someOf(QUEUE_NAMES), QUEUE_NAMES.join(','), {
    sentence: 'The task queues this worker serves.',
    example: 'video',
  }),
  buildId: optional('WORKER_BUILD_ID', rules.anyText, {
    sentence: 'The build, for worker versioning: a running job stays with the build it started on.',
    example: '2026-03-01-4f2c1d9',
    unset: 'the worker is not versioned',
  }),
  deploymentName: defaulted('WORKER_DEPLOYMENT_NAME', rules.anyText, 'sluice', {
    sentence: 'The worker deployment that the build belongs to.',
  }),
  shutdownGraceMs: defaulted('WORKER_SHUTDOWN_GRACE', rules.duration('0s', '1h'), '60s', {
    sentence: 'How long running activities may finish after a stop signal. The process has 15 seconds more.',
  }),
};

export const metricsVariables = {
  apiPort: optional('METRICS_PORT', rules.wholeNumber(0, 65_535), {
    sentence:
      'The port on which the API answers `GET /metrics`, for all of `API_PROCESSES`, at the address `HOST`; 0 takes a free one. Requests need no key, so the port must not be reachable from outside.',
    example: '9464',
    unset: 'nothing is measured and nothing listens',
  }),
  workerPort: optional('WORKER_METRICS_PORT', rules.wholeNumber(0, 65_535), {
    sentence:
      'The port on which a worker answers `GET /metrics`, at the address `HOST`; 0 takes a free one. Every worker reads the numbers of open jobs and waiting webhooks in Postgres, over an additional connection, on request and at most every ten seconds. Requests need no key, so the port must not be reachable from outside.',
    example: '9465',
    unset: 'nothing is measured and nothing listens',
  }),
  temporalPort: optional('TEMPORAL_METRICS_PORT', rules.wholeNumber(1, 65_535), {
    sentence:
      'The port on which the Temporal SDK of a worker answers `GET /metrics` with metrics of its own, at the address `HOST`. Requests need no key, so the port must not be reachable from outside.',
    example: '9466',
    unset: 'the SDK measures nothing',
  }),
};
