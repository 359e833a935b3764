import type { Values } from './config-variable.ts';
import { jobVariables, webhookVariables } from './job-variables.ts';
import { ledgerVariables } from './ledger-variables.ts';
import { limitVariables } from './limit-variables.ts';
import { metricsVariables } from './metrics-variables.ts';
import {
  databaseVariables,
  httpVariables,
  processVariables,
  temporalVariables,
  workerVariables,
} from './server-variables.ts';
import { objectStoreVariables, safetyVariables } from './storage-variables.ts';

/** Every variable with a fixed name that the API, the worker and the admin commands read. */
export const allVariables = {
  ...processVariables,
  ...httpVariables,
  ...databaseVariables,
  ...temporalVariables,
  ...workerVariables,
  ...objectStoreVariables,
  ...safetyVariables,
  ...jobVariables,
  ...webhookVariables,
  ...limitVariables,
  ...ledgerVariables,
  ...metricsVariables,
};

export type AllValues = Values<typeof allVariables>;
