/**
 * Writes the extracts of public price data in `dev/catalog/extracts`, from which `npm run catalog` writes the catalogs.
 * The packages are unpacked by hand before: `dev/write-price-extracts.ts genai-prices VERSION FOLDER` takes the folder
 * of npm's `@pydantic/genai-prices`, and `… litellm VERSION FILE` the map in the wheel of PyPI's `litellm`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Fields, isFields } from '../domain/fields.ts';
import { extractFile, hashOf } from './catalog/read-extracts.ts';
import { BEDROCK } from './catalog/vendors/bedrock.ts';
import { COMPATIBLE } from './catalog/vendors/compatible.ts';
import { GOOGLE_VERTEX } from './catalog/vendors/google.ts';

/** The models of the extracts: those of our vendors, and those of others whose prices the tests state. */
const MODELS: Record<string, RegExp> = {
  openai: /^(gpt-[56]|gpt-image-[2-9]|gpt-4o-mini-tts|tts-|text-embedding-3)/,
  anthropic: /^claude-(opus|sonnet|haiku|fable)-/,
  cohere: /./,
  google: /^gemini-(2\.5-(pro|flash)$|[34]|embedding-(2|001)$|nano-banana-)/,
  xai: /^grok-4\.[5-7]$/,
  minimax: /m3$/i,
  deepseek: /v4-(flash|pro)$/,
  jina: /^jina-/,
  voyage: /^(voyage-(4|code-4)|rerank-[23])/,
};
/** The models of clouds and of vendors without an adapter of their own, by exact names. */
for (const { name, endpoints } of [BEDROCK, GOOGLE_VERTEX, ...COMPATIBLE]) {
  const names = endpoints.map(({ upstreamModelId }) => upstreamModelId.replaceAll('.', '\\.'));
  if (names.length === 0) continue;
  const pattern = names.join('|');
  MODELS[name] = new RegExp(
    MODELS[name] === undefined ? `^(${pattern})$` : `${MODELS[name].source}|^(${pattern})$`,
  );
}
/** The names of the same vendors in each source. */
const GENAI_VENDORS = {
  ...MODELS,
  'x-ai': MODELS['xai'],
  zai: MODELS['z-ai'],
  voyageai: MODELS['voyage'],
  aws: MODELS['bedrock'],
};
const LITELLM_VENDORS = {
  ...MODELS,
  cohere_chat: MODELS['cohere'],
  gemini: MODELS['google'],
  vertex_ai: MODELS['google'],
  'vertex_ai-language-models': MODELS['google'],
  'vertex_ai-embedding-models': MODELS['google'],
  'vertex_ai-anthropic_models': MODELS['google-vertex'],
  'vertex_ai-openai_models': MODELS['google-vertex'],
  'vertex_ai-zai_models': MODELS['google-vertex'],
  together_ai: MODELS['together'],
  fireworks_ai: MODELS['fireworks'],
  moonshot: MODELS['moonshotai'],
  zai: MODELS['z-ai'],
  jina_ai: MODELS['jina'],
  dashscope: MODELS['alibaba'],
  bedrock_converse: MODELS['bedrock'],
  bedrock_mantle: MODELS['bedrock-mantle'],
};

const KEPT_OF_GENAI = ['id', 'match', 'context_window', 'prices'];
const KEPT_OF_LITELLM =
  /_cost|pricing|^max_(in|out)put_tokens$|^supported_|^supports_(vision|audio_input|video_input|pdf_input|function_calling|tool_choice|parallel_function_calling|reasoning|response_schema)$|^(mode|litellm_provider|deprecation_date|source)$/;
/** Bills for what no request of the gateway asks for. */
const DROPPED = /batches|^search_|^web_|endpoints$|uplift/;

const [name = '', version = '', place = ''] = process.argv.slice(2);
if (name === 'genai-prices') await extractGenaiPrices();
else if (name === 'litellm') extractLitellm();
else throw new Error('first argument: genai-prices or litellm');

async function extractGenaiPrices(): Promise<void> {
  const file = path.join(place, 'dist', 'index.js');
  const { findProvider } = (await import(pathToFileURL(file).href)) as {
    findProvider: (options: { providerId: string }) => { id: string; models: Fields[] } | undefined;
  };
  const data = Object.entries(GENAI_VENDORS).flatMap(([providerId, wanted]) => {
    const found = findProvider({ providerId });
    if (found?.id !== providerId) return [];
    const models = found.models.filter(({ id, match }) =>
      [id, ...exactNames(match)].some((name) => wanted?.test(String(name))),
    );
    return [
      { id: providerId, models: models.map((model) => pick(model, (key) => KEPT_OF_GENAI.includes(key))) },
    ];
  });
  const lines = data.map(
    ({ id, models }) =>
      `{"id":${JSON.stringify(id)},"models":[\n${models.map((m) => JSON.stringify(m)).join(',\n')}\n]}`,
  );
  write('npm: @pydantic/genai-prices', 'dist/index.js', file, data, `[\n${lines.join(',\n')}\n]`);
}

/** Returns the names that a model's match has as they are, not as a pattern. */
function exactNames(match: unknown): unknown[] {
  if (!isFields(match)) return [];
  const { equals, or } = match;
  return [equals, ...(Array.isArray(or) ? or.flatMap(exactNames) : [])].filter((name) => name !== undefined);
}

function extractLitellm(): void {
  const map = JSON.parse(readFileSync(place, 'utf8')) as Record<string, Fields>;
  const data = Object.fromEntries(
    Object.entries(map).flatMap(([key, model]) => {
      const wanted = LITELLM_VENDORS[String(model['litellm_provider']) as keyof typeof LITELLM_VENDORS];
      const isWanted = wanted?.test(key.slice(key.indexOf('/') + 1)) && !/^\w+\/[\dx-]+\//.test(key);
      return isWanted
        ? [[key, pick(model, (name) => KEPT_OF_LITELLM.test(name) && !DROPPED.test(name))]]
        : [];
    }),
  );
  const lines = Object.entries(data).map(([key, model]) => `${JSON.stringify(key)}:${JSON.stringify(model)}`);
  const file = 'litellm/model_prices_and_context_window_backup.json';
  write('PyPI: litellm', file, place, data, `{\n${lines.join(',\n')}\n}`);
}

function pick(model: Fields, isKept: (key: string) => boolean): Fields {
  return isFields(model) ? Object.fromEntries(Object.entries(model).filter(([key]) => isKept(key))) : model;
}

function write(source: string, file: string, original: string, data: unknown, text: string): void {
  const facts = {
    source,
    version,
    licence: 'MIT',
    date: new Date().toISOString().slice(0, 10),
    file,
    sha256: createHash('sha256').update(readFileSync(original)).digest('hex'),
    dataSha256: hashOf(JSON.parse(JSON.stringify(data))),
  };
  const target = extractFile(name);
  writeFileSync(target, `${JSON.stringify(facts, null, 2).slice(0, -2)},\n  "data": ${text}\n}\n`);
  process.stdout.write(`${path.relative('.', target)}\n`);
}
