/** Handles `PATCH /byok/{id}`: changes one of the customer's own keys of providers, or its settings. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentByokKey } from './present-byok-key.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import { defineRoute } from '../http/route.ts';
import { toCredentialChanges } from './to-credential-changes.ts';

export const updateByokKey = defineRoute(
  operations.updateByokKey,
  async ({ principal, client, params, body }, { services }) => {
    const changes = requireUpdateFields(toCredentialChanges(body));
    const credential = await services.credentials.update(actorOf(principal, client), params.id, changes);
    return { status: 200, body: { data: presentByokKey(credential) } };
  },
);
