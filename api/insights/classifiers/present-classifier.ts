/** Turns a classifier into the record that responses show. */
import type { ClassifierBody } from '../../../contract/insights/classifiers.ts';
import type { Classifier } from '../../../domain/insights/classifier.ts';

export function presentClassifier(classifier: Classifier): ClassifierBody {
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
