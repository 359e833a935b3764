/** Handles `GET /videos/models`: lists the models that generate videos. */
import { operations } from '../../contract/operations.ts';
import { presentVideoModel } from './present-video-model.ts';
import { defineRoute } from '../http/route.ts';

export const listVideoModels = defineRoute(operations.listVideoModels, async (_call, { services }) => ({
  status: 200,
  body: { data: services.videos.models().map(presentVideoModel) },
}));
