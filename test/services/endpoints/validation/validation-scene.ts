import { createValidationStore } from '../../../../db/endpoints/validation-store.ts';
import type { Check, Validation } from '../../../../domain/endpoints/validation.ts';
import { newUuid } from '../../../../domain/ids.ts';
import { digestOf } from '../../../../services/endpoints/digest-of.ts';
import { validateEndpoint } from '../../../../services/endpoints/validation/validate-endpoint.ts';
import { createActivityDeps, type TestActivityDeps } from '../../../support/activity-deps.ts';
import { type Gateway, startGateway } from '../../../support/gateway.ts';
import { type ModelServer, startModelServer } from '../../../support/model-server.ts';
import { addDraft } from '../../../support/own-resources.ts';

/** The checks as an activity makes them, against a real server. */
export interface ValidationScene {
  gateway: Gateway;
  deps: TestActivityDeps;
  server: ModelServer;
  /** Begins a run as the API does. */
  begin(endpointId: string, facts?: { activates?: boolean; workspaceId?: string }): Promise<string>;
  /** Begins and makes the checks; returns the stored ones. */
  check(endpointId: string, facts?: { workspaceId?: string }): Promise<Check[]>;
  /** Inserts an endpoint at the server and checks it. */
  checkNew(change?: Record<string, unknown>): Promise<Check[]>;
  /** Inserts an endpoint at the server. */
  newEndpoint(change?: Record<string, unknown>): Promise<string>;
  /** Changes columns of an endpoint behind the back of the product. */
  edit(endpointId: string, assignments: string): Promise<void>;
  /** Makes the checks of a begun run. */
  run(validationId: string): Promise<boolean>;
  stored(validationId: string): Promise<Validation>;
  /** Does something while the first call waits for its answer. */
  meanwhile(act: () => Promise<unknown>): void;
  statusOf(endpointId: string): Promise<string>;
  close(): Promise<void>;
}

export async function startValidationScene(): Promise<ValidationScene> {
  const gateway = await startGateway({ bootstrap: { entitlements: ['private_endpoints'] } });
  const [deps, server] = [await createActivityDeps(gateway), await startModelServer()];
  const store = createValidationStore(deps.knex);
  const scene: ValidationScene = {
    gateway,
    deps,
    server,
    async begin(endpointId, { activates = false, workspaceId = gateway.workspaceId } = {}) {
      const endpoint = await store.readEndpoint(endpointId);
      const digest = digestOf(endpoint!);
      const run = { id: newUuid(), endpointId, workspaceId, digest, activates, checks: [] };
      return (await store.begin(run)).id;
    },
    async check(endpointId, facts) {
      const id = await scene.begin(endpointId, facts);
      await scene.run(id);
      return (await scene.stored(id)).checks;
    },
    checkNew: async (change) => scene.check(await scene.newEndpoint(change)),
    newEndpoint: (change) => addDraft(gateway, { base_url: server.baseUrl, ...change }),
    async edit(endpointId, assignments) {
      const sql = `update private_endpoints set ${assignments} where id = $1`;
      await gateway.database.query(sql, [endpointId]);
    },
    run: (validationId) => validateEndpoint(deps.validations, validationId, new AbortController().signal),
    stored: async (validationId) => (await store.find(validationId))!,
    meanwhile(act) {
      server.faults.whole = async (response, received) => {
        await act();
        await server.behave(response, received);
      };
    },
    async statusOf(endpointId) {
      const { rows } = await gateway.database.query('select status from private_endpoints where id = $1', [
        endpointId,
      ]);
      return rows[0].status;
    },
    async close() {
      await server.close();
      await deps.close();
      await gateway.close();
    },
  };
  return scene;
}

const ORDER = ['base_url_allowed', 'credential_ok', 'model_answers', 'stream_ok', 'usage_reported'];

/** The checks of a chat endpoint of which this one fails. */
export function failsAt(name: string, failure: object): object[] {
  const before = ORDER.slice(0, name === 'parameters_ok' ? ORDER.length : ORDER.indexOf(name));
  return [...before.map((one) => ({ name: one, passed: true })), { name, passed: false, ...failure }];
}

export const ALL_PASSED = [...ORDER, 'parameters_ok'].map((name) => ({ name, passed: true }));
