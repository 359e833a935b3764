/** Lists the parts of the configuration, and loads those that a process or a command needs. */
import {
  ConfigError,
  type ConfigProblem,
  problemOf,
  readVariables,
  type Values,
  type Variables,
} from './config-variable.ts';
import { holdsLaptopKey } from './encryption-keys.ts';
import * as jobs from './job-variables.ts';
import type { ObjectStoreConfig } from './object-store.ts';
import * as server from './server-variables.ts';
import * as storage from './storage-variables.ts';
import type { TemporalConfig } from './temporal.ts';

type ProcessValues = Values<typeof server.processVariables>;

interface Part<T> {
  variables: Variables;
  /** Makes the part of the configuration from the values of its variables. */
  read(values: object, ofProcess: ProcessValues): T;
  /** Returns the ends of sentences about values that contradict others, by their keys. Invalid values are absent. */
  conflicts(values: object, ofProcess: Partial<ProcessValues>): Record<string, string | false>;
}

/** Makes a part. `conflicts` names the variable to change, by its key. */
function part<V extends Variables, T>(
  variables: V,
  read: (values: Values<V>, ofProcess: ProcessValues) => T,
  conflicts: (
    values: Partial<Values<V>>,
    ofProcess: Partial<ProcessValues>,
  ) => { [K in keyof V]?: string | false } = () => ({}),
): Part<T> {
  return { variables, read, conflicts } as Part<T>;
}

/** The default of API_DRAIN_DELAY in production. Balancers probe every few seconds at most. */
const DRAIN_DELAY_MS = 5_000;

/** Returns the origin that clients use. Production requires PUBLIC_URL. */
const publicUrlOf = ({ publicUrl, port }: { publicUrl: string | undefined; port: number }) =>
  publicUrl ?? `http://localhost:${port}`;

const publicUrlConflicts = (
  { publicUrl }: { publicUrl?: string | undefined },
  { environment }: Partial<ProcessValues>,
) => ({
  publicUrl: environment === 'production' && publicUrl === undefined && 'is not set, and production needs it',
});

/** Returns whether a setting is present that requires TLS. */
function requiresTls(v: Partial<Values<typeof server.temporalVariables>>): boolean {
  const settings = [v.apiKey, v.serverNameOverride, v.caPath, v.clientCertPath, v.clientKeyPath];
  return settings.some((value) => value !== undefined);
}

/** The parts of a configuration: the variables of each, its form, and its rules over several variables. */
export const PARTS = {
  environment: part({}, (_, { environment }) => environment),
  logLevel: part({}, (_, { logLevel }) => logLevel),
  http: part(
    server.httpVariables,
    (v, { environment }) => ({
      ...v,
      publicUrl: publicUrlOf(v),
      publicAliases: v.publicAliases ?? [],
      drainDelayMs: v.drainDelayMs ?? (environment === 'production' ? DRAIN_DELAY_MS : 0),
      creditsUrl: v.creditsUrl ?? `${publicUrlOf(v)}/docs/credits`,
      trustedProxies: v.trustedProxies ?? [],
      corsOrigins: v.corsOrigins ?? [],
    }),
    publicUrlConflicts,
  ),
  database: part(server.databaseVariables, (v) => ({
    ...v,
    listenUrl: v.listenUrl ?? v.url,
    readUrl: v.readUrl ?? v.url,
  })),
  temporal: part(
    server.temporalVariables,
    ({ tls, serverNameOverride, caPath, clientCertPath, clientKeyPath, ...v }): TemporalConfig => {
      const paths = { serverNameOverride, caPath, clientCertPath, clientKeyPath };
      return { ...v, tls: (tls ?? requiresTls({ ...v, ...paths })) ? paths : false };
    },
    (v) => ({
      tls: v.tls === false && requiresTls(v) && 'is false, but other variables need TLS to be on',
      clientCertPath:
        isAlone(v.clientKeyPath, v.clientCertPath) && 'is not set, but TEMPORAL_TLS_CLIENT_KEY_PATH is',
      clientKeyPath:
        isAlone(v.clientCertPath, v.clientKeyPath) && 'is not set, but TEMPORAL_TLS_CLIENT_CERT_PATH is',
    }),
  ),
  worker: part(server.workerVariables, (v) => v),
  objectStore: part(
    storage.objectStoreVariables,
    ({ location, ...v }): ObjectStoreConfig => (location.kind === 'file' ? location : { ...location, ...v }),
    ({ accessKeyId: id, secretAccessKey: secret }) => ({
      accessKeyId: isAlone(secret, id) && 'is not set, but S3_SECRET_ACCESS_KEY is',
      secretAccessKey: isAlone(id, secret) && 'is not set, but S3_ACCESS_KEY_ID is',
    }),
  ),
  auditRetentionMs: part(
    { retentionMs: storage.retentionVariables.auditRetentionMs },
    ({ retentionMs }) => retentionMs,
  ),
  loggedBodies: part({ retentionMs: storage.retentionVariables.loggedBodyRetentionMs }, (v) => v),
  encryption: part(
    { keys: storage.safetyVariables.encryptionKeys },
    ({ keys }) => keys,
    ({ keys }, { environment }) => ({
      keys:
        environment === 'production' &&
        keys !== undefined &&
        holdsLaptopKey(keys) &&
        'holds the key of the laptop stack, which anyone can read',
    }),
  ),
  outbound: part({ allow: storage.safetyVariables.outboundAllow }, ({ allow }) => ({ allow: allow ?? [] })),
  jobs: part(
    jobs.jobVariables,
    ({ maxOpenJobs, maxOpenBytes: bytes, ...v }) => ({ ...v, maxOpen: { jobs: maxOpenJobs, bytes } }),
    ({ pollFloorMs: floor, pollCeilingMs: ceiling }) => ({
      pollCeilingMs:
        floor !== undefined && ceiling !== undefined && ceiling < floor && 'is shorter than JOB_POLL_FLOOR',
    }),
  ),
  webhooks: part(jobs.webhookVariables, (v) => v),
  limits: part(jobs.limitVariables, (v) => v),
  ledger: part(storage.ledgerVariables, ({ spoolDirectory: directory, spoolMaxBytes: maxBytes, ...v }) => ({
    ...v,
    /** Absent: the API keeps no spool. */
    spool: directory === undefined ? undefined : { directory, maxBytes },
  })),
  metrics: part(server.metricsVariables, (v) => v),
};

const { port, publicUrl } = server.httpVariables;
const ALL_PARTS = { ...PARTS, publicUrl: part({ port, publicUrl }, publicUrlOf, publicUrlConflicts) };

type PartName = keyof typeof ALL_PARTS;
type Loaded<N extends PartName> = { [K in N]: ReturnType<(typeof ALL_PARTS)[K]['read']> };

/** Loads these parts. Throws a ConfigError that lists the problems of their variables only. */
export function loadConfigParts<N extends PartName>(env: NodeJS.ProcessEnv, ...names: N[]): Loaded<N> {
  return loadParts(env, names);
}

/** Loads these parts. Throws a ConfigError that lists the problems of their variables, and those given. */
export function loadParts<N extends PartName>(
  env: NodeJS.ProcessEnv,
  names: readonly N[],
  otherProblems: readonly ConfigProblem[] = [],
): Loaded<N> {
  const ofProcess = readVariables(server.processVariables, env);
  const parts = names.map((name) => readPart(name, env, ofProcess.values));
  const problems = [ofProcess, ...parts].flatMap((read) => read.problems).concat(otherProblems);
  if (problems.length > 0) throw new ConfigError(problems);
  const loaded = parts.map(({ name, values }) => [
    name,
    ALL_PARTS[name].read(values, ofProcess.values as ProcessValues),
  ]);
  return Object.fromEntries(loaded) as Loaded<N>;
}

/** Reads the variables of a part. A variable with a problem of its own is not checked for conflicts. */
function readPart<N extends PartName>(name: N, env: NodeJS.ProcessEnv, ofProcess: Partial<ProcessValues>) {
  const { variables, conflicts } = ALL_PARTS[name];
  const { values, problems } = readVariables(variables, env);
  const found = Object.entries(conflicts(values, ofProcess)).flatMap(([key, message]) => {
    const variable = variables[key];
    if (message === false || variable === undefined) return [];
    return problems.some((problem) => problem.variable === variable.name)
      ? []
      : [problemOf(variable, message)];
  });
  return { name, values, problems: [...problems, ...found] };
}

/** Returns whether the second of two settings that belong together is missing. */
function isAlone(setting: string | undefined, partner: string | undefined): boolean {
  return setting !== undefined && partner === undefined;
}
