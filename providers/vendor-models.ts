/** Asks vendors for the models that they list today. */
import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { z, type ZodType } from 'zod';
import { createProviderHttp } from './http.ts';
import { DEFAULT_TIMEOUTS } from './provider-settings.ts';

/** A model in a vendor's list. */
export interface ListedModel {
  id: string;
  /** The day on which the vendor shuts the model down, as `YYYY-MM-DD`; absent if none is announced. */
  shutdownDate?: string | undefined;
}

export interface VendorConnection {
  baseUrl: string;
  apiKey?: string | undefined;
  dispatcher: Dispatcher;
  signal: AbortSignal;
}

/** The most pages of a list that are read, so that a list that never ends is left. */
const MAX_PAGES = 20;

type ListModels = (connection: VendorConnection) => Promise<ListedModel[]>;

/**
 * The adapters whose vendors list their models. Azure lists models that a resource may deploy instead of its
 * deployments, and Replicate has too many models for a list.
 */
const LISTS: Record<string, ListModels> = {
  openai: listOpenAi,
  'openai-compatible': listOpenAi,
  'compatible-server': listOpenAi,
  'compatible-vendor': listOpenAi,
  local: listOpenAi,
  anthropic: listAnthropic,
  cohere: listCohere,
  google: listGoogle,
};

/** Returns the function that lists the models of vendors with this adapter; undefined if they have no list. */
export function modelListOf(adapter: string): ListModels | undefined {
  return Object.hasOwn(LISTS, adapter) ? LISTS[adapter] : undefined;
}

const name = z.string().min(1).max(256);

/** `shutdown_date` is described on developers.openai.com/api/docs/deprecations, read 2026-11-28. */
const openAiList = z.object({
  data: z.array(z.object({ id: name, shutdown_date: z.iso.date().nullish().catch(undefined) })),
});

async function listOpenAi(connection: VendorConnection): Promise<ListedModel[]> {
  const { data } = await get(connection, 'models', openAiList);
  return data.map(({ id, shutdown_date: day }) => ({ id, shutdownDate: day ?? undefined }));
}

/** The page platform.claude.com/docs/en/api/models/list, read 2026-11-28. */
const anthropicList = z.object({
  data: z.array(z.object({ id: name })),
  has_more: z.boolean().default(false),
  last_id: z.string().nullish(),
});

async function listAnthropic({ apiKey, ...connection }: VendorConnection): Promise<ListedModel[]> {
  const headers = { 'anthropic-version': '2023-06-01', ...(apiKey !== undefined && { 'x-api-key': apiKey }) };
  return readPages(async (after) => {
    const path = `models?limit=1000${after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`}`;
    const { data, has_more: hasMore, last_id: last } = await get(connection, path, anthropicList, headers);
    return { models: data, next: hasMore ? last : undefined };
  });
}

/** The page ai.google.dev/api/models, read 2026-11-28. */
const googleList = z.object({
  models: z.array(z.object({ name: name.startsWith('models/') })),
  nextPageToken: z.string().nullish(),
});

async function listGoogle({ apiKey, ...connection }: VendorConnection): Promise<ListedModel[]> {
  const headers = { ...(apiKey !== undefined && { 'x-goog-api-key': apiKey }) };
  return readPages(async (token) => {
    const path = `models?pageSize=1000${token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`}`;
    const { models, nextPageToken: next } = await get(connection, path, googleList, headers);
    return { models: models.map((model) => ({ id: model.name.slice('models/'.length) })), next };
  });
}

/** The page docs.cohere.com/reference/list-models, read 2026-11-28. The list exists in version 1 of the API only. */
const cohereList = z.object({ models: z.array(z.object({ name })), next_page_token: z.string().nullish() });

async function listCohere(connection: VendorConnection): Promise<ListedModel[]> {
  const baseUrl = connection.baseUrl.replace(/\/v2\/*$/, '/v1');
  return readPages(async (token) => {
    const path = `models?page_size=1000${token === undefined ? '' : `&page_token=${encodeURIComponent(token)}`}`;
    const { models, next_page_token: next } = await get({ ...connection, baseUrl }, path, cohereList);
    return { models: models.map((model) => ({ id: model.name })), next };
  });
}

async function readPages(
  read: (after: string | undefined) => Promise<{ models: ListedModel[]; next?: string | null | undefined }>,
): Promise<ListedModel[]> {
  const all: ListedModel[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { models, next } = await read(after);
    all.push(...models);
    if (!next) break;
    after = next;
  }
  return all;
}

async function get<T>(
  { baseUrl, apiKey, dispatcher, signal }: VendorConnection,
  path: string,
  schema: ZodType<T>,
  headers?: Record<string, string>,
): Promise<T> {
  const authorize = headers && { authorize: () => headers };
  const http = createProviderHttp({ baseUrl, apiKey, dispatcher, timeouts: DEFAULT_TIMEOUTS, ...authorize });
  const context = { signal, requestId: randomUUID() };
  const { value } = await http.requestJson({ method: 'GET', path }, schema, context);
  return value;
}
