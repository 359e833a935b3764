import { listActivity } from './activity.ts';
import { queryAnalytics, getAnalyticsMeta } from './analytics.ts';
import {
  createClassifier,
  listClassifiers,
  getClassifier,
  updateClassifier,
  addClassifierTags,
} from './classifiers.ts';
import { getGeneration, getGenerationContent } from './generations.ts';
import { getModelRankings, getAppRankings } from './rankings.ts';

/** Lists the operations on generations, activity, analytics, classifiers and rankings. */
export const insightOperations = {
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
