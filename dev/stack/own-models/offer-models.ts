/** Offers the models of servers on this machine in the catalog, and withdraws those that are gone. */
import { createCatalogStore, type SourcedCatalog } from '../../../db/catalog/catalog-store.ts';
import { createDatabase, type Handle } from '../../../db/postgres/connection.ts';
import { providerVariableName, readProviderVariables } from '../../../platform/provider-variables.ts';
import { type CatalogFile, parseCatalogFile } from '../../../providers/catalog-file.ts';
import { importCatalog } from '../../../services/catalog/import-catalog.ts';
import { HOST } from '../../settings.ts';
import { FINDABLE, type FoundModel, type FoundServer } from './find-servers.ts';

/** A server on this machine whose models the stack offers. */
export interface OwnModels {
  slug: string;
  name: string;
  baseUrl: string;
  /** The ids of the models; none if the server has none yet. */
  models: string[];
  /** A model for chats; absent if the server has none. */
  chatModel?: string | undefined;
}

/**
 * Imports the models of the found servers, and switches off models of earlier starts that no server has now. A server
 * whose slug the operator configures by variables or by an import is left alone. Returns what is offered.
 */
export async function offerModels(
  databaseUrl: string,
  organizationId: string,
  found: readonly FoundServer[],
  { say, env = process.env }: { say(text: string): void; env?: NodeJS.ProcessEnv },
): Promise<OwnModels[]> {
  const { providers } = readProviderVariables(env);
  const database = createDatabase({ url: databaseUrl, poolMax: 1, applicationName: 'sluice-dev' });
  try {
    const offered: OwnModels[] = [];
    for (const slug of FINDABLE.filter((one) => !providers.has(providerVariableName(one)))) {
      const present = await createCatalogStore(database.knex).loadSourced();
      if (!isOurs(slug, present)) continue;
      const server = found.find((one) => one.slug === slug);
      const file = server === undefined ? withoutModels(slug, present) : catalogOf(server, present);
      const problem = await importFile(database.knex, file, organizationId);
      if (problem !== undefined) say(`  Warning: models of ${slug} are not offered: ${problem}`);
      else if (server !== undefined) {
        const chat = file.liveEndpoints.find(({ capability }) => capability === 'chat');
        offered.push({ ...server, models: file.models.map(({ id }) => id), chatModel: chat?.modelId });
      }
    }
    return offered;
  } finally {
    await database.close();
  }
}

/** Returns false for a provider that an operator's import gave another address, or other models than ours. */
function isOurs(slug: string, { providers, endpoints }: SourcedCatalog): boolean {
  const baseUrl = providers.find(({ provider }) => provider.slug === slug)?.provider.baseUrl ?? null;
  const own = endpoints.filter(({ endpoint }) => endpoint.providerSlug === slug);
  return (
    (baseUrl === null || baseUrl.startsWith(`http://${HOST}:`)) &&
    own.every(({ endpoint: { id } }) => id.startsWith(`${slug}/`) && id.endsWith(`@${slug}`))
  );
}

/** Writes only what changes, because every import is a line of the audit log. Returns why nothing was written. */
async function importFile(
  knex: Handle,
  file: CatalogFile,
  organizationId: string,
): Promise<string | undefined> {
  const options = { organizationId, digest: 'models-of-this-machine' };
  const result = await importCatalog(knex, file, { ...options, dryRun: true });
  if ('issues' in result) return result.issues.map(({ message }) => message).join('; ');
  if (result.changes.length > 0) await importCatalog(knex, file, { ...options, dryRun: false });
  return undefined;
}

function withoutModels(slug: string, { providers }: SourcedCatalog): CatalogFile {
  const known = providers.flatMap(({ provider }) => (provider.slug === slug ? [provider] : []));
  return { providers: known, models: [], endpoints: [], liveEndpoints: [] };
}

const TEXT = ['frequency_penalty', 'max_completion_tokens', 'max_tokens', 'presence_penalty'];
const CHAT = [...TEXT, 'response_format', 'seed', 'stop', 'temperature', 'top_p'];
const THOUGHTS = ['reasoning', 'reasoning_effort'];

/** Returns the server's catalog. Its models cost nothing, and what is sent to them stays on this machine. */
function catalogOf({ slug, name, baseUrl, models }: FoundServer, present: SourcedCatalog): CatalogFile {
  const created = new Map(present.models.map(({ model }) => [model.id, model.createdAt]));
  // Two names may differ by a slash only.
  const byId = new Map(models.map((model) => [idOf(slug, model), model]));
  return parseCatalogFile({
    providers: [{ slug, name, adapter: 'compatible-server', baseUrl }],
    models: [...byId].map(([id, model]) => ({
      id,
      canonicalSlug: id,
      name: `${name}: ${model.name}`,
      inputModalities: ['text', ...(model.readsImages ? ['image'] : [])],
      outputModalities: [model.capability === 'chat' ? 'text' : 'embeddings'],
      contextLength: model.contextLength,
      reasoning: model.thinks ? { mandatory: false } : null,
      createdAt: (created.get(id) ?? new Date()).toISOString(),
    })),
    endpoints: [],
    liveEndpoints: [...byId].map(([id, model]) => ({
      id: `${id}@${slug}`,
      modelId: id,
      providerSlug: slug,
      capability: model.capability,
      upstreamModelId: model.name,
      pricing: { prompt: '0', completion: '0' },
      contextLength: model.contextLength,
      supportedParameters: parametersOf(model),
      collectsData: false,
      zdr: true,
    })),
  });
}

/** Returns the model's id. Its name may have slashes, as `hf.co/author/model` of Ollama, and an id has one. */
function idOf(slug: string, { name }: FoundModel): string {
  return `${slug}/${name.replaceAll('/', '-')}`;
}

function parametersOf({ capability, callsTools, thinks }: FoundModel): string[] {
  if (capability === 'embeddings') return ['dimensions'];
  return [...CHAT, ...(callsTools ? ['tools'] : []), ...(thinks ? THOUGHTS : [])];
}
