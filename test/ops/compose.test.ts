import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { ROOT, WORKER_ENV } from '../../dev/settings.ts';
import { SHARED_QUEUES } from '../../dev/temporal/temporal.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { duration } from '../../platform/config-rules.ts';
import { loadConfig, loadLocalUpstreamConfig } from '../../platform/config.ts';
import { localUpstreamVariables } from '../../platform/job-variables.ts';
import { httpVariables, workerVariables } from '../../platform/server-variables.ts';
import { allVariables } from '../platform/config-setup.ts';
import {
  compose,
  environmentOf,
  readRootFile,
  readYaml,
  sluiceServices,
  variableReferences,
} from './deployment-files.ts';

const KNOWN_VARIABLES = [...Object.values(allVariables), ...Object.values(localUpstreamVariables)].map(
  ({ name }) => name,
);
const KEYS = /PASSWORD|SECRET|KEY/;
const DURATION = duration('0s', '1d');

/** Runs docs/ops/new-env.sh in a folder of its own. Returns what it wrote and the mode of the file. */
function writeNewEnv(): { values: Record<string, string>; mode: number; again: number | null } {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-env-'));
  try {
    const run = () =>
      spawnSync('sh', [path.join(ROOT, 'docs/ops/new-env.sh'), 'https://sluice.example.com'], {
        cwd: folder,
      });
    expect(run()).toMatchObject({ status: 0 });
    const file = path.join(folder, '.env');
    const values = parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
    return { values, mode: statSync(file).mode & 0o777, again: run().status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('Temporal in compose.yaml shares queues between organizations, as on a laptop', () => {
  const { configs } = readYaml('compose.yaml') as { configs: Record<string, { file: string }> };
  const { temporal: service } = compose.services;
  expect(service).toMatchObject({
    configs: [{ source: 'temporal', target: service?.environment?.['DYNAMIC_CONFIG_FILE_PATH'] }],
  });
  const settings = readYaml(configs['temporal']!.file) as Record<string, { value: boolean }[]>;
  const flags = Object.entries(settings).map(
    ([name, [setting]]) => `--dynamic-config-value=${name}=${setting?.value}`,
  );
  expect(flags).toEqual(SHARED_QUEUES);
});

describe('the required settings of compose.yaml', () => {
  test('have no default for keys, and describe each key', () => {
    const keys = variableReferences().filter(({ name }) => KEYS.test(name));
    expect(keys.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ENCRYPTION_KEYS', 'POSTGRES_PASSWORD']),
    );
    for (const { name, operator, text } of keys) {
      expect([name, operator]).toEqual([name, ':?']);
      expect(text).toMatch(/\w{5}/);
    }
  });

  test('come from docs/ops/new-env.sh, which writes mode 600 and refuses to run twice', () => {
    const required = variableReferences().filter(({ operator }) => operator === ':?');
    const { values, mode, again } = writeNewEnv();
    expect(new Set(Object.keys(values))).toEqual(new Set(required.map(({ name }) => name)));
    expect(mode).toBe(0o600);
    expect(again).toBe(1);
  });

  test('make a configuration that production accepts', () => {
    const { values } = writeNewEnv();
    for (const service of ['api', 'worker', 'migrate', 'admin']) {
      expect(loadConfig(environmentOf(service, values))).toMatchObject({
        environment: 'production',
        objectStore: { kind: 's3', bucket: 'sluice', endpoint: 'http://s3:7070', forcePathStyle: true },
        temporal: { address: 'temporal:7233' },
        warnings: [],
      });
    }
    expect(loadLocalUpstreamConfig(environmentOf('upstream', values))).toMatchObject({ host: '0.0.0.0' });
  });

  test('leave room for an external Postgres and Temporal', () => {
    const elsewhere = {
      DATABASE_URL: 'postgres://sluice:secret@db.example.com/sluice?sslmode=require',
      TEMPORAL_ADDRESS: 'acme.tmprl.cloud:7233',
      TEMPORAL_UI_URL: 'https://cloud.temporal.io',
    };
    const { values } = writeNewEnv();
    for (const service of ['api', 'worker', 'migrate', 'admin']) {
      expect(environmentOf(service, { ...values, ...elsewhere })).toMatchObject(elsewhere);
    }
  });

  test('give Postgres, Temporal and the S3 store the keys that Sluice uses', () => {
    const { values } = writeNewEnv();
    const { POSTGRES_PASSWORD: password, S3_SECRET_ACCESS_KEY: secret } = values;
    expect(environmentOf('api', values)['DATABASE_URL']).toContain(`:${password}@postgres:5432/`);
    expect(environmentOf('postgres', values)['POSTGRES_PASSWORD']).toBe(password);
    expect(environmentOf('temporal', values)['POSTGRES_PWD']).toBe(password);
    expect(environmentOf('s3', values)['ROOT_SECRET_KEY']).toBe(secret);
  });
});

test('docs/ops/Caddyfile leads to the port of the API and accepts the largest bodies', () => {
  const proxy = readRootFile('docs/ops/Caddyfile');
  const [published = ''] = (compose.services['api'] as { ports?: string[] }).ports ?? [];
  expect(proxy).toContain(`reverse_proxy ${published.split(':').slice(0, 2).join(':')} {`);
  expect(proxy).toContain('max_size 96MiB');
  expect(httpVariables.maxGenerationBodyBytes.sentence).toContain('At most 96 MiB');
});

describe("Sluice's own services", () => {
  test.each(sluiceServices)(
    '%s sets only variables that Sluice or its memory allocator knows',
    (_name, { environment = {} }) => {
      const known = [...KNOWN_VARIABLES, ...Object.keys(WORKER_ENV)];
      const unknown = Object.keys(environment).filter(
        (name) => !known.includes(name) && !/^PROVIDER_[A-Z_]+_(API_KEY|BASE_URL)$/.test(name),
      );
      expect(unknown).toEqual([]);
    },
  );

  test.each([
    ['api', httpVariables.shutdownGraceMs],
    ['worker', workerVariables.shutdownGraceMs],
  ] as const)('%s has a stop grace period longer than its drain', (name, grace) => {
    const { stop_grace_period: stopGrace = '', environment = {} } = compose.services[name] ?? {};
    const [, margin] = /(\d+) seconds more/.exec(grace.sentence) ?? [];
    const delayMs = name === 'api' ? DURATION.parse(String(environment['API_DRAIN_DELAY'])) : 0;
    const drainMs = delayMs + DURATION.parse(String(environment[grace.name])) + Number(margin) * 1_000;
    expect(DURATION.parse(stopGrace)).toBeGreaterThan(drainMs);
  });

  test('the spool and the outputs are volumes owned by the user of the image', () => {
    const { SPOOL_DIR: spool } = environmentOf('api', writeNewEnv().values);
    const outputs = '/var/lib/sluice/outputs';
    expect(compose.services['api']?.volumes).toEqual([`spool:${spool}`, `outputs:${outputs}`]);
    expect(compose.services['worker']?.volumes).toEqual([`outputs:${outputs}`]);
    expect(compose.services['admin']?.volumes).toEqual([`spool:${spool}`]);
    expect(readRootFile('Dockerfile')).toContain(
      `install -d -o node -g node -m 0700 /var/lib/sluice ${spool} ${outputs}`,
    );
    expect(readRootFile('compose.yaml')).toContain(`OBJECT_STORE=file://${outputs}`);
  });

  test.each(['api', 'worker'])('%s starts after the migrations', (name) => {
    const { depends_on: needed } = compose.services[name] ?? {};
    expect(needed?.['migrate']).toEqual({ condition: 'service_completed_successfully' });
  });

  test('Prometheus scrapes the ports on which API and worker show metrics', () => {
    const { scrape_configs: jobs } = readYaml('docs/ops/prometheus.yaml') as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const looked = jobs.flatMap(({ dns_sd_configs: places }) =>
      places.map(({ names, port }) => [names[0], port]),
    );
    const { api, worker } = compose.services;
    expect(looked).toEqual([
      ['api', api?.environment?.['METRICS_PORT']],
      ['worker', worker?.environment?.['WORKER_METRICS_PORT']],
      ['worker', worker?.environment?.['TEMPORAL_METRICS_PORT']],
    ]);
  });
});

describe.each(Object.entries(compose.services))('the service %s', (name, service) => {
  test('runs a pinned image', () => {
    const own = `${name === 'upstream' ? 'sluice-upstream' : 'sluice'}:${packageJson.version}`;
    if (service.build === undefined) expect(service.image).toMatch(/^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
    else expect(service.image).toBe(own);
  });

  test('cannot write its file system or gain rights', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: expect.arrayContaining(['/tmp']),
    });
  });
});

test('every volume that a service uses is declared', () => {
  const used = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.map((text) => text.split(':')[0]),
  );
  expect(new Set(Object.keys(compose.volumes))).toEqual(new Set(used));
});
