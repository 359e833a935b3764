/** Handles `POST /classifiers`: creates a classifier, whose tags become dimensions of analytics. */
import type { ClassifierBody } from '../../../contract/insights/classifiers.ts';
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentClassifier } from './present-classifier.ts';
import { defineRoute } from '../../http/route.ts';

export const createClassifier = defineRoute(
  operations.createClassifier,
  async ({ principal, client, body, idempotency }, { services }) => {
    const { name, description = null, is_active: isActive = true, workspace_id: workspaceId } = body;
    const draft = { name, description, isActive, ...(workspaceId === undefined ? {} : { workspaceId }) };
    const result = await services.classifiers.create(actorOf(principal, client), draft, {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (made) => ({ status: 201, body: { data: presentClassifier(made) } }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as { data: ClassifierBody },
    };
  },
);
