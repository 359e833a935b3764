import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ALL_QUEUES, type Gateway, startGateway } from '../../support/gateway.ts';
import { makeScene } from './published-scene.ts';
import { runScript } from './run-script.ts';

interface Report {
  /** By function: `read`, or what went wrong. */
  verdicts: Record<string, string>;
  /** The statuses of the functions that the gateway does not serve. */
  not_served: Record<string, number>;
  neither: string[];
}

let gateway: Gateway;
let report: Report;
beforeAll(async () => {
  gateway = await startGateway({
    worker: ALL_QUEUES,
    bootstrap: { entitlements: ['private_endpoints', 'interns'] },
  });
  const scene = JSON.stringify(await makeScene(gateway));
  report = (await runScript('openrouter_every.py', gateway, { env: { SCENE: scene } })) as Report;
}, 600_000);
afterAll(() => gateway.close());

describe('openrouter from PyPI', () => {
  test('reads every answer of every function that the gateway serves', () => {
    const failed = Object.entries(report.verdicts).filter(([, verdict]) => verdict !== 'read');
    expect(Object.fromEntries(failed)).toEqual({});
    expect(Object.keys(report.verdicts)).toHaveLength(94);
  });

  test('calls every function, or lists it as not served', () => {
    expect(report.neither).toEqual([]);
  });

  test('receives 404 for every function listed as not served', () => {
    expect([...new Set(Object.values(report.not_served))]).toEqual([404]);
  });
});
