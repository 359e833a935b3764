/** Provides the API reference with examples of tests, deliveries, dead letters and previews of destinations. */

const GENERATION_ID = 'gen-1767225600000-a1B2c3D4e5F6g7H8i9J0';
const deadLetterId = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';

export const testResult = {
  passed: false,
  status: 401,
  text: '{"message":"Invalid credentials"}',
};

export const attempt = {
  at: '2026-01-01T00:00:02.000Z',
  outcome: 'failed',
  events: 120,
  bytes: 184_233,
  status: 503,
  reason: 'The tool answered 503.',
  response_excerpt: 'upstream connect error',
  took_ms: 412,
};

export const deadLetter = {
  id: deadLetterId,
  generation_id: GENERATION_ID,
  generation_created_at: '2026-01-01T00:00:00.000Z',
  reason: 'The tool refuses the data (400).',
  status: 400,
  died_at: '2026-01-01T00:00:05.000Z',
  replay_requested_at: null,
};

export const replays = {
  all: { summary: 'All of the destination', value: {} },
  some: { summary: 'Some', value: { ids: [deadLetterId] } },
};

export const previewRequest = {
  name: 'Failures of Europe',
  type: 'otel-collector',
  config: { endpoint: 'https://collector.example.com/v1/traces' },
  regions: ['europe'],
  generation_id: GENERATION_ID,
};

export const preview = {
  sent: false,
  rule: 'regions',
  reason: 'The generation belongs to the region "global", and the destination receives "europe" only.',
};
