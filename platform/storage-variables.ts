/**
 * Defines the environment variables of the object store, of retention, of encryption keys and of outbound addresses.
 */
import { anyText, baseUrl, duration, trueOrFalse } from './config-rules.ts';
import { defaulted, optional, required } from './config-variable.ts';
import { parseEncryptionKeys } from './encryption-keys.ts';
import { objectStoreLocation } from './object-store-location.ts';
import { outboundAllow } from './outbound-allow.ts';

export const objectStoreVariables = {
  OBJECT_STORE: required(objectStoreLocation, {
    sentence:
      'Where generated media lies: a directory, which all processes must share, or a bucket of any S3 service.',
    example: 's3://sluice-media/production',
  }),
  S3_ENDPOINT: optional(baseUrl, {
    sentence: 'The S3 service, when it is not AWS.',
    example: 'https://minio.example.com:9000',
    unset: 'AWS',
  }),
  S3_REGION: defaulted(anyText, 'us-east-1', { sentence: "The bucket's region." }),
  S3_ACCESS_KEY_ID: optional(anyText, {
    sentence: 'The access key; goes with the secret.',
    example: 'AKIAIOSFODNN7EXAMPLE',
    unset: "the AWS SDK's usual sources: its own variables, profile, instance or task role",
  }),
  S3_SECRET_ACCESS_KEY: optional(anyText, {
    sentence: "The access key's secret.",
    example: '<secret>',
    unset: 'see `S3_ACCESS_KEY_ID`',
    secret: true,
  }),
  S3_FORCE_PATH_STYLE: defaulted(trueOrFalse, 'false', {
    sentence: 'Puts the bucket into the path, not the host name; most services other than AWS want it.',
  }),
  AUDIT_RETENTION: optional(duration('1d', '3650d'), {
    sentence: 'How long entries of the audit log are kept.',
    example: '730d',
    unset: 'they are never deleted',
  }),
  LOGGED_BODY_RETENTION: defaulted(duration('1h', '3650d'), '30d', {
    sentence:
      'How long inputs and outputs are kept where a workspace logs them. A change holds for what is logged from then on.',
  }),
};

export const safetyVariables = {
  ENCRYPTION_KEYS: required(parseEncryptionKeys, {
    sentence:
      'Master keys for secrets at rest: `<id>:<base64 of 32 random bytes>`, separated by commas. The first key encrypts. The others decrypt values that they encrypted earlier.',
    example: '2026a:<output of openssl rand -base64 32>',
    secret: true,
  }),
  OUTBOUND_ALLOW: optional(outboundAllow, {
    sentence:
      'Private ranges that callback, media and destination URLs may lead to, and host names that plain http may go to. Names match exactly, without their subdomains; their addresses must be public or in one of the ranges. Cloud metadata addresses and names stay closed.',
    example: '10.20.0.0/16,fd12:3456::/32,hooks.example.com',
    unset: 'public addresses by https only',
  }),
};
