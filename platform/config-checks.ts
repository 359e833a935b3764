/** Checks rules of the configuration that involve several variables. */
import type { ConfigProblem } from './config-variable.ts';
import type { AllValues } from './config-values.ts';
import { holdsLaptopKey } from './encryption-keys.ts';

type Check = (values: Partial<AllValues>) => string | false;

/** The rules that involve several variables: the variable to change, the problem, and a correct example. */
const CHECKS: { variable: keyof AllValues; wrong: Check; example: string }[] = [
  {
    variable: 'PUBLIC_URL',
    wrong: ({ SLUICE_ENV, PUBLIC_URL }) =>
      SLUICE_ENV === 'production' && PUBLIC_URL === undefined && 'is not set, and production needs it',
    example: 'https://sluice.example.com',
  },
  {
    variable: 'ENCRYPTION_KEYS',
    wrong: ({ SLUICE_ENV, ENCRYPTION_KEYS }) =>
      SLUICE_ENV === 'production' &&
      ENCRYPTION_KEYS !== undefined &&
      holdsLaptopKey(ENCRYPTION_KEYS) &&
      'holds the key of the laptop stack, which anyone can read',
    example: '2026a:<output of openssl rand -base64 32>',
  },
  {
    variable: 'TEMPORAL_TLS',
    wrong: (values) =>
      values.TEMPORAL_TLS === false &&
      requiresTls(values) &&
      'is false, but other variables need TLS to be on',
    example: 'true',
  },
  {
    variable: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
    wrong: ({ TEMPORAL_TLS_CLIENT_CERT_PATH: certificate, TEMPORAL_TLS_CLIENT_KEY_PATH: key }) =>
      certificate === undefined && key !== undefined && 'is not set, but TEMPORAL_TLS_CLIENT_KEY_PATH is',
    example: '/etc/sluice/temporal.pem',
  },
  {
    variable: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
    wrong: ({ TEMPORAL_TLS_CLIENT_CERT_PATH: certificate, TEMPORAL_TLS_CLIENT_KEY_PATH: key }) =>
      certificate !== undefined && key === undefined && 'is not set, but TEMPORAL_TLS_CLIENT_CERT_PATH is',
    example: '/etc/sluice/temporal.key',
  },
  {
    variable: 'S3_ACCESS_KEY_ID',
    wrong: ({ S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret }) =>
      id === undefined && secret !== undefined && 'is not set, but S3_SECRET_ACCESS_KEY is',
    example: 'AKIAIOSFODNN7EXAMPLE',
  },
  {
    variable: 'S3_SECRET_ACCESS_KEY',
    wrong: ({ S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret }) =>
      id !== undefined && secret === undefined && 'is not set, but S3_ACCESS_KEY_ID is',
    example: '<secret>',
  },
  {
    variable: 'JOB_POLL_CEILING',
    wrong: ({ JOB_POLL_FLOOR: floor, JOB_POLL_CEILING: ceiling }) =>
      floor !== undefined && ceiling !== undefined && ceiling < floor && 'is shorter than JOB_POLL_FLOOR',
    example: '30s',
  },
];

/** Checks all values that could be parsed, so that one start reports every mistake. */
export function checkTogether(values: Partial<AllValues>): ConfigProblem[] {
  return CHECKS.flatMap(({ variable, wrong, example }) => {
    const message = wrong(values);
    return message === false ? [] : [{ variable, message, example: `${variable}=${example}` }];
  });
}

/** Returns whether a setting is present that requires TLS. */
export function requiresTls(values: Partial<AllValues>): boolean {
  const { TEMPORAL_API_KEY, TEMPORAL_TLS_SERVER_NAME, TEMPORAL_TLS_SERVER_CA_CERT_PATH } = values;
  const { TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH } = values;
  return [
    TEMPORAL_API_KEY,
    TEMPORAL_TLS_SERVER_NAME,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    TEMPORAL_TLS_CLIENT_CERT_PATH,
    TEMPORAL_TLS_CLIENT_KEY_PATH,
  ].some((value) => value !== undefined);
}
