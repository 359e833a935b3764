import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCaller } from '../../support/caller.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { runProbe, runTester, type ScimPlace } from './scim-tools.ts';

/**
 * Findings of scim2-tester that are no fault: RFC 7644, section 3.4.3, says that clients MAY search by POST. Section
 * 3.12 has 501 for operations that a server does not support. The tester asks at `/.search` once for each type of
 * resource.
 */
const NO_SEARCH_BY_POST = ['User', 'Group'].map((resourceType) => ({
  status: 'SKIPPED',
  check: 'search_with_attributes',
  resourceType,
  reason: 'POST /.search: searching several resource types at once is not supported by the server',
}));

/**
 * Checks that scim-sanity skips: RFC 7643 knows no agents; they are of a draft that the server does not claim to
 * support.
 */
const NO_AGENTS = ['Agent CRUD Lifecycle', 'AgenticApplication CRUD Lifecycle', 'Agent Rapid Lifecycle'];

let gateway: Gateway;
let place: ScimPlace;

beforeAll(async () => {
  gateway = await startGateway();
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const response = await manager.call('POST', '/scim/tokens', { body: { label: 'Checkers' } });
  const { token } = (await response.json()) as { token: string };
  place = { baseUrl: `${gateway.origin}/api/v1/scim/v2`, token };
});

afterAll(() => gateway.close());

test('scim2-tester passes every check except the unsupported search by POST', async () => {
  const results = await runTester(place);
  const { passed = [], others = [] } = Object.groupBy(results, ({ status }) =>
    status === 'SUCCESS' ? 'passed' : 'others',
  );
  expect(others).toEqual(NO_SEARCH_BY_POST.map((finding) => expect.objectContaining(finding)));
  const counts = Object.fromEntries(
    Object.entries(
      Object.groupBy(passed, ({ check, resourceType }) => `${resourceType ?? 'server'} ${check}`),
    ).map(([name, some]) => [name, some!.length]),
  );
  // Each attribute of the schemas is added, removed and replaced: without schemas there would be nothing to fail.
  expect(counts).toMatchObject({
    'server service_provider_config_endpoint': 1,
    'server access_schema_by_id': 3,
    'server random_url': 1,
    'User object_deletion': 1,
    'User check_add_attribute': 26,
    'User check_remove_attribute': 26,
    'User check_replace_attribute': 27,
    'Group object_deletion': 1,
    'Group check_add_attribute': 2,
    'Group check_remove_attribute': 2,
    'Group check_replace_attribute': 3,
  });
});

test.each([
  ['by the letter of the RFC', ['--strict']],
  ['as Entra ID is to be called', ['--strict', '--profile', 'entra', '--user-domain', 'example.com']],
])('scim-sanity finds no fault, %s', async (_manner, options) => {
  const { exitCode, results } = await runProbe(place, options);
  const others = results.filter(({ status }) => status !== 'pass');
  expect(others.map(({ name, status }) => `${status} ${name}`)).toEqual(
    NO_AGENTS.map((name) => `skip ${name}`),
  );
  expect(results.length).toBeGreaterThanOrEqual(31);
  expect(exitCode).toBe(0);
});
