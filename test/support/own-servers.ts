/** Stands in for Ollama and LM Studio, and speaks the parts of their documented wires that describe models. */
import { answerChat, sendJson, startVendorServer, type VendorServer } from './vendor-server.ts';

/** A model as `POST /api/show` of Ollama describes it; `remote` is one of Ollama's cloud. */
export interface OllamaModel {
  capabilities?: string[];
  parameters?: string;
  context?: number;
  remote?: true;
}

export const OLLAMA_MODELS: Record<string, OllamaModel> = {
  'llama3.2:3b': { capabilities: ['completion', 'tools'], context: 131_072 },
  'hf.co/acme/tiny:Q4_0': { capabilities: ['completion', 'vision', 'thinking'], context: 8_192 },
  'short:1b': { capabilities: ['completion'], context: 8_192, parameters: 'stop "x"\nnum_ctx    2048' },
  'nomic-embed-text:latest': { capabilities: ['embedding'], context: 2_048 },
  'big:cloud': { capabilities: ['completion'], remote: true },
};

/** Starts an Ollama that has these models; a test may change them while it runs. */
export function startOllama(models: Record<string, OllamaModel> = OLLAMA_MODELS): Promise<VendorServer> {
  return startVendorServer((call, response, { method }) => {
    const { model } = (call.body === '' ? {} : JSON.parse(call.body)) as { model?: string };
    const known = models[model ?? ''];
    const route = `${method} ${call.path}`;
    if (route === 'GET /api/tags') {
      const list = Object.entries(models).map(([name, { remote }]) => ({
        name,
        model: name,
        modified_at: '2026-10-01T08:00:00Z',
        details: { family: 'llama', format: 'gguf' },
        ...(remote && { remote_model: name, remote_host: 'https://ollama.com:443' }),
      }));
      sendJson(response, 200, { models: list });
    } else if (known === undefined) sendJson(response, 404, { error: `model '${model}' not found` });
    else if (route === 'POST /api/show') {
      const { capabilities, parameters = '', context } = known;
      const info = { 'general.architecture': 'llama', 'llama.context_length': context };
      sendJson(response, 200, { parameters, capabilities, model_info: info });
    } else if (route === 'POST /v1/chat/completions') answerChat(call, response);
    else sendJson(response, 404, { error: 'page not found' });
  });
}

/** Starts an LM Studio with a chat model, one that reads pictures, one for vectors, and one of a kind of its own. */
export function startLmStudio(): Promise<VendorServer> {
  const common = { object: 'model', state: 'not-loaded', max_context_length: 32_768 };
  const data = [
    { ...common, id: 'qwen3-8b', type: 'llm', capabilities: ['tool_use'], loaded_context_length: 4_096 },
    { ...common, id: 'qwen2-vl-7b', type: 'vlm' },
    { ...common, id: 'text-embedding-nomic', type: 'embeddings', max_context_length: 2_048 },
    { ...common, id: 'voice', type: 'tts' },
  ];
  return startVendorServer(({ path }, response) => {
    if (path === '/api/v0/models') sendJson(response, 200, { object: 'list', data });
    else sendJson(response, 404, { error: 'Unexpected endpoint or method.' });
  });
}
