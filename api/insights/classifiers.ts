/** Answers the operations on classifiers. */
import type { ClassifierBody, classifierOperations } from '../../contract/insights/classifiers.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import type { Classifier } from '../../domain/insights/classifier.ts';
import { actorOf } from '../../domain/principal.ts';
import type { ClassifierService } from '../../services/insights/classifier-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import type { RoutesOf } from '../http/route.ts';

export const classifierRoutes: RoutesOf<typeof classifierOperations, { classifiers: ClassifierService }> = {
  /** Handles `POST /classifiers`: creates a classifier, whose tags become dimensions of analytics. */
  createClassifier: (call, { services }) => {
    const { name, description = null, is_active: isActive = true, workspace_id: workspaceId } = call.body;
    const draft = { name, description, isActive, workspaceId };
    return answerIdempotently(
      call,
      (classifier: Classifier) => ({ status: 201, body: { data: presentClassifier(classifier) } }),
      (once) => services.classifiers.create(actorOf(call), draft, once),
    );
  },

  /** Handles `GET /classifiers`: lists the classifiers of the organization. */
  listClassifiers: async ({ principal, query }, { services }) => {
    const { limit, offset, include_inactive: includeInactive, workspace_id: workspaceId } = query;
    const { classifiers, totalCount } = await services.classifiers.list(principal.organizationId, {
      limit,
      offset,
      includeInactive,
      workspaceId,
    });
    return { status: 200, body: { data: classifiers.map(presentClassifier), total_count: totalCount } };
  },

  /** Handles `GET /classifiers/{id}`: returns one classifier. */
  getClassifier: async ({ principal, params }, { services }) => {
    const classifier = await services.classifiers.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentClassifier(classifier) } };
  },

  /** Handles `PATCH /classifiers/{id}`: changes the fields of a classifier that the body names. */
  updateClassifier: async (call, { services }) => {
    const { name, description, is_active: isActive } = call.body;
    const changes = requireUpdateFields(withoutUndefined({ name, description, isActive }));
    const updated = await services.classifiers.update(actorOf(call), call.params.id, changes);
    return { status: 200, body: { data: presentClassifier(updated) } };
  },

  /** Handles `POST /classifiers/{id}/tags`: tags generations in the dimensions of a classifier. */
  addClassifierTags: (call, { services }) => {
    const tags = call.body.tags.map(({ generation_id: generationId, dimension, value }) => ({
      generationId,
      dimension,
      value,
    }));
    return answerIdempotently(
      call,
      (added: number) => ({ status: 200, body: { data: { added } } }),
      (once) => services.classifiers.addTags(actorOf(call), call.params.id, tags, once),
    );
  },
};

/** Turns a classifier into the record that responses show. */
function presentClassifier(classifier: Classifier): ClassifierBody {
  return {
    id: classifier.id,
    workspace_id: classifier.workspaceId,
    name: classifier.name,
    description: classifier.description,
    is_active: classifier.isActive,
    created_at: classifier.createdAt.toISOString(),
    updated_at: classifier.updatedAt.toISOString(),
  };
}
