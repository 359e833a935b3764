import { listActivity } from './activity/list-activity.ts';
import { getAnalyticsMeta } from './analytics/get-analytics-meta.ts';
import { queryAnalytics } from './analytics/query-analytics.ts';
import { addClassifierTags } from './classifiers/add-classifier-tags.ts';
import { createClassifier } from './classifiers/create-classifier.ts';
import { getClassifier } from './classifiers/get-classifier.ts';
import { listClassifiers } from './classifiers/list-classifiers.ts';
import { updateClassifier } from './classifiers/update-classifier.ts';
import { getGenerationContent } from './generations/get-generation-content.ts';
import { getGeneration } from './generations/get-generation.ts';
import { getAppRankings } from './rankings/get-app-rankings.ts';
import { getModelRankings } from './rankings/get-model-rankings.ts';

/** Lists the routes of the operations on generations, activity, analytics, classifiers and rankings. */
export const insightRoutes = {
  getGeneration,
  getGenerationContent,
  queryAnalytics,
  getAnalyticsMeta,
  listActivity,
  createClassifier,
  listClassifiers,
  getClassifier,
  updateClassifier,
  addClassifierTags,
  getModelRankings,
  getAppRankings,
};
