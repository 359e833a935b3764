/** Loads parts of the configuration, for commands that need no other settings. */
import { checkTogether } from './config-checks.ts';
import type { AllValues } from './config-values.ts';
import { ConfigError, readVariables } from './config-variable.ts';
import { databaseConfig, objectStoreConfig, publicUrlOf, temporalConfig, webhookConfig } from './config.ts';
import { webhookVariables } from './job-variables.ts';
import { ledgerConfig, ledgerVariables } from './ledger-variables.ts';
import { databaseVariables, httpVariables, processVariables, temporalVariables } from './server-variables.ts';
import { objectStoreVariables, safetyVariables } from './storage-variables.ts';

const { PORT, PUBLIC_URL } = httpVariables;
const { ENCRYPTION_KEYS } = safetyVariables;

/** The variables of each part, and how the part follows from their values. */
const PARTS = {
  logLevel: { variables: {}, read: (v: AllValues) => v.LOG_LEVEL },
  publicUrl: { variables: { PORT, PUBLIC_URL }, read: publicUrlOf },
  database: { variables: databaseVariables, read: databaseConfig },
  temporal: { variables: temporalVariables, read: temporalConfig },
  encryption: { variables: { ENCRYPTION_KEYS }, read: (v: AllValues) => v.ENCRYPTION_KEYS },
  objectStore: { variables: objectStoreVariables, read: objectStoreConfig },
  webhooks: { variables: webhookVariables, read: webhookConfig },
  ledger: { variables: ledgerVariables, read: ledgerConfig },
};

type Parts = typeof PARTS;

/** Loads these parts. Throws a ConfigError that lists the problems of their variables only. */
export function loadConfigParts<const P extends keyof Parts>(
  env: NodeJS.ProcessEnv,
  ...names: P[]
): { [N in P]: ReturnType<Parts[N]['read']> } {
  const ofParts = names.map((name) => PARTS[name].variables);
  const variables: typeof processVariables = Object.assign({}, processVariables, ...ofParts);
  const { values, problems } = readVariables(variables, env);
  const malformed = new Set(problems.map(({ variable }) => variable));
  const conflicts = checkTogether(values).filter(
    ({ variable }) => variable in variables && !malformed.has(variable),
  );
  if (problems.length + conflicts.length > 0) throw new ConfigError([...problems, ...conflicts]);
  const parts = names.map((name) => [name, PARTS[name].read(values as AllValues)]);
  return Object.fromEntries(parts) as { [N in P]: ReturnType<Parts[N]['read']> };
}
