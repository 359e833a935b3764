import { wholeNumber } from './config-rules.ts';
import { optional, type Values } from './config-variable.ts';

const unset = 'nothing is measured and nothing listens';

export const metricsVariables = {
  METRICS_PORT: optional(wholeNumber(0, 65_535), {
    sentence:
      'The port on which the API answers `GET /metrics`, for all of `API_PROCESSES`, at the address `HOST`; 0 takes a free one. Nobody is asked for a key, so it must not be reached from outside.',
    example: '9464',
    unset,
  }),
};

export interface MetricsConfig {
  host: string;
  /** Undefined where it is off. */
  apiPort: number | undefined;
}

export function metricsConfig(values: Values<typeof metricsVariables> & { HOST: string }): MetricsConfig {
  return {
    host: values.HOST,
    apiPort: values.METRICS_PORT,
  };
}
