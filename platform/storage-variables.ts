/** Declares the environment variables of the object store, retention, safety and the ledger. */
import { outboundAllow } from './address-lists.ts';
import * as rules from './config-rules.ts';
import { defaulted, optional, required } from './config-variable.ts';
import { parseEncryptionKeys } from './encryption-keys.ts';

export const objectStoreVariables = {
  location: required('OBJECT_STORE', rules.objectStoreLocation, {
    sentence:
      'Where generated media lies: a directory, which all processes must share, or a bucket of any S3 service.',
    example: 's3://sluice-media/production',
  }),
  endpoint: optional('S3_ENDPOINT', rules.baseUrl, {
    sentence: 'The S3 service, when it is not AWS.',
    example: 'https://minio.example.com:9000',
    unset: 'AWS',
  }),
  region: defaulted('S3_REGION', rules.anyText, 'us-east-1', { sentence: "The bucket's region." }),
  accessKeyId: optional('S3_ACCESS_KEY_ID', rules.anyText, {
    sentence: 'The access key; goes with the secret.',
    example: 'AKIAIOSFODNN7EXAMPLE',
    unset: "the AWS SDK's usual sources: its own variables, profile, instance or task role",
  }),
  secretAccessKey: optional('S3_SECRET_ACCESS_KEY', rules.anyText, {
    sentence: "The access key's secret.",
    example: '<secret>',
    unset: 'see `S3_ACCESS_KEY_ID`',
    secret: true,
  }),
  forcePathStyle: defaulted('S3_FORCE_PATH_STYLE', rules.trueOrFalse, 'false', {
    sentence: 'Puts the bucket into the path, not the host name; most services other than AWS want it.',
  }),
};

export const retentionVariables = {
  auditRetentionMs: optional('AUDIT_RETENTION', rules.duration('1d', '3650d'), {
    sentence: 'How long entries of the audit log are kept.',
    example: '730d',
    unset: 'they are never deleted',
  }),
  loggedBodyRetentionMs: defaulted('LOGGED_BODY_RETENTION', rules.duration('1h', '3650d'), '30d', {
    sentence:
      'How long inputs and outputs are kept where a workspace logs them. A change holds for what is logged from then on.',
  }),
};

export const safetyVariables = {
  encryptionKeys: required('ENCRYPTION_KEYS', rules.parsed(parseEncryptionKeys), {
    sentence:
      'Master keys for secrets at rest: `<id>:<base64 of 32 random bytes>`, separated by commas. The first key encrypts. The others decrypt values that they encrypted earlier.',
    example: '2026a:<output of openssl rand -base64 32>',
    secret: true,
  }),
  outboundAllow: optional('OUTBOUND_ALLOW', outboundAllow, {
    sentence:
      'Private ranges that callback, media and destination URLs may lead to, and host names that plain http may go to. Names match exactly, without their subdomains; their addresses must be public or in one of the ranges. Cloud metadata addresses and names stay closed.',
    example: '10.20.0.0/16,fd12:3456::/32,hooks.example.com',
    unset: 'public addresses by https only',
  }),
};

/**
 * The reason for the shortest retention: only an existing row prevents a repeated settlement from being billed twice.
 */
const REPLAYED_LATE =
  'a spool that is replayed late, or a job that is settled again, must find the rows that it has written';

export const ledgerVariables = {
  spoolDirectory: optional('SPOOL_DIR', rules.absolutePath, {
    sentence:
      'A directory on a volume that outlives the process, where generations are kept during an outage of Postgres. Processes may share it.',
    example: '/var/lib/sluice/spool',
    unset: 'during an outage of Postgres, requests in flight wait and new generations get 503',
  }),
  spoolMaxBytes: defaulted('SPOOL_MAX_SIZE', rules.byteSize('1MiB', '1024GiB'), '1GiB', {
    sentence:
      'The most that all `API_PROCESSES` together keep in `SPOOL_DIR` before new generations get 503; about 1.2 KiB a generation. Generations in flight may exceed it.',
  }),
  retentionMs: defaulted('GENERATION_RETENTION', rules.duration('3d', '3650d', REPLAYED_LATE), '90d', {
    sentence:
      'How long generations are kept; at least three days, within which spools are replayed and jobs settled. Counters and rollups are never deleted.',
  }),
};
