/** Declares the environment variables of the metrics ports. */
import { wholeNumber } from './config-rules.ts';
import { optional, type Values } from './config-variable.ts';

const unset = 'nothing is measured and nothing listens';

export const metricsVariables = {
  METRICS_PORT: optional(wholeNumber(0, 65_535), {
    sentence:
      'The port on which the API answers `GET /metrics`, for all of `API_PROCESSES`, at the address `HOST`; 0 takes a free one. Requests need no key, so the port must not be reachable from outside.',
    example: '9464',
    unset,
  }),
  WORKER_METRICS_PORT: optional(wholeNumber(0, 65_535), {
    sentence:
      'The port on which a worker answers `GET /metrics`, at the address `HOST`; 0 takes a free one. Every worker reads the numbers of open jobs and waiting webhooks in Postgres, over an additional connection, on request and at most every ten seconds. Requests need no key, so the port must not be reachable from outside.',
    example: '9465',
    unset,
  }),
  TEMPORAL_METRICS_PORT: optional(wholeNumber(1, 65_535), {
    sentence:
      'The port on which the Temporal SDK of a worker answers `GET /metrics` with metrics of its own, at the address `HOST`. Requests need no key, so the port must not be reachable from outside.',
    example: '9466',
    unset: 'the SDK measures nothing',
  }),
};

export interface MetricsConfig {
  host: string;
  /** The ports of the listeners; undefined: the listener is off. */
  apiPort: number | undefined;
  workerPort: number | undefined;
  temporalPort: number | undefined;
}

export function metricsConfig(values: Values<typeof metricsVariables> & { HOST: string }): MetricsConfig {
  return {
    host: values.HOST,
    apiPort: values.METRICS_PORT,
    workerPort: values.WORKER_METRICS_PORT,
    temporalPort: values.TEMPORAL_METRICS_PORT,
  };
}
