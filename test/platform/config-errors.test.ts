import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../platform/config.ts';
import { ConfigError } from '../../platform/config-variable.ts';
import { LAPTOP_ENCRYPTION_KEYS } from '../../platform/encryption-keys.ts';
import { KEY, problemsOf, problemWith, PRODUCTION } from './config-setup.ts';

describe('an invalid variable', () => {
  test.each([
    ['PORT', 'eighty', 'is "eighty" and must be a whole number from 0 to 65535'],
    ['PORT', '65536', 'is "65536" and must be a whole number from 0 to 65535'],
    ['PORT', '8080.5', 'is "8080.5" and must be a whole number from 0 to 65535'],
    ['PORT', '-1', 'is "-1" and must be a whole number from 0 to 65535'],
    ['PORT', '1e3', 'is "1e3" and must be a whole number from 0 to 65535'],
    ['API_PROCESSES', '0', 'is "0" and must be auto or a whole number from 1 to 64'],
    ['API_PROCESSES', 'all', 'is "all" and must be auto or a whole number from 1 to 64'],
    ['SLUICE_ENV', 'prod', 'is "prod" and must be one of production, development, test'],
    ['LOG_LEVEL', 'INFO', 'is "INFO" and must be one of trace, debug, info, warn, error, fatal, silent'],
    [
      'PUBLIC_URL',
      'sluice.example.com',
      'is "sluice.example.com" and must be a URL that starts with https:// or http://',
    ],
    [
      'PUBLIC_URL',
      'https://x/?a=1',
      'is "https://x/?a=1" and must be a URL without query, fragment, user name or password',
    ],
    ['DATABASE_URL', 'mysql://db/sluice', 'must be a URL that starts with postgres:// or postgresql://'],
    ['TEMPORAL_ADDRESS', 'temporal', 'is "temporal" and must be <host>:<port>'],
    ['TEMPORAL_ADDRESS', 'https://temporal:7233', 'is "https://temporal:7233" and must be <host>:<port>'],
    ['TEMPORAL_TLS', 'yes', 'is "yes" and must be one of true, false'],
    [
      'WORKER_QUEUES',
      'video,audio',
      'is "video,audio" and must be one of video, webhooks, broadcast, provider-io, directory, maintenance',
    ],
    ['WORKER_QUEUES', 'video,video', 'is "video,video" and must not name anything twice'],
    [
      'OBJECT_STORE',
      '/var/lib/sluice',
      'is "/var/lib/sluice" and must be file:///<directory> or s3://<bucket>/<prefix>',
    ],
    [
      'OBJECT_STORE',
      's3://Media',
      'is "s3://Media" and must be file:///<directory> or s3://<bucket>/<prefix>',
    ],
    [
      'OBJECT_STORE',
      'file://host/x',
      'is "file://host/x" and must be a file URL with an absolute path and no host',
    ],
    ['ENCRYPTION_KEYS', 'a:c2hvcnQ=', 'entry 1 is not <id>:<base64 of exactly 32 bytes>'],
    ...[
      '10.0.0.1',
      '10.0.0.0/33',
      '::1',
      '2130706433',
      '0x7f.1',
      '*.example.com',
      '.example.com',
      'example..com',
      'example.com:80',
      'http://example.com',
      'user@example.com',
      'ex%61mple.com',
      '-a.example.com',
    ].map((entry): [string, string, string] => [
      'OUTBOUND_ALLOW',
      entry,
      `is "${entry}" and must list CIDR ranges and host names, and ${entry} is neither`,
    ]),
    [
      'OUTBOUND_ALLOW',
      '10.0.0.0/8,Metadata.google.internal.',
      'is "10.0.0.0/8,Metadata.google.internal." and must not list Metadata.google.internal., which serves cloud credentials',
    ],
    [
      'OUTBOUND_ALLOW',
      '10.0.0.0/8,,a.example',
      'is "10.0.0.0/8,,a.example" and must list CIDR ranges and host names, and an empty entry is neither',
    ],
    [
      'OUTBOUND_ALLOW',
      '10.0.0.5/8',
      'is "10.0.0.5/8" and must name ranges by their first address: 10.0.0.0/8, not 10.0.0.5/8',
    ],
    ['OUTBOUND_ALLOW', '0.0.0.0/0', 'is "0.0.0.0/0" and must not contain every address, as 0.0.0.0/0 does'],
    ['OUTBOUND_ALLOW', '::/0', 'is "::/0" and must not contain every address, as ::/0 does'],
    [
      'TRUSTED_PROXIES',
      '10.0.0.1,proxy.example',
      'is "10.0.0.1,proxy.example" and must list addresses and CIDR ranges, and proxy.example is neither',
    ],
    [
      'TRUSTED_PROXIES',
      '10.0.0.1,',
      'is "10.0.0.1," and must list addresses and CIDR ranges, and an empty entry is neither',
    ],
    ['TRUSTED_PROXIES', '::/0', 'is "::/0" and must not contain every address, as ::/0 does'],
    ['OUTPUT_RETENTION', '7', 'is "7" and must be a whole number with a unit: ms, s, m, h or d'],
    ['SIGNED_URL_LIFETIME', '2h', 'is "2h" and must be from 10s to 1h'],
    ['COUNTRY_HEADER', 'cf ipcountry', 'is "cf ipcountry" and must be the name of a header'],
    [
      'CORS_ORIGINS',
      'https://app.example.com/',
      'is "https://app.example.com/" and must be * or origins such as https://app.example.com, without a path or final slash',
    ],
    [
      'CORS_ORIGINS',
      'https://app.example.com,app.example.com',
      'is "https://app.example.com,app.example.com" and must be * or origins such as https://app.example.com, without a path or final slash',
    ],
    [
      'CORS_ORIGINS',
      'https://*.example.com',
      'is "https://*.example.com" and must name each origin by itself: https://*.example.com would match none',
    ],
    [
      'CORS_ORIGINS',
      'app://obsidian.md/',
      'is "app://obsidian.md/" and must be * or origins such as https://app.example.com, without a path or final slash',
    ],
    [
      'PUBLIC_ALIASES',
      'https://llm.example.com,llm.example.com',
      'is "https://llm.example.com,llm.example.com" and must be origins such as https://llm.example.com, without a path or final slash',
    ],
    ['LOGGED_BODY_RETENTION', '30m', 'is "30m" and must be from 1h to 3650d'],
    [
      'GENERATION_RETENTION',
      '2d',
      'is "2d" and must be from 3d to 3650d: a spool that is replayed late, or a job that is settled again, must find the rows that it has written',
    ],
    ['MAX_BODY_SIZE', '1MB', 'is "1MB" and must be a whole number with a unit: B, KiB, MiB or GiB'],
    ['MAX_GENERATION_BODY_SIZE', '97MiB', 'is "97MiB" and must be from 1KiB to 96MiB'],
    ['WEBHOOK_SCHEDULE_SECONDS', '0,5,', 'is "0,5," and must be a whole number from 0 to 604800'],
    ['PROVIDER_OPENAI_BASE_URL', 'api.openai.com', 'must be a URL that starts with https:// or http://'],
    ['PROVIDER_X_WEBHOOK_SECRET', 'c2hvcnQ=', 'must be whsec_ and the base64 of 24 to 64 bytes'],
    ['PROVIDER_X_WEBHOOK_SECRET', 'whsec_c2hvcnQ=', 'must be whsec_ and the base64 of 24 to 64 bytes'],
  ])('causes an error with the rule that the value breaks: %s=%s', (name, value, message) => {
    expect(problemWith({ [name]: value })).toBe(`${name} ${message}`);
  });
});

describe('variables that contradict each other', () => {
  test.each<[Record<string, string>, string]>([
    [
      { TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'k' },
      'TEMPORAL_TLS is false, but other variables need TLS to be on',
    ],
    [
      { TEMPORAL_TLS_CLIENT_KEY_PATH: '/k' },
      'TEMPORAL_TLS_CLIENT_CERT_PATH is not set, but TEMPORAL_TLS_CLIENT_KEY_PATH is',
    ],
    [
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/c' },
      'TEMPORAL_TLS_CLIENT_KEY_PATH is not set, but TEMPORAL_TLS_CLIENT_CERT_PATH is',
    ],
    [{ S3_ACCESS_KEY_ID: 'id' }, 'S3_SECRET_ACCESS_KEY is not set, but S3_ACCESS_KEY_ID is'],
    [{ S3_SECRET_ACCESS_KEY: 's' }, 'S3_ACCESS_KEY_ID is not set, but S3_SECRET_ACCESS_KEY is'],
    [{ JOB_POLL_FLOOR: '1m' }, 'JOB_POLL_CEILING is shorter than JOB_POLL_FLOOR'],
  ])('cause an error that names the conflict: %j', (change, message) => {
    expect(problemWith(change)).toBe(message);
  });
});

describe('the production environment', () => {
  test('refuses the key of the laptop under any name and in any place', () => {
    const laptopKey = LAPTOP_ENCRYPTION_KEYS.split(':')[1];
    for (const keys of [LAPTOP_ENCRYPTION_KEYS, `2026a:${KEY},old:${laptopKey}`]) {
      expect(problemWith({ ENCRYPTION_KEYS: keys })).toBe(
        'ENCRYPTION_KEYS holds the key of the laptop stack, which anyone can read',
      );
    }
  });

  test('applies when SLUICE_ENV is not set, while development accepts the laptop key', () => {
    const env = { ...PRODUCTION, ENCRYPTION_KEYS: LAPTOP_ENCRYPTION_KEYS };
    expect(() => loadConfig(env)).toThrow(ConfigError);
    expect(loadConfig({ ...env, SLUICE_ENV: 'development' }).environment).toBe('development');
  });

  test('needs a public URL and warns when its scheme is http', () => {
    expect(problemWith({ PUBLIC_URL: '' })).toBe('PUBLIC_URL is not set, and production needs it');
    expect(loadConfig({ ...PRODUCTION, PUBLIC_URL: 'http://sluice.example.com' }).warnings).toEqual([
      'PUBLIC_URL is not https: signed URLs and API keys travel unencrypted',
    ]);
  });
});

describe('a configuration error', () => {
  test('lists all problems at once, with examples', () => {
    const error = problemsOf({ PORT: 'x', ENCRYPTION_KEYS: LAPTOP_ENCRYPTION_KEYS });
    expect(error.problems.map((problem) => problem.variable).sort()).toEqual([
      'DATABASE_URL',
      'ENCRYPTION_KEYS',
      'OBJECT_STORE',
      'PORT',
      'PUBLIC_URL',
      'TEMPORAL_ADDRESS',
    ]);
    expect(error.message).toContain('  DATABASE_URL is not set; for example DATABASE_URL=postgres://');
    expect(error.message).toContain(
      '  PORT is "x" and must be a whole number from 0 to 65535; for example PORT=8080',
    );
  });

  test('contains no secret', () => {
    const error = problemsOf({
      DATABASE_URL: 'mysql://user:hush-1@db/x',
      ENCRYPTION_KEYS: 'a:hush-2',
      S3_SECRET_ACCESS_KEY: 'hush-3',
      S3_ENDPOINT: 'https://user:hush-4@minio',
      PROVIDER_X_BASE_URL: 'https://user:hush-5@up.example',
      PROVIDER_X_WEBHOOK_SECRET: 'hush-6',
    });
    expect(error.message + JSON.stringify(error.problems) + error.stack).not.toContain('hush');
  });
});
