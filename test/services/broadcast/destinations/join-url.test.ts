import { expect, test } from '@jest/globals';
import { joinUrl } from '../../../../services/broadcast/destinations/join-url.ts';

test.each([
  ['https://tool.example', '/otel/v1/traces', 'https://tool.example/otel/v1/traces'],
  ['https://tool.example/', '/otel/v1/traces', 'https://tool.example/otel/v1/traces'],
  ['https://gateway.grafana.net/otlp', '/otlp/v1/traces', 'https://gateway.grafana.net/otlp/v1/traces'],
  ['https://otlp.arize.com/v1', '/v1/traces', 'https://otlp.arize.com/v1/traces'],
  ['https://otlp.arize.com/v1/traces/', '/v1/traces', 'https://otlp.arize.com/v1/traces'],
  ['https://host/api/v1', '/otel/v1/traces', 'https://host/api/v1/otel/v1/traces'],
  ['https://team.wandb.io/traces', '/otel/v1/traces', 'https://team.wandb.io/traces/otel/v1/traces'],
  ['https://tool.example?team=1', '/v1/traces', 'https://tool.example/v1/traces?team=1'],
  ['https://us.i.posthog.com/batch', '/batch/', 'https://us.i.posthog.com/batch/'],
  ['https://click.example:8443', '/', 'https://click.example:8443/'],
  ['https://proxy.example/click/', '/', 'https://proxy.example/click/'],
  ['no address', '/v1/traces', 'no address'],
])('%s joined with %s gives %s', (base, path, url) => {
  expect(joinUrl(base, path)).toBe(url);
});
