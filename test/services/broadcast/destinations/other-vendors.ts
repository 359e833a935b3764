import assert from 'node:assert/strict';
import type { ToolRequest } from './fake-tool.ts';
import type { Vendor } from './vendor.ts';

const HEX_32 = /^[0-9a-f]{32}$/;
const HEX_16 = /^[0-9a-f]{16}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The columns of the table, as a query of the documentation names them. */
const COLUMNS = new Set(
  (
    'TIMESTAMP TRACE_ID SPAN_TYPE USER_ID SESSION_ID API_KEY_NAME MODEL PROVIDER_NAME STATUS LEVEL FINISH_REASON ' +
    'PROMPT_TOKENS COMPLETION_TOKENS TOTAL_TOKENS TOTAL_COST DURATION_MS INPUT OUTPUT METADATA ATTRIBUTES MODEL_PARAMETERS'
  ).split(' '),
);

/** Takes batches by HTTP and refuses the URL's parameters for credentials. */
const clickhouse: Vendor = {
  configure: (origin) => ({
    type: 'clickhouse',
    config: {
      host: origin,
      database: 'logs',
      username: 'writer',
      password: 'click-password',
      table: 'TRACES',
    },
  }),
  secrets: ['click-password'],
  authHeaders: ['x-clickhouse-user', 'x-clickhouse-key'],
  answer({ method, path, query, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /');
    assert.equal(query.get('database'), 'logs');
    assert.equal(query.get('query'), 'INSERT INTO `TRACES` FORMAT JSONEachRow');
    assert.equal(query.get('async_insert'), '1');
    assert.equal(query.get('wait_for_async_insert'), '1');
    assert.match(query.get('insert_deduplication_token') ?? '', UUID);
    assert.equal(query.get('password'), null);
    assert.equal(headers['x-clickhouse-user'], 'writer');
    assert.equal(headers['x-clickhouse-key'], 'click-password');
    const rows = body.toString('utf8').trimEnd().split('\n');
    for (const row of rows) checkRow(JSON.parse(row) as Record<string, unknown>, 'string');
    return { status: 200, body: '' };
  },
};

function checkRow(row: Record<string, unknown>, jsonType: 'string' | 'object'): void {
  for (const column of Object.keys(row)) assert.ok(COLUMNS.has(column), column);
  assert.match(String(row['TIMESTAMP']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(String(row['TRACE_ID']), HEX_32);
  assert.equal(row['SPAN_TYPE'], 'GENERATION');
  assert.ok(['ok', 'error'].includes(String(row['STATUS'])));
  for (const column of ['INPUT', 'OUTPUT', 'METADATA', 'ATTRIBUTES', 'MODEL_PARAMETERS']) {
    if (row[column] !== undefined) assert.equal(typeof row[column], jsonType, column);
  }
}

const snowflake: Vendor = {
  configure: () => ({
    type: 'snowflake',
    config: {
      account: 'myorg-my_account',
      token: 'snow-token-1234',
      database: 'DB',
      schema: 'PUBLIC',
      table: 'TRACES',
      warehouse: 'WH',
    },
  }),
  fixedOrigin: 'https://myorg-my-account.snowflakecomputing.com',
  secrets: ['snow-token-1234'],
  authHeaders: ['authorization', 'x-snowflake-authorization-token-type'],
  answer(request) {
    const { method, path, headers } = request;
    assert.equal(headers.authorization, 'Bearer snow-token-1234');
    assert.equal(headers['x-snowflake-authorization-token-type'], 'PROGRAMMATIC_ACCESS_TOKEN');
    assert.ok(headers['user-agent']);
    const statementHandle = '01b0-handle';
    if (method === 'GET') {
      assert.equal(path, `/api/v2/statements/${statementHandle}`);
      return { status: 200, body: JSON.stringify({ code: '090001', statementHandle }) };
    }
    checkStatement(request);
    return { status: 202, body: JSON.stringify({ code: '333334', statementHandle }) };
  },
};

function checkStatement({ method, path, query, headers, body }: ToolRequest): void {
  assert.equal(`${method} ${path}`, 'POST /api/v2/statements');
  assert.match(query.get('requestId') ?? '', UUID);
  assert.equal(query.get('retry'), 'true');
  assert.equal(headers['content-type'], 'application/json');
  const { statement, bindings, ...rest } = JSON.parse(body.toString('utf8')) as {
    statement: string;
    bindings: Record<string, { type: string; value: string }>;
  };
  assert.deepEqual(rest, { timeout: 60, database: 'DB', schema: 'PUBLIC', warehouse: 'WH' });
  assert.ok(statement.startsWith('INSERT INTO "DB"."PUBLIC"."TRACES" ('));
  assert.equal(statement.split('?').length, 2);
  assert.equal(bindings['1']?.type, 'TEXT');
  const rows = JSON.parse(bindings['1'].value) as Record<string, unknown>[];
  for (const row of rows) checkRow(row, 'object');
}

const datadog: Vendor = {
  configure: (origin) => ({
    type: 'datadog',
    config: { apiKey: 'dd-key-12345', mlApp: 'shop', url: origin },
  }),
  secrets: ['dd-key-12345'],
  authHeaders: ['dd-api-key'],
  answer({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /api/intake/llm-obs/v1/trace/spans');
    assert.equal(headers['dd-api-key'], 'dd-key-12345');
    assert.equal(headers['content-type'], 'application/json');
    const { data } = JSON.parse(body.toString('utf8')) as {
      data: { type: string; attributes: { ml_app: string; spans: Record<string, unknown>[] } };
    };
    assert.equal(data.type, 'span');
    assert.equal(data.attributes.ml_app, 'shop');
    for (const span of data.attributes.spans) checkDatadogSpan(span);
    return { status: 202 };
  },
};

function checkDatadogSpan(span: Record<string, unknown>): void {
  assert.match(String(span['trace_id']), HEX_32);
  assert.match(String(span['span_id']), HEX_16);
  assert.equal(typeof span['name'], 'string');
  assert.ok(span['parent_id'] === 'undefined' || HEX_16.test(String(span['parent_id'])));
  assert.ok(Number(span['start_ns']) > 1e18);
  assert.ok(Number(span['duration']) >= 0);
  const meta = span['meta'] as { kind: string; input?: { messages?: { role: string; content: string }[] } };
  assert.ok(['llm', 'embedding', 'retrieval'].includes(meta.kind));
  for (const message of meta.input?.messages ?? []) assert.equal(typeof message.content, 'string');
  for (const value of Object.values(span['metrics'] as object)) assert.equal(typeof value, 'number');
}

const posthog: Vendor = {
  configure: (origin) => ({ type: 'posthog', config: { apiKey: 'phc_key_1234', endpoint: origin } }),
  secrets: ['phc_key_1234'],
  authHeaders: [],
  answer({ method, path, headers, body }) {
    assert.equal(`${method} ${path}`, 'POST /batch/');
    assert.equal(headers['content-type'], 'application/json');
    const sent = JSON.parse(body.toString('utf8')) as {
      api_key: string;
      historical_migration: boolean;
      batch: Record<string, unknown>[];
    };
    assert.equal(sent.api_key, 'phc_key_1234');
    assert.equal(sent.historical_migration, false);
    for (const event of sent.batch) {
      assert.equal(event['event'], '$ai_generation');
      assert.ok(String(event['distinct_id']).length > 0);
      assert.match(String(event['uuid']), UUID);
      assert.ok(!Number.isNaN(Date.parse(String(event['timestamp']))));
    }
    return { status: 200, body: '{"status":"Ok"}' };
  },
};

const s3: Vendor = {
  configure: (origin) => ({
    type: 's3',
    config: {
      bucketName: 'traces',
      accessKeyId: 'AKIAEXAMPLE12345',
      secretAccessKey: 's3-secret-access-key',
      sessionToken: 's3-session-token',
      region: 'eu-central-1',
      endpoint: origin,
      prefix: 'openrouter-traces',
      pathTemplate: '{prefix}/{date}',
    },
  }),
  secrets: ['AKIAEXAMPLE12345', 's3-secret-access-key', 's3-session-token'],
  authHeaders: ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'],
  answer({ method, path, headers, body }) {
    assert.equal(method, 'PUT');
    assert.match(path, /^\/traces\/openrouter-traces\/2026-11-22\/20261122T160000000Z-[0-9a-f-]{36}\.jsonl$/);
    const credential = 'AKIAEXAMPLE12345/\\d{8}/eu-central-1/s3/aws4_request';
    assert.match(headers.authorization ?? '', new RegExp(`^AWS4-HMAC-SHA256 Credential=${credential}, `));
    assert.equal(headers['x-amz-security-token'], 's3-session-token');
    assert.match(String(headers['x-amz-content-sha256']), /^[0-9a-f]{64}$/);
    assert.equal(headers['if-none-match'], '*');
    assert.equal(Number(headers['content-length']), body.length);
    for (const line of body.toString('utf8').trimEnd().split('\n')) {
      const { trace } = JSON.parse(line) as { trace: { id: string; observations: unknown[] } };
      assert.match(trace.id, HEX_32);
      assert.equal(trace.observations.length, 1);
    }
    return { status: 200, headers: { etag: '"1"' } };
  },
};

export const otherVendors: Record<string, Vendor> = { clickhouse, datadog, posthog, s3, snowflake };
