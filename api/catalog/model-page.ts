/** Answers requests for lists of models, whole or in pages, with JSON that is cached until the catalog changes. */
import type { ListedModel } from '../../domain/catalog/listed-model.ts';
import { answerPrepared, type PreparedAnswer, prepareAnswer } from '../http/answer-conditionally.ts';
import { API_BASE } from '../http/base-path.ts';
import { presentModel } from './present-model.ts';

interface Page {
  limit?: number | undefined;
  offset?: number | undefined;
}

/** The page size if only `offset` is given. */
const PAGE_SIZE = 500;

/** Caches the JSON of models and lists by object. A change of the catalog replaces the objects. */
const texts = new WeakMap<ListedModel, string>();
const wholeLists = new WeakMap<readonly ListedModel[], PreparedAnswer>();

/** Answers with an unfiltered list. The answer is prepared once per list. */
export function answerWholeList(
  headers: Parameters<typeof answerPrepared>[0],
  models: readonly ListedModel[],
) {
  let prepared = wholeLists.get(models);
  if (prepared === undefined) {
    prepared = prepareAnswer(listText(models, models.length, null));
    wholeLists.set(models, prepared);
  }
  return answerPrepared(headers, prepared);
}

/** Answers with the requested page, or with everything if the query has neither `limit` nor `offset`. */
export function answerModelPage(
  path: string,
  { headers, query }: { headers: Parameters<typeof answerPrepared>[0]; query: Page & object },
  models: readonly ListedModel[],
) {
  const isPaged = query.limit !== undefined || query.offset !== undefined;
  const { limit = isPaged ? PAGE_SIZE : models.length, offset = 0 } = query;
  const page = models.slice(offset, offset + limit);
  const nextOffset = offset + limit;
  const next = nextOffset < models.length ? pathOf(path, { ...query, limit, offset: nextOffset }) : null;
  return answerPrepared(headers, prepareAnswer(listText(page, models.length, next)));
}

function listText(models: readonly ListedModel[], totalCount: number, next: string | null): string {
  const rest = JSON.stringify({ links: { next }, total_count: totalCount });
  return `{"object":"list","data":[${models.map(textOf).join(',')}],${rest.slice(1)}`;
}

function textOf(model: ListedModel): string {
  let text = texts.get(model);
  if (text === undefined) {
    text = JSON.stringify(presentModel(model));
    texts.set(model, text);
  }
  return text;
}

function pathOf(path: string, query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `${API_BASE}${path}?${parameters.toString()}`;
}
