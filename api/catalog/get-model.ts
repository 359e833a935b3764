/** Handles `GET /model/{author}/{slug}`: returns one model of the public catalog. */
import { operations } from '../../contract/operations.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import { presentModel } from './present-model.ts';
import { defineRoute } from '../http/route.ts';

export const getModel = defineRoute(
  operations.getModel,
  async ({ headers, params: { author, slug } }, { services: { models } }) =>
    answerConditionally(headers, { data: presentModel(models.find(`${author}/${slug}`)) }),
);
