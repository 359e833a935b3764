/**
 * Finds Ollama and LM Studio on this machine, and asks them which models they have. Only 127.0.0.1 is asked, without
 * following redirects. All sources were read on 2026-11-28, in stored copies; no server was tried.
 *
 * Ollama: github.com/ollama/ollama has port and paths (`docs/faq.mdx`, `docs/api.md`), the answers
 * (`docs/openapi.yaml`) and the words for abilities (`types/model/capability.go`). The field `remote_host` is in
 * clients that repeat Ollama's `ListModelResponse`. LM Studio: github.com/lmstudio-ai/docs has port, path and types
 * (`1_developer/2_rest/endpoints.mdx`, which recommends a newer API to new projects) and `tool_use`
 * (`api-changelog.md`). Only users show `loaded_context_length` (github.com/co-l/openfox/issues/49).
 */
import { z } from 'zod';
import { HOST, type StackSettings } from '../../settings.ts';

export interface FoundModel {
  name: string;
  capability: 'chat' | 'embeddings';
  /** Null: the server does not tell. */
  contextLength: number | null;
  readsImages: boolean;
  callsTools: boolean;
  thinks: boolean;
}

export interface FoundServer {
  slug: string;
  name: string;
  baseUrl: string;
  models: FoundModel[];
}

/** A server has this time for all its answers. They run while Postgres and Temporal start, which takes longer. */
const LOOK_MS = 2_000;

const SERVERS = [
  { slug: 'ollama', name: 'Ollama', port: 'ollama', list: listOllama },
  { slug: 'lm-studio', name: 'LM Studio', port: 'lmStudio', list: listLmStudio },
] as const;

/** The slugs of the servers that can be found. */
export const FINDABLE: readonly string[] = SERVERS.map(({ slug }) => slug);

/** Returns the running servers. Never rejects: a silent server, or another program at its port, is not found. */
export async function findModelServers(ports: StackSettings['modelPorts']): Promise<FoundServer[]> {
  if (ports === undefined) return [];
  const looks = SERVERS.map(async ({ slug, name, port, list }) => {
    const origin = `http://${HOST}:${ports[port]}`;
    const models = await list(origin, AbortSignal.timeout(LOOK_MS)).catch(() => undefined);
    return models === undefined ? [] : [{ slug, name, baseUrl: `${origin}/v1`, models }];
  });
  return (await Promise.all(looks)).flat();
}

/** Excludes what the catalog cannot store: NUL and halves of characters. */
const name = z.string().regex(/^[^\s\0\p{Cs}]{1,200}$/u);
const words = z.array(z.string()).catch([]);

const ollamaTags = z.object({
  models: z.array(
    z.object({
      name,
      // Such a model runs in Ollama's cloud, which is neither free nor on this machine.
      remote_host: z.string().optional(),
      details: z.object({ family: z.string().catch('') }).catch({ family: '' }),
    }),
  ),
});

const ollamaModel = z.object({
  capabilities: words.optional(),
  parameters: z.string().catch(''),
  model_info: z.record(z.string(), z.unknown()).catch({}),
});

async function listOllama(origin: string, signal: AbortSignal): Promise<FoundModel[]> {
  const { models } = ollamaTags.parse(await ask(`${origin}/api/tags`, { signal }));
  const own = models.filter(({ remote_host: host }) => !host);
  const found = await Promise.all(
    own.map(async ({ name: model, details: { family } }) => {
      const request = { method: 'POST', body: JSON.stringify({ model }), signal };
      // A server of an older version, or another program with this wire, may not describe its models.
      const answer = await ask(`${origin}/api/show`, request).catch(() => ({}));
      const { capabilities, parameters, model_info: info } = ollamaModel.parse(answer);
      const abilities = capabilities ?? [family.includes('bert') ? 'embedding' : 'completion'];
      return toModel(model, abilities, contextOf(parameters, info));
    }),
  );
  return found.filter((model) => model !== undefined);
}

/** Returns the context that the model's file sets, or else the longest that the model has. */
function contextOf(parameters: string, info: Record<string, unknown>): number | null {
  const [, set] = /^num_ctx\s+(\d+)/m.exec(parameters) ?? [];
  const [, length] = Object.entries(info).find(([key]) => key.endsWith('.context_length')) ?? [];
  return positive(set === undefined ? length : Number(set));
}

const lmStudioModels = z.object({
  data: z.array(
    z.object({
      id: name,
      type: z.string(),
      max_context_length: z.unknown().optional(),
      loaded_context_length: z.unknown().optional(),
      capabilities: words,
    }),
  ),
});

const LM_STUDIO_ABILITIES: Record<string, string[]> = {
  llm: ['completion'],
  vlm: ['completion', 'vision'],
  embeddings: ['embedding'],
};

async function listLmStudio(origin: string, signal: AbortSignal): Promise<FoundModel[]> {
  const { data } = lmStudioModels.parse(await ask(`${origin}/api/v0/models`, { signal }));
  return data.flatMap(({ id, type, capabilities, ...lengths }) => {
    const abilities = [...(LM_STUDIO_ABILITIES[type] ?? [])];
    if (capabilities.includes('tool_use')) abilities.push('tools');
    const context = positive(lengths.loaded_context_length) ?? positive(lengths.max_context_length);
    return toModel(id, abilities, context) ?? [];
  });
}

/** Returns a model by Ollama's words for abilities; undefined if it can neither chat nor embed. */
function toModel(
  model: string,
  abilities: readonly string[],
  contextLength: number | null,
): FoundModel | undefined {
  const isChat = abilities.includes('completion');
  if (!isChat && !abilities.includes('embedding')) return undefined;
  return {
    name: model,
    capability: isChat ? 'chat' : 'embeddings',
    contextLength,
    readsImages: abilities.includes('vision'),
    callsTools: abilities.includes('tools'),
    thinks: abilities.includes('thinking'),
  };
}

function positive(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31 ? Number(value) : null;
}

async function ask(url: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...request, redirect: 'error' });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}
