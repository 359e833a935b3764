import { describe, expect, test } from '@jest/globals';
import { destinationChanges, newDestination } from '../../../contract/broadcast/destination-body.ts';
import { parseDestinationConfig } from '../../../contract/broadcast/destination-configs.ts';
import { describeIssue, issuesOf } from '../../../contract/issues.ts';
import { DESTINATION_TYPES, type DestinationType } from '../../../domain/broadcast/destination.ts';
import { CONFIGS, draftOf } from '../../support/destinations.ts';

function issuesFor(
  body: unknown,
  schema: typeof newDestination | typeof destinationChanges = newDestination,
) {
  const result = schema.safeParse(body, { error: describeIssue });
  if (result.success) return [];
  return issuesOf('body', result.error).map(({ path, message }) => `${path} ${message}`);
}

const configIssues = (type: DestinationType, fields: object): string[] =>
  issuesFor(draftOf(type, { config: { ...CONFIGS[type], ...fields } }));

describe.each(DESTINATION_TYPES)('the configuration of %s', (type) => {
  test('accepts its required fields and headers', () => {
    expect(configIssues(type, { headers: { 'x-team': 'search' } })).toEqual([]);
  });

  test('refuses a field that the type does not have', () => {
    expect(configIssues(type, { color: 'red' })).toEqual(['body.config has unknown fields: color']);
  });

  test('names each missing required field', () => {
    const names = Object.keys(CONFIGS[type]).filter((name) => name !== 'sessionToken');
    expect(issuesFor(draftOf(type, { config: {} })).toSorted()).toEqual(
      names.map((name) => `body.config.${name} is required`).toSorted(),
    );
  });
});

test('parseDestinationConfig fills in the defaults of each type', () => {
  const filled = DESTINATION_TYPES.map((type) => {
    const { config } = parseDestinationConfig(type, CONFIGS[type]);
    const given = CONFIGS[type];
    const added = Object.entries(config!.config).filter(([name]) => !(name in given));
    return [type, Object.fromEntries(added)];
  });
  expect(Object.fromEntries(filled)).toEqual({
    arize: { baseUrl: 'https://otlp.arize.com' },
    braintrust: { baseUrl: 'https://api.braintrust.dev' },
    clickhouse: { table: 'OPENROUTER_TRACES' },
    datadog: { url: 'https://api.datadoghq.com' },
    grafana: { baseUrl: 'https://otlp-gateway-prod-us-west-0.grafana.net' },
    langfuse: { baseUrl: 'https://us.cloud.langfuse.com' },
    langsmith: { project: 'main', endpoint: 'https://api.smith.langchain.com' },
    newrelic: { region: 'us' },
    opik: {},
    'otel-collector': {},
    posthog: { endpoint: 'https://us.i.posthog.com' },
    ramp: { baseUrl: 'https://api.ramp.com/developer/v1/ai-usage/openrouter' },
    s3: { prefix: 'openrouter-traces', pathTemplate: '{prefix}/{date}' },
    sentry: {},
    snowflake: {
      database: 'SNOWFLAKE_LEARNING_DB',
      schema: 'PUBLIC',
      table: 'OPENROUTER_TRACES',
      warehouse: 'COMPUTE_WH',
    },
    weave: { baseUrl: 'https://trace.wandb.ai' },
    webhook: { method: 'POST' },
  });
});

describe('the configuration of a destination', () => {
  test.each<[DestinationType, string, unknown]>([
    ['snowflake', 'account', 'evil.example/x'],
    ['snowflake', 'account', 'a..b'],
    ['snowflake', 'account', 'evil.example#'],
    ['snowflake', 'table', 'T; DROP TABLE X'],
    ['snowflake', 'warehouse', '1WH'],
    ['clickhouse', 'table', 'a.b'],
    ['clickhouse', 'database', 'a b'],
    ['clickhouse', 'host', 'clickhouse.example'],
    ['clickhouse', 'host', 'https://clickhouse.example/?user=x'],
    ['newrelic', 'region', 'evil'],
    ['s3', 'region', 'us.evil.example'],
    ['s3', 'bucketName', 'Bucket'],
    ['s3', 'bucketName', 'a..b'],
    ['s3', 'prefix', '/absolute'],
    ['s3', 'prefix', 'a/../b'],
    ['s3', 'prefix', 'a//b'],
    ['s3', 'pathTemplate', '{prefix}/{secret}'],
    ['s3', 'pathTemplate', '{prefix}/./x'],
    ['webhook', 'method', 'GET'],
    ['webhook', 'url', 'ftp://app.example'],
    ['webhook', 'url', `https://app.example/${'x'.repeat(2_048)}`],
    ['sentry', 'dsn', 'not a dsn'],
    ['langfuse', 'secretKey', 'two\nlines'],
    ['langfuse', 'secretKey', ''],
    ['langfuse', 'baseUrl', 'https://cloud.langfuse.com/#x'],
    ['datadog', 'mlApp', 'Search'],
    ['grafana', 'instanceId', '1:2'],
    ['opik', 'workspace', 'a\r\nhost: evil'],
  ])('refuses %s.%s %j', (type, field, value) => {
    expect(configIssues(type, { [field]: value })).toEqual([
      expect.stringMatching(new RegExp(`^body\\.config\\.${field} must `)),
    ]);
  });
});

test.each(['{prefix}/{year}/{month}/{day}/{apiKeyName}', 'year={year}/{date}.x'])(
  'the S3 path template %s is accepted',
  (pathTemplate) => {
    expect(configIssues('s3', { pathTemplate })).toEqual([]);
  },
);

describe('the rules for headers', () => {
  test.each([
    'Host',
    'Content-Type',
    'content-length',
    'Content-Encoding',
    'content-x',
    'Connection',
    'Keep-Alive',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Upgrade',
    'Transfer-Encoding',
  ])('refuse the name %s', (header) => {
    expect(configIssues('webhook', { headers: { [header]: 'x' } })).toEqual([
      `body.config.headers.${header} is a header that must not be set`,
    ]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['that repeat each other', { 'x-a': '1', 'X-A': '2' }, 'body.config.headers.X-A repeats another header'],
    ['whose name is none', { 'x a': '1' }, 'body.config.headers.x a is no name of a header'],
    ['with a line break', { x: 'a\r\nb' }, 'body.config.headers.x must be printable ASCII'],
    ['with a number', { x: 1 }, 'body.config.headers.x must be a string'],
    [
      'above 50',
      Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, 'v'])),
      'body.config.headers must have at most 50 headers',
    ],
    ['above 8 KiB', { x: 'v'.repeat(8_192) }, 'body.config.headers must have at most 8192 bytes'],
  ])('refuse headers %s', (_what, headers, message) => {
    expect(configIssues('webhook', { headers })).toEqual([expect.stringContaining(message)]);
  });

  test('accept 50 headers and a total of 8 KiB', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`x-${n}`, 'v']));
    expect(configIssues('webhook', { headers: many })).toEqual([]);
    expect(configIssues('webhook', { headers: { x: 'v'.repeat(8_191) } })).toEqual([]);
  });
});

describe('the rules for a destination', () => {
  const hash = 'a'.repeat(64);
  test.each<[string, object, string]>([
    ['an unknown type', { type: 'elastic' }, 'body.type must be one of arize, braintrust'],
    ['an empty name', { name: '' }, 'body.name must not be empty'],
    ['a long name', { name: 'n'.repeat(257) }, 'body.name must have at most 256 characters'],
    ['no key', { api_key_hashes: [] }, 'body.api_key_hashes must have at least 1 items'],
    ['something that is no hash', { api_key_hashes: [hash, 'x'] }, 'body.api_key_hashes.1 must be the hash'],
    ['an unknown region', { regions: ['asia'] }, 'body.regions.0 must be one of global, europe, us, eu'],
    ['no region', { regions: [] }, 'body.regions must have at least 1 items'],
    ['too small a share', { sampling_rate: 0.00009 }, 'body.sampling_rate must be at least 0.0001'],
    ['more than everything', { sampling_rate: 1.1 }, 'body.sampling_rate must be at most 1'],
    ['a workspace that is no id', { workspace_id: 'default' }, 'body.workspace_id must be a UUID'],
    ['a flag that is none', { privacy_mode: 'yes' }, 'body.privacy_mode must be true or false'],
    ['a list as its configuration', { config: [] }, 'body.config must be an object'],
  ])('refuse %s and name the field', (_what, fields, message) => {
    expect(issuesFor(draftOf('webhook', fields))).toEqual([expect.stringContaining(message)]);
  });

  test('report all broken rules at once', () => {
    const config = { url: 'nowhere', method: 'GET', color: 'red' };
    const issues = issuesFor({ type: 'webhook', config, sampling_rate: 2, regions: ['asia'] });
    const paths = issues.map((issue) => issue.split(' ')[0]!).toSorted();
    expect(paths).toEqual([
      'body.config',
      'body.config.method',
      'body.config.url',
      'body.name',
      'body.regions.0',
      'body.sampling_rate',
    ]);
  });
});

test('a destination may have unknown fields and a name of 256 characters', () => {
  expect(issuesFor(draftOf('webhook', { color: 'red', name: '\u{1f30a}'.repeat(256) }))).toEqual([]);
});

describe('filter rules', () => {
  const rule = (fields: object) => ({ filter_rules: { groups: [{ rules: [fields] }] } });
  const at = 'body.filter_rules.groups.0.rules.0';

  test.each<[string, object, string]>([
    ['an order of texts', { field: 'model', operator: 'gt', value: 'a' }, `${at}.operator compares numbers`],
    [
      'a text in a number',
      { field: 'total_cost', operator: 'contains', value: 1 },
      `${at}.operator compares`,
    ],
    [
      'a text for a number',
      { field: 'total_cost', operator: 'gte', value: '1' },
      `${at}.value must be a number`,
    ],
    ['a number for a text', { field: 'model', operator: 'equals', value: 1 }, `${at}.value must be a string`],
    ['no value', { field: 'model', operator: 'equals' }, `${at}.value is required with equals`],
    ['a value too many', { field: 'model', operator: 'exists', value: 'x' }, `${at}.value must be absent`],
    ['an unknown field', { field: 'color', operator: 'exists' }, `${at}.field must be one of model`],
    [
      'an unknown operator',
      { field: 'model', operator: 'like', value: 'x' },
      `${at}.operator must be one of`,
    ],
    [
      'a list of values',
      { field: 'model', operator: 'equals', value: ['x'] },
      `${at}.value must be a string or`,
    ],
    [
      'a long expression',
      { field: 'model', operator: 'regex', value: 'x'.repeat(513) },
      `${at}.value must have at most 512 characters`,
    ],
  ])('refuse %s and name the field', (_what, fields, message) => {
    const issues = issuesFor(rule(fields), destinationChanges);
    expect(issues).toEqual([expect.stringContaining(message)]);
  });

  test.each<[string, number, number, string[]]>([
    ['20 groups', 20, 1, []],
    ['21 groups', 21, 1, ['body.filter_rules.groups must have at most 20 items']],
    ['50 rules', 10, 5, []],
    ['51 rules', 17, 3, ['body.filter_rules.groups must have at most 50 rules in all groups']],
    ['a group without rules', 1, 0, ['body.filter_rules.groups.0.rules must have at least 1 items']],
  ])('have limits on groups and rules: %s', (_what, groups, rules, issues) => {
    const group = { rules: Array(rules).fill({ field: 'user_id', operator: 'not_exists' }) };
    const body = { filter_rules: { groups: Array(groups).fill(group) } };
    expect(issuesFor(body, destinationChanges)).toEqual(issues);
  });

  test('default to enabled, and to the logic `and`', () => {
    const body = rule({ field: 'total_tokens', operator: 'lt', value: 5 });
    expect(destinationChanges.parse(body).filter_rules).toMatchObject({
      enabled: true,
      groups: [{ logic: 'and' }],
    });
    expect(issuesFor({ filter_rules: null }, destinationChanges)).toEqual([]);
  });
});
