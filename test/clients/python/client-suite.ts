import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { type Environment, runScript } from './run-script.ts';

/** A client in Python, and what its script must print. */
export interface PythonClient {
  /** Its name at PyPI. */
  name: string;
  script: string;
  environment: Environment;
  /** By feature. */
  expected: Readonly<Record<string, unknown>>;
}

/** Runs the script of a client once and holds what it prints for each feature against what is expected. */
export function testClient({ name, script, environment, expected }: PythonClient): void {
  let gateway: Gateway;
  let printed: Record<string, unknown>;
  beforeAll(async () => {
    gateway = await startGateway();
    printed = (await runScript(script, gateway, { environment })) as Record<string, unknown>;
  });
  afterAll(() => gateway.close());

  describe(`the unchanged client ${name} from PyPI`, () => {
    test.each(Object.entries(expected))('prints the expected result of %s', (feature, answer) => {
      expect(printed[feature]).toEqual(answer);
    });

    test('prints exactly the expected features', () => {
      expect(Object.keys(printed).toSorted()).toEqual(Object.keys(expected).toSorted());
    });
  });
}
